// Sends a call, repeats it when that may help, and reads its answer. All attempts of a call carry
// one Idempotency-Key, so that the service executes it once.
import { type Answered, Call } from './call.ts'
import { checkNames, keyOf, positive, whole } from './check.ts'
import type { ErrorDetail } from './emitted/schemas.ts'
import { ApiError, type Facts, TransportError } from './errors.ts'
import { readJson, writeJson } from './json.ts'
import { Listing, type Page, type Query } from './listing.ts'

/** The options of one call. */
export interface Options {
  readonly signal?: AbortSignal
  /** The time limit of one attempt. */
  readonly timeout_ms?: number
  /** The time limit of all attempts and the waits between them. */
  readonly total_timeout_ms?: number
  /** How often the client repeats the call. */
  readonly maxRetries?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface OptionsWithKey extends Options {
  /** By default the client makes one. Give your own to repeat a call after a restart. */
  readonly idempotencyKey?: string
}

export interface Settings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly total_timeout_ms: number
  readonly maxRetries: number
  readonly fetch: typeof fetch
  /** The names of the members that are read as bigints. */
  readonly bigints: ReadonlySet<string> | undefined
}

interface CallRequest {
  readonly query?: object | undefined
  /** Whether a query parameter joins several values by commas. */
  readonly commas?: boolean
  readonly body?: unknown
  readonly keyed?: boolean
  readonly media?: string
  /** Whether the answer has no envelope. */
  readonly bare?: boolean
  readonly options: OptionsWithKey
}

/** The answer to one attempt, before its body is read. */
interface Received extends Facts {
  readonly response: Response
}

const RETRIED = new Set([408, 429, 502, 503, 504])
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** For a longer `Retry-After` the call fails at once. */
const LONGEST_RETRY_AFTER_MS = 60_000
/** The longest timer that JavaScript can set; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class Transport {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  call<T>(verb: string, path: string, request: CallRequest): Call<T> {
    return new Call(
      this.#send(verb, path, request, received => this.#read<T>(received, request.bare === true)),
    )
  }

  /**
   * An answer that is not JSON; the caller reads its body. The time limits end with its headers,
   * because a statement may stream for long. `options.signal` also ends the body.
   */
  async raw(verb: string, path: string, request: CallRequest): Promise<Response> {
    return await this.#send(verb, path, request, async received => {
      if (!received.response.ok) await this.#read(received, true)
      return received.response
    })
  }

  list<T>(path: string, cursor: string, { query = {}, ...request }: CallRequest): Listing<T> {
    return new Listing<T>(query as Query, cursor, query =>
      this.call<Page<T>>('GET', path, { ...request, query }).withResponse(),
    )
  }

  /** `read` is a part of the attempt: a body that breaks off is requested again. */
  async #send<T>(
    verb: string,
    path: string,
    request: CallRequest,
    read: (received: Received) => Promise<T>,
  ): Promise<T> {
    const { options, keyed, media = 'application/json' } = request
    checkNames(options, keyed ? [...OPTIONS, 'idempotencyKey'] : OPTIONS)
    const settings = { ...this.#settings, ...ownSettings(options) }
    const url = settings.baseUrl + path + writeQuery(request.query, request.commas === true)
    const body = request.body === undefined ? undefined : writeJson(request.body)
    const own = options.idempotencyKey
    const key = keyed ? (own === undefined ? crypto.randomUUID() : keyOf(own)) : undefined
    const call_id = crypto.randomUUID()
    const headers = {
      accept: media,
      ...settings.headers,
      ...options.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const ends_at = performance.now() + settings.total_timeout_ms
    for (let attempts = 1; ; attempts += 1) {
      const request_id = `${call_id}-${attempts}`
      const facts = { request_id, idempotency_key: key, attempts }
      const left = ends_at - performance.now()
      const timer = new AbortController()
      const most_ms = Math.min(settings.timeout_ms, left, LONGEST_TIMER_MS)
      const limit = setTimeout(() => timer.abort(), most_ms)
      const signals = [timer.signal, ...(options.signal === undefined ? [] : [options.signal])]
      let error: unknown
      let after_ms: number | undefined
      try {
        const response = await settings.fetch(url, {
          method: verb,
          headers: { ...headers, 'x-request-id': request_id },
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal: AbortSignal.any(signals),
        })
        after_ms = retryAfter(response.headers)
        return await read({ ...facts, response })
      } catch (thrown) {
        error = failure(thrown, facts, timer.signal, options.signal)
      } finally {
        clearTimeout(limit)
      }
      const wait_ms = after_ms ?? backOff(attempts)
      const isLast =
        attempts > settings.maxRetries ||
        wait_ms > LONGEST_RETRY_AFTER_MS ||
        performance.now() + wait_ms >= ends_at
      if (isLast || !mayHelp(error, verb !== 'POST' || keyed === true)) throw error
      await pause(wait_ms, options.signal, facts)
    }
  }

  async #read<T>({ response, ...sent }: Received, isBare: boolean): Promise<Answered<T>> {
    const { status, headers } = response
    const facts = { ...sent, request_id: headers.get('x-request-id') ?? sent.request_id }
    const text = await response.text()
    const unusable = (cause: unknown) => {
      const words = cause instanceof RangeError ? cause.message : 'not an answer of the service'
      return new TransportError('invalid_answer', `${status}: ${words}`, facts, { status, cause })
    }
    let json: { readonly data?: unknown; readonly errors?: readonly ErrorDetail[] } | null
    try {
      json = readJson(text, response.ok ? this.#settings.bigints : undefined) as typeof json
    } catch (error) {
      throw unusable(error)
    }
    if (!response.ok) {
      const errors = json?.errors
      if (!Array.isArray(errors) || errors.length === 0) throw unusable(undefined)
      throw new ApiError(status, headers, errors, facts, retryAfter(headers))
    }
    const isObject = typeof json === 'object' && json !== null
    if (!isObject || (!isBare && json?.data === undefined)) throw unusable(undefined)
    const data = (isBare ? json : json?.data) as T
    return {
      data,
      status,
      headers,
      replayed: headers.get('idempotent-replayed') === 'true',
      ...facts,
    }
  }
}

/** The base of the emitted classes. */
export abstract class Resource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }
}

