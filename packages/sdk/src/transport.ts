// Sends a call, again when that may help, and reads its answer. All attempts of a call carry one
// Idempotency-Key, so that it has its effect once.
import { type Answered, Call } from './call.ts'
import { checkNames, keyOf, positive, whole } from './check.ts'
import type { ErrorDetail } from './emitted/schemas.ts'
import { ApiError, type Facts, TransportError } from './errors.ts'
import { readJson, writeJson } from './json.ts'
import { Listing, type Page, type Query } from './listing.ts'

/** Of one call. */
export interface Options {
  readonly signal?: AbortSignal
  /** How long an attempt may take. */
  readonly timeout_ms?: number
  /** How long all attempts and the waits between them may take. */
  readonly total_timeout_ms?: number
  /** How often the call is sent again after the first time. */
  readonly maxRetries?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface OptionsWithKey extends Options {
  /** Made by the client when it is left out. Give your own to repeat a call after a restart. */
  readonly idempotencyKey?: string
}

export interface Settings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly total_timeout_ms: number
  readonly maxRetries: number
  readonly fetch: typeof fetch
  /** The members that are bigints. */
  readonly bigints: ReadonlySet<string> | undefined
}

interface Asked {
  readonly query?: object | undefined
  /** Several values of a query in one, separated by commas. */
  readonly commas?: boolean
  readonly body?: unknown
  readonly keyed?: boolean
  readonly media?: string
  /** The answer has no envelope. */
  readonly bare?: boolean
  readonly options: OptionsWithKey
}

/** One attempt's answer, its body unread. */
interface Taken extends Facts {
  readonly response: Response
}

const RETRIED = new Set([408, 429, 502, 503, 504])
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** A longer `Retry-After` is not waited for: the caller is told at once. */
const LONGEST_RETRY_AFTER_MS = 60_000
/** A timer that is set for longer ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class Transport {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  call<T>(verb: string, path: string, asked: Asked): Call<T> {
    return new Call(
      this.#send(verb, path, asked, taken => this.#read<T>(taken, asked.bare === true)),
    )
  }

  /** An answer that is not JSON, to be read as it comes. */
  async raw(verb: string, path: string, asked: Asked): Promise<Response> {
    return await this.#send(verb, path, asked, async taken => {
      if (!taken.response.ok) await this.#read(taken, true)
      return taken.response
    })
  }

  list<T>(path: string, cursor: string, { query = {}, ...asked }: Asked): Listing<T> {
    return new Listing<T>(query as Query, cursor, asking =>
      this.call<Page<T>>('GET', path, { ...asked, query: asking }).withResponse(),
    )
  }

  /** `read` belongs to the attempt: a body that breaks off is asked for again. */
  async #send<T>(
    verb: string,
    path: string,
    asked: Asked,
    read: (taken: Taken) => Promise<T>,
  ): Promise<T> {
    const { options, keyed, media = 'application/json' } = asked
    checkNames(options, keyed ? [...OPTIONS, 'idempotencyKey'] : OPTIONS)
    const settings = { ...this.#settings, ...given(options) }
    const url = settings.baseUrl + path + writeQuery(asked.query, asked.commas === true)
    const body = asked.body === undefined ? undefined : writeJson(asked.body)
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

  async #read<T>({ response, ...sent }: Taken, isBare: boolean): Promise<Answered<T>> {
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

/** What emitted classes stand on. */
export abstract class Resource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }
}

/** Those of every call; `query` stands beside them where there is a body. */
const OPTIONS = ['signal', 'timeout_ms', 'total_timeout_ms', 'maxRetries', 'headers', 'query']

/** What is undefined leaves the setting of the client. */
function given({ timeout_ms, total_timeout_ms, maxRetries }: Options) {
  return {
    ...(timeout_ms !== undefined && { timeout_ms: positive('timeout_ms', timeout_ms) }),
    ...(total_timeout_ms !== undefined && {
      total_timeout_ms: positive('total_timeout_ms', total_timeout_ms),
    }),
    ...(maxRetries !== undefined && { maxRetries: whole('maxRetries', maxRetries) }),
  }
}

/**
 * Never after 409, 422 or any other refusal: the same request would get the same answer. A POST
 * without a key may have had its effect, unless the service refused it.
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

/** Between half and all of a time that doubles, so that clients do not come back together. */
function backOff(attempts: number): number {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1))
  return most * (0.5 + Math.random() / 2)
}

/** Seconds, or a date. */
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

/** `{ created: { gt } }` is `created.gt`, other members are `metadata[a]`; a date is ISO 8601. */
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
