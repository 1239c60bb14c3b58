// Fetches a file of rates from its publisher over https, with limits on time, size and redirects.
// The operator may choose any address. An address may contain a key, so messages have only its
// host.
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'

/** The euro foreign exchange reference rates of the last working day. */
export const ECB_URL = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'

export interface FetchOptions {
  /** For the whole fetch, redirects included. */
  readonly timeout_ms?: number
  /** Allows plain http to this machine, for development. */
  readonly allow_http: boolean
}

/** A failed fetch. The message has the host and a short reason. */
export class FetchFailed extends Error {}

/** The reason of a FetchFailed. */
class Reason extends Error {}

const TIMEOUT_MS = 30_000
const MAX_REDIRECTS = 3
/** Twice the size of the ECB's file of ninety days, 120 kB. */
export const MAX_BYTES = 256 * 1024
const MAX_HEADER_BYTES = 16 * 1024

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Returns the file as text. Rejects only with FetchFailed. */
export async function fetchRates(address: string, options: FetchOptions): Promise<string> {
  const signal = AbortSignal.timeout(options.timeout_ms ?? TIMEOUT_MS)
  let host = hostOf(address)
  try {
    let url = readUrl(address, undefined, options)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      host = url.hostname
      const response = await open(url, signal)
      const { statusCode = 0, headers } = response
      if (!REDIRECTS.has(statusCode)) return await readText(response)
      response.destroy()
      url = readUrl(headers.location ?? '', url, options)
    }
    throw new Reason(`more than ${MAX_REDIRECTS} redirects`)
  } catch (error) {
    const words = signal.aborted ? 'no whole answer in time' : wordsOf(error)
    throw new FetchFailed(`${host}: ${words}`)
  }
}

/** The address's host: the publisher's name in messages, and the source of rates without one. */
export function hostOf(address: string): string {
  return URL.parse(address)?.hostname || 'no such address'
}

/** Why an address is refused; undefined for an allowed address. */
export function refuseUrl(address: string, { allow_http }: FetchOptions): string | undefined {
  const url = URL.parse(address)
  if (url?.protocol === 'https:') return undefined
  if (url?.protocol === 'http:' && allow_http && LOOPBACK.has(url.hostname)) return undefined
  return 'rates are fetched by https:// alone'
}

function readUrl(address: string, base: URL | undefined, options: FetchOptions): URL {
  const url = URL.parse(address, base?.href)
  if (url === null) throw new Reason('a redirect to no address')
  const refusal = refuseUrl(url.href, options)
  if (refusal !== undefined) throw new Reason(refusal)
  return url
}

/** Sends a request without an agent, so that no connection stays open. */
function open(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  const options = {
    agent: false,
    headers: { accept: 'application/xml, text/csv', 'accept-encoding': 'identity' },
    maxHeaderSize: MAX_HEADER_BYTES,
    // The option overrides NODE_TLS_REJECT_UNAUTHORIZED, so that it cannot turn the check off.
    rejectUnauthorized: true,
    signal,
  }
  return new Promise((resolve, reject) => {
    get(url, options, resolve).on('error', reject)
  })
}

async function readText(response: IncomingMessage): Promise<string> {
  const { statusCode, headers } = response
  try {
    if (statusCode !== 200) throw new Reason(`status ${statusCode}`)
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') throw new Reason('a compressed answer, which was not asked for')
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new Reason(`more than ${MAX_BYTES} bytes`)
    }
    return decode(Buffer.concat(chunks))
  } finally {
    response.destroy()
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Reason('not UTF-8 text')
  }
}

/** A short reason. Node's codes, such as ECONNREFUSED, are well known to operators. */
function wordsOf(error: unknown): string {
  if (error instanceof Reason) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
