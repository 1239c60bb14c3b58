// Checks an HTTP message before any other code reads it. Refuses a message that two servers could
// read as two different requests, one longer than any request of this service, and one for another
// host. Runs on every request, and walks the headers once. Knows no route and no body.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { CATALOGUE, type Refusal, refusal } from '../values/errors.ts'

/** The most bytes of request line and headers. Node's default is the same; this one is promised. */
export const MAX_HEADER_BYTES = 16 * 1024

export const MAX_HEADERS = 100

/**
 * The longest valid URL has some 2,200 characters: a list with every filter and a reference outside
 * ASCII.
 */
export const MAX_URL_LENGTH = 4 * 1024

/** How long a client may take from connecting to its last header, and for a whole request. */
export const HEADERS_TIMEOUT_MS = 8_000
export const REQUEST_TIMEOUT_MS = 13_000

/**
 * Headers that may appear once. Of two, Node keeps the first or joins both, while a proxy in front
 * of the service may have used the other.
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

/** The headers of ONCE by the length of their name. No two of them have the same length. */
const ONCE_BY_LENGTH: readonly (string | undefined)[] = Array.from({ length: 20 }, (_, length) =>
  ONCE.find(name => name.length === length),
)

const SLASH = 0x2f

/** Connections that carried a refused message. Later bytes may come from another sender. */
const distrusted = new WeakSet<Socket>()

/**
 * The refusal of this message; undefined when it is valid. After a refusal, all later messages on
 * the connection are refused too.
 */
export function refuseMessage(message: IncomingMessage): Refusal | undefined {
  const { socket } = message
  const refused = distrusted.has(socket)
    ? malformed('This connection is being closed; use another.')
    : (tooLong(message) ?? ambiguous(message))
  if (refused !== undefined) distrusted.add(socket)
  return refused
}

/** Refuses an escape in the query that is not UTF-8. Node would pass it on undecoded. */
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
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('Send HTTP/1.1.')
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const once = ONCE_BY_LENGTH[name.length]
    if (once === undefined || name.toLowerCase() !== once) continue
    const bit = 1 << name.length
    if ((found & bit) !== 0) return malformed(`The header ${once} is sent more than once.`)
    found |= bit
  }
  const { expect, host, 'transfer-encoding': coding } = headers
  // Of `gzip, chunked`, Node decodes only the chunks.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return malformed('Transfer-Encoding can only be chunked.')
  }
  if (host === undefined && httpVersion === '1.1') return malformed('The header Host is missing.')
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return malformed('Expect can only be 100-continue.')
  }
  if (url.charCodeAt(0) === SLASH || url === '*' || hostOf(url) === host?.toLowerCase()) {
    return undefined
  }
  return malformed('The address names another host than the header Host.')
}

/** The host of an absolute URL, `http://host/path`, which RFC 9112 requires a server to accept. */
function hostOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase()
}

function malformed(message: string): Refusal {
  return refusal('invalid_request', message)
}

/** Names of hosts, each with or without a port. Without one, any port matches. */
export type Hosts = readonly string[]

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/

/** Reads `api.example, 10.0.0.7:8080, [fd00::1]`; undefined when a part is not a host. */
export function readHosts(text: string): Hosts | undefined {
  const hosts = text.split(/[\s,]+/).flatMap(part => (part === '' ? [] : [part.toLowerCase()]))
  return hosts.every(host => HOST.test(host)) ? hosts : undefined
}

/** Splits `localhost:8080` into `localhost` and `:8080`; undefined for a text like `a:80@evil`. */
export function partsOfHost(host: string): { name: string; port: string } | undefined {
  const [, name, port = ''] = HOST.exec(host.toLowerCase()) ?? []
  return name === undefined ? undefined : { name, port }
}

/**
 * Refuses (421) a request for a host that is not allowed; an empty list allows all. A web site can
 * point its own name to this address (DNS rebinding), and its pages would then read our answers.
 */
export function checkHost(host: string, allowed: Hosts): void {
  if (allowed.length === 0) return
  const { name = '', port = '' } = partsOfHost(host) ?? {}
  const known = name.replace(/\.$/, '')
  if (known !== '' && (allowed.includes(known) || allowed.includes(known + port))) return
  throw refusal('misdirected_request', 'This service is not known by the name in the header Host.')
}
