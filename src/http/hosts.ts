// Which names of this service are answered: a page in a browser can give any name to this address,
// and would be answered as if it were ours. Knows the header Host and the operator's list.
import type { IncomingMessage } from 'node:http'
import { refusal } from '../errors.ts'

/** Names of hosts, each perhaps with a port; without one, any port is meant. */
export type Hosts = readonly string[]

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/

/** `api.example, 10.0.0.7:8080, [fd00::1]` as a list; undefined for what is none. */
export function readHosts(text: string): Hosts | undefined {
  const hosts = text.split(/[\s,]+/).flatMap(part => (part === '' ? [] : [part.toLowerCase()]))
  return hosts.every(host => HOST.test(host)) ? hosts : undefined
}

/** Refuses (421) a request to another name than those allowed; no names allow all. */
export function checkHost({ headers: { host = '' } }: IncomingMessage, allowed: Hosts): void {
  if (allowed.length === 0) return
  const [, name = '', port = ''] = HOST.exec(host.toLowerCase()) ?? []
  const known = name.replace(/\.$/, '')
  if (known !== '' && (allowed.includes(known) || allowed.includes(known + port))) return
  throw refusal('misdirected_request', 'This service is not known by the name in the header Host.')
}
