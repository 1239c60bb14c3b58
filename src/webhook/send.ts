// Sends one webhook over HTTP/1.1, safely: it connects to checked addresses only, ends every wait
// at one deadline and bounds every read. Knows neither signatures nor events nor retries.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { isIP, connect as netConnect, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import { hostOf, isPublic, type Lookup, resolveReceiver } from './address.ts'

export interface Sending {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** From the look-up of the name to the last byte of the answer. */
  readonly timeout_ms: number
  /** The operator's choice for development: any address, and plain http. */
  readonly allow_private: boolean
  readonly lookup?: Lookup
}

export interface SendResult {
  /** 200 to 599; null without a complete answer, and `error` then says why. */
  readonly status_code: number | null
  /** Retry-After of the answer; null without a valid one. */
  readonly retry_after_s: number | null
  /** A few words, such as `timeout`; '' with an answer. */
  readonly error: string
  /** The first 1,000 characters of the answer's body, without control characters. */
  readonly answer: string
  readonly duration_ms: number
}

type Answer = Pick<SendResult, 'status_code' | 'retry_after_s' | 'answer'>

/** A longer answer is cut and still counts: only its status matters. */
const MAX_BODY_BYTES = 16 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const MAX_ANSWER_CHARACTERS = 1000
/** Four bytes of UTF-8 hold at least one character. */
const KEPT_BYTES = 4 * MAX_ANSWER_CHARACTERS
/** Most interim answers (1xx); honest receivers send one or two. */
const MAX_INTERIM = 10
/** Far beyond any delay that is honoured; keeps the number exact. */
const MAX_RETRY_AFTER_S = 999_999_999

/** Its message becomes `SendResult.error`. */
class Failure extends Error {}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'address not available',
  HPE_HEADER_OVERFLOW: 'headers too large',
}

/** Sends one POST and waits for the answer. Never rejects. Follows no redirect. */
export async function send(sending: Sending): Promise<SendResult> {
  const started = performance.now()
  const duration = () => Math.trunc(performance.now() - started)
  // Aborted at the deadline and at the end; closes the socket in either case.
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), sending.timeout_ms)
  try {
    const answer = await exchange(sending, end.signal)
    return { ...answer, error: '', duration_ms: duration() }
  } catch (error) {
    const word = end.signal.aborted ? 'timeout' : wordFor(error)
    return {
      status_code: null,
      retry_after_s: null,
      error: word,
      answer: '',
      duration_ms: duration(),
    }
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}

async function exchange(sending: Sending, signal: AbortSignal): Promise<Answer> {
  const url = new URL(sending.url)
  const { addresses, refusal } = await orAborted(resolveReceiver(url, sending), signal)
  if (refusal === 'name') throw new Failure('name not resolved')
  if (refusal === 'port') throw new Failure('port not allowed')
  if (refusal !== undefined) throw new Failure('address not allowed')
  const socket = await openSocket(url, addresses, signal)
  const remote = socket.remoteAddress
  if (remote === undefined) throw new Failure('connection reset')
  // Checks the address that is connected, before anything is written to it.
  if (!sending.allow_private && !isPublic(remote)) throw new Failure('address not allowed')
  const secured = url.protocol === 'https:' ? await secureSocket(socket, url, signal) : socket
  return post(secured, url, sending, signal)
}

/** Connects to the first address that accepts. Each connection carries one webhook. */
function openSocket(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  const found = addresses.map(address => ({ address, family: isIP(address) }))
  return new Promise((resolve, reject) => {
    const socket = netConnect({
      host: hostOf(url),
      port: portOf(url),
      signal,
      autoSelectFamily: true,
      // Uses the addresses checked above: the name is not looked up again.
      lookup: (_hostname, _options, callback) => callback(null, found),
    })
    // Stays attached: an error after the end would otherwise be uncaught.
    socket.on('error', reject)
    socket.once('close', () => reject(new Failure('connection reset')))
    socket.once('connect', () => resolve(socket))
  })
}

