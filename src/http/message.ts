// What is refused of an HTTP message before anything else is asked of it: what two readers could
// read as two different requests, and what is longer than any request of this service. Looked at
// on every request, so it only walks the headers once. Knows no route and no body.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { CATALOGUE, type Refusal, refusal } from '../errors.ts'

/** Request line and headers together; Node's own default, said here because it is documented. */
export const MAX_HEADER_BYTES = 16 * 1024

export const MAX_HEADERS = 100

/** A list with every filter, and a reference of 128 characters outside ASCII, has some 2,200. */
export const MAX_URL_LENGTH = 4 * 1024

/** How long a client may take to send its headers, counted from connecting, and a whole request. */
export const HEADERS_TIMEOUT_MS = 8_000
export const REQUEST_TIMEOUT_MS = 13_000

/**
 * What a request says once. Of a second one Node keeps the first, or joins the two, and whatever
 * stands in front of this service may have gone by the other.
 */
const ONCE = [
  'host',
  'expect',
  'content-type',
  'authorization',
  'content-length',
  'idempotency-key',
  'transfer-encoding',
]

/** By the length of the name, which is another for each of them, and for most headers there are. */
const ONCE_BY_LENGTH: readonly (string | undefined)[] = Array.from({ length: 20 }, (_, length) =>
  ONCE.find(name => name.length === length),
)

const SLASH = 0x2f

/** Connections on which such a message was: what came after it may be no request of its sender. */
const distrusted = new WeakSet<Socket>()

/** Why this message is not answered, and nothing that follows it on its connection. */
export function refuseMessage(message: IncomingMessage): Refusal | undefined {
  const { socket } = message
  const refused = distrusted.has(socket)
    ? malformed('This connection is being closed; use another.')
    : (tooLong(message) ?? ambiguous(message))
  if (refused !== undefined) distrusted.add(socket)
  return refused
}

/** Refuses an escape that cannot be decoded, which others take as it stands. */
export function checkQueryText({ url = '' }: IncomingMessage): void {
  if (!url.includes('%')) return
  try {
    decodeURIComponent(url)
  } catch {
    const message = 'The query has a % that begins no character of UTF-8.'
    throw refusal('invalid_query_parameter', message)
  }
}

function tooLong({ url = '', rawHeaders }: IncomingMessage): Refusal | undefined {
  if (url.length > MAX_URL_LENGTH) return refusal('uri_too_long', CATALOGUE.uri_too_long.meaning)
  if (rawHeaders.length <= 2 * MAX_HEADERS) return undefined
  return refusal('headers_too_large', CATALOGUE.headers_too_large.meaning)
}

function ambiguous(message: IncomingMessage): Refusal | undefined {
  const { url = '', headers, rawHeaders, httpVersion } = message
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('This is HTTP/1.1.')
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const once = ONCE_BY_LENGTH[name.length]
    if (once === undefined || name.toLowerCase() !== once) continue
    const bit = 1 << name.length
    if ((seen & bit) !== 0) return malformed(`The header ${once} is sent more than once.`)
    seen |= bit
  }
  const { expect, host, 'transfer-encoding': coding } = headers
  // Of `gzip, chunked` Node would undo the chunks alone.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return malformed('Of Transfer-Encoding only chunked is understood.')
  }
  if (host === undefined && httpVersion === '1.1') return malformed('The header Host is missing.')
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return malformed('Of Expect only 100-continue is understood.')
  }
  if (url.charCodeAt(0) === SLASH || url === '*' || hostOf(url) === host?.toLowerCase()) {
    return undefined
  }
  return malformed('The address names another host than the header Host.')
}

/** Of the absolute form, `http://host/path`, which RFC 9112 wants taken. */
function hostOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase()
}

function malformed(message: string): Refusal {
  return refusal('invalid_request', message)
}

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