/** The option names of every call. Methods with a body also take `query` as an option. */
const OPTIONS = ['signal', 'timeout_ms', 'total_timeout_ms', 'maxRetries', 'headers', 'query']

/** The call's own settings, checked; an undefined option keeps the client's setting. */
function ownSettings({ timeout_ms, total_timeout_ms, maxRetries }: Options) {
  return {
    ...(timeout_ms !== undefined && { timeout_ms: positive('timeout_ms', timeout_ms) }),
    ...(total_timeout_ms !== undefined && {
      total_timeout_ms: positive('total_timeout_ms', total_timeout_ms),
    }),
    ...(maxRetries !== undefined && { maxRetries: whole('maxRetries', maxRetries) }),
  }
}

/**
 * Whether a repeat may help. It never does after 409, 422 or another final refusal, because the
 * same request would get the same answer. A POST without a key is repeated only after a refusal,
 * because otherwise the service may have executed it.
 */
function mayHelp(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof ApiError) return RETRIED.has(error.status)
  if (!(error instanceof TransportError) || error.reason === 'aborted') return false
  return isRepeatable && (error.status === undefined || RETRIED.has(error.status))
}

function failure(
  thrown: unknown,
  facts: Facts,
  timer: AbortSignal,
  caller: AbortSignal | undefined,
) {
  if (thrown instanceof ApiError || thrown instanceof TransportError) return thrown
  if (caller?.aborted) return aborted(caller, facts)
  const more = { cause: thrown }
  if (timer.aborted) return new TransportError('timed_out', 'no answer in time', facts, more)
  return new TransportError('connection_failed', (thrown as Error).message, facts, more)
}

function aborted({ reason: cause }: AbortSignal, facts: Facts): TransportError {
  return new TransportError('aborted', 'aborted by the caller', facts, { cause })
}

/**
 * A random wait between half and all of a time that doubles, so that clients do not return
 * together.
 */
function backOff(attempts: number): number {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1))
  return most * (0.5 + Math.random() / 2)
}

/** `Retry-After` in milliseconds, from seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

function pause(wait_ms: number, signal: AbortSignal | undefined, facts: Facts): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(aborted(signal as AbortSignal, facts))
  if (signal?.aborted) stop()
  const timer = setTimeout(resolve, wait_ms)
  signal?.addEventListener('abort', stop, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  })
}

/**
 * Writes `{ created: { gt } }` as `created.gt`, other objects as `metadata[a]`, and dates as ISO
 * 8601.
 */
function writeQuery(query: object | undefined, commas: boolean): string {
  const pairs = new URLSearchParams()
  const add = (name: string, value: unknown) => {
    if (Array.isArray(value) && !commas) for (const one of value) add(name, one)
    else if (value instanceof Date) pairs.append(name, value.toISOString())
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [member, inner] of Object.entries(value)) {
        add(name === 'created' ? `${name}.${member}` : `${name}[${member}]`, inner)
      }
    } else if (value !== undefined) pairs.append(name, String(value))
  }
  for (const [name, value] of Object.entries(query ?? {})) add(name, value)
  return pairs.size === 0 ? '' : `?${pairs}`
}