function secureSocket(socket: Socket, url: URL, signal: AbortSignal): Promise<TLSSocket> {
  const host = hostOf(url).replace(/\.$/, '')
  return new Promise((resolve, reject) => {
    const secured = tlsConnect({
      socket,
      host,
      // Server name indication holds names only: RFC 6066 section 3.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
      rejectUnauthorized: true,
    })
    addAbortSignal(signal, secured)
    secured.on('error', error => reject(asTlsFailure(error)))
    secured.once('close', () => reject(new Failure('connection reset')))
    secured.once('secureConnect', () => resolve(secured))
  })
}

/** Uses no agent: keeps no connection alive and ignores proxies of the environment. */
function post(
  socket: Socket,
  url: URL,
  { headers, body }: Sending,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) throw new Failure('connection reset')
    const request = httpRequest({
      method: 'POST',
      path: url.pathname + url.search,
      headers: {
        ...headers,
        host: url.host,
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'identity',
        connection: 'close',
      },
      createConnection: () => socket,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    })
    let interim = 0
    request.on('error', reject)
    request.on('information', () => {
      interim += 1
      if (interim > MAX_INTERIM) reject(new Failure('malformed answer'))
    })
    request.on('upgrade', () => reject(new Failure('malformed answer')))
    request.on('response', response => readAnswer(response, resolve, reject))
    request.end(body)
  })
}

function readAnswer(
  response: IncomingMessage,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  const { statusCode = 0, headers } = response
  // Node's parser accepts any three digits.
  if (statusCode < 200 || statusCode > 599) {
    reject(new Failure('malformed answer'))
    return
  }
  // Copies into one buffer, so that many small chunks hold no memory.
  const kept = Buffer.alloc(KEPT_BYTES)
  let bytes = 0
  const finish = () =>
    resolve({
      status_code: statusCode,
      retry_after_s: retryAfter(headers['retry-after'], Date.now()),
      answer: plainText(kept.subarray(0, bytes)),
    })
  const take = (chunk: Buffer) => {
    if (bytes < KEPT_BYTES) chunk.copy(kept, bytes)
    bytes += chunk.length
    if (bytes < MAX_BODY_BYTES) return
    // send() closes the connection as soon as this resolves.
    response.off('data', take)
    finish()
  }
  response.on('data', take)
  response.on('error', reject)
  response.on('end', finish)
}

/** Settles as the promise does, or rejects as soon as the signal is aborted. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Failure('timeout')), { once: true })
    promise.then(resolve, reject)
  })
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/** Seconds from now; null for text that is neither seconds nor a date of RFC 9110 5.6.7. */
function retryAfter(value: string | undefined, now_ms: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_S)
  if (!/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return null
  // The oldest of the three date forms names no zone; all three mean GMT.
  const at_ms = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  if (Number.isNaN(at_ms)) return null
  return Math.min(Math.max(Math.ceil((at_ms - now_ms) / 1000), 0), MAX_RETRY_AFTER_S)
}

/** Decodes UTF-8 and replaces characters that harm a terminal or that PostgreSQL rejects. */
function plainText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes)
  const harmless = text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ')
  return Array.from(harmless).slice(0, MAX_ANSWER_CHARACTERS).join('')
}

function asTlsFailure(error: NodeJS.ErrnoException): Error {
  const { code = '' } = error
  return code in WORDS ? error : new Failure(`tls: ${spell(code)}`)
}

function wordFor(error: unknown): string {
  if (error instanceof Failure) return error.message
  const { code = '' } = error as NodeJS.ErrnoException
  const word = WORDS[code]
  if (word !== undefined) return word
  if (code.startsWith('HPE_')) return 'malformed answer'
  if (code.startsWith('ERR_SSL_')) return `tls: ${spell(code)}`
  return spell(code)
}

/** `DEPTH_ZERO_SELF_SIGNED_CERT` becomes `depth zero self signed cert`. */
function spell(code: string): string {
  const words = code.replace(/^ERR_(SSL_|TLS_)?/, '').toLowerCase()
  return words === '' ? 'failed' : words.replaceAll('_', ' ')
}
