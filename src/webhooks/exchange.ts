// Sends one request over HTTP/1.1 to a URL that an account or an operator has chosen. It connects
// to checked addresses, follows no redirect, and bounds every wait and read.
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { isIP, connect as netConnect, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import { hostOf, isPublic, type Lookup, resolveReceiver } from './address.ts'

export interface OutgoingRequest {
  readonly url: string
  /** POST when absent. */
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** From the look-up of the name to the last byte of the answer. */
  readonly timeout_ms: number
  /** The operator's choice: any address, and plain http. */
  readonly allow_private: boolean
  readonly lookup?: Lookup
  /** The client's certificate and key, and whose certificates it takes, as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string }
}

/** The most bytes of an answer's body that are read, and the most of them that are kept. */
interface AnswerSize {
  readonly read_bytes: number
  readonly kept_bytes: number
}

export interface Answer {
  /** 200 to 599. */
  readonly status_code: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** False when the answer is longer than `read_bytes` and was cut. */
  readonly is_whole: boolean
}

/** An answer, or `error`: a few words, such as `timeout`, that say why there is none. */
export type ExchangeResult = { readonly duration_ms: number } & (
  | { readonly answer: Answer; readonly error: '' }
  | { readonly answer: null; readonly error: string }
)

const MAX_HEADER_BYTES = 16 * 1024
/** Most answers fit in so many bytes, whatever may be kept. */
const FIRST_BYTES = 4 * 1024
/** The most interim answers (1xx) of a receiver; honest ones send one or two. */
const MAX_INTERIM = 10

class Failure extends Error {}

const ERROR_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'address not available',
  HPE_HEADER_OVERFLOW: 'headers too large',
}

export async function exchange(
  outgoing: OutgoingRequest,
  size: AnswerSize,
): Promise<ExchangeResult> {
  const started = performance.now()
  const duration = () => Math.trunc(performance.now() - started)
  // Closes the socket at the deadline or at the end, whichever comes first.
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), outgoing.timeout_ms)
  try {
    const answer = await connectAndSend(outgoing, size, end.signal)
    return { answer, error: '', duration_ms: duration() }
  } catch (error) {
    const word = end.signal.aborted ? 'timeout' : wordFor(error)
    return { answer: null, error: word, duration_ms: duration() }
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}

async function connectAndSend(outgoing: OutgoingRequest, size: AnswerSize, signal: AbortSignal) {
  const url = new URL(outgoing.url)
  const { addresses, refusal } = await orAborted(resolveReceiver(url, outgoing), signal)
  if (refusal === 'name') throw new Failure('name not resolved')
  if (refusal === 'port') throw new Failure('port not allowed')
  if (refusal !== undefined) throw new Failure('address not allowed')
  const socket = await openSocket(url, addresses, signal)
  const remote = socket.remoteAddress
  if (remote === undefined) throw new Failure('connection reset')
  // Checks the connected address before anything is written to it.
  if (!outgoing.allow_private && !isPublic(remote)) throw new Failure('address not allowed')
  const is_plain = url.protocol !== 'https:'
  const secured = is_plain ? socket : await secureSocket(socket, url, outgoing, signal)
  return sendOn(secured, url, outgoing, size, signal)
}

/** Connects to the first address that accepts. Each connection carries one request. */
function openSocket(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  const found = addresses.map(address => ({ address, family: isIP(address) }))
  return new Promise((resolve, reject) => {
    const socket = netConnect({
      host: hostOf(url),
      port: portOf(url),
      signal,
      autoSelectFamily: true,
      // Gives the checked addresses, so that nothing looks up the name again.
      lookup: (_hostname, _options, callback) => callback(null, found),
    })
    // Stays attached, so that an error after the end does not crash the process.
    socket.on('error', reject)
    socket.once('close', () => reject(new Failure('connection reset')))
    socket.once('connect', () => resolve(socket))
  })
}

function secureSocket(
  socket: Socket,
  url: URL,
  { tls }: OutgoingRequest,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = hostOf(url).replace(/\.$/, '')
  return new Promise((resolve, reject) => {
    const secured = tlsConnect({
      ...tls,
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
function sendOn(
  socket: Socket,
  url: URL,
  { method = 'POST', headers, body }: OutgoingRequest,
  size: AnswerSize,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) throw new Failure('connection reset')
    const request = httpRequest({
      method,
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
    request.on('response', response => readAnswer(response, size, resolve, reject))
    request.end(body)
  })
}

function readAnswer(
  response: IncomingMessage,
  { read_bytes, kept_bytes }: AnswerSize,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  const { statusCode: status_code = 0, headers } = response
  // Node's parser accepts any three digits.
  if (status_code < 200 || status_code > 599) {
    reject(new Failure('malformed answer'))
    return
  }
  // Copies into one buffer, so that many small chunks do not stay in memory.
  let kept = Buffer.alloc(Math.min(kept_bytes, FIRST_BYTES))
  let bytes = 0
  const finish = (is_whole: boolean) =>
    resolve({ status_code, headers, body: kept.subarray(0, bytes), is_whole })
  const keepChunk = (chunk: Buffer) => {
    kept = withRoom(kept, Math.min(bytes + chunk.length, kept_bytes), kept_bytes)
    if (bytes < kept_bytes) chunk.copy(kept, bytes)
    bytes += chunk.length
    if (bytes < read_bytes) return
    // exchange() closes the connection as soon as this resolves.
    response.off('data', keepChunk)
    finish(false)
  }
  response.on('data', keepChunk)
  response.on('error', reject)
  response.on('end', () => finish(true))
}

/** The buffer, or a larger copy with room for `bytes`. Doubling copies each byte about once. */
function withRoom(buffer: Buffer<ArrayBuffer>, bytes: number, most: number) {
  if (bytes <= buffer.length) return buffer
  const larger = Buffer.alloc(Math.min(Math.max(2 * buffer.length, bytes), most))
  buffer.copy(larger)
  return larger
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

function asTlsFailure(error: NodeJS.ErrnoException): Error {
  const { code = '' } = error
  return code in ERROR_WORDS ? error : new Failure(`tls: ${spellOut(code)}`)
}

function wordFor(error: unknown): string {
  if (error instanceof Failure) return error.message
  const { code = '' } = error as NodeJS.ErrnoException
  const word = ERROR_WORDS[code]
  if (word !== undefined) return word
  if (code.startsWith('HPE_')) return 'malformed answer'
  if (code.startsWith('ERR_SSL_')) return `tls: ${spellOut(code)}`
  return spellOut(code)
}

/** `DEPTH_ZERO_SELF_SIGNED_CERT` becomes `depth zero self signed cert`. */
function spellOut(code: string): string {
  const words = code.replace(/^ERR_(SSL_|TLS_)?/, '').toLowerCase()
  return words === '' ? 'failed' : words.replaceAll('_', ' ')
}
