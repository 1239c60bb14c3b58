// How the console calls Corridor: by its API, in process, with the session of the person who looks
// at the page. So a page can show and do what its reader could by the API, and nothing else. Each
// call is remembered, so that the page can show it as curl.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ACCOUNT_HEADER } from '../http/authenticate.ts'

/** Any JSON. Its numbers are text as they were sent, so that no amount becomes a float. */
export type Json = string | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

/** A call that the page has made. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly body: object | undefined
  readonly account_id: string | null
  /** The text of the answer. */
  readonly answer: string
}

interface ApiProblem {
  readonly reason: string
  readonly message: string
  /** The field, if there is one: `beneficiary_details.name`. */
  readonly remarks: string
}

/** A refusal of the API. */
export class ApiError extends Error {
  readonly status: number
  readonly problems: readonly ApiProblem[]
  constructor(status: number, problems: readonly ApiProblem[]) {
    super(problems.map(({ message }) => message).join(' '))
    this.status = status
    this.problems = problems
  }
  is(reason: string): boolean {
    return this.problems.some(problem => problem.reason === reason)
  }
}

export interface ListOf<T> {
  readonly results: readonly T[]
  readonly has_more: boolean
}

/** The headers that say who calls and from where, sent on as the browser has sent them. */
const SENT_ON = [
  'authorization',
  'cookie',
  'forwarded',
  'host',
  'origin',
  'sec-fetch-site',
  'traceparent',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]

/**
 * Paths that are asked by POST but change nothing, so a page may ask them when it is only looked
 * at.
 */
const ASKED = ['/v3/payout/options']

type Query = Readonly<Record<string, string | undefined>>

/** The API for one request of the console, for an account or, with null, for the installation. */
export class Api {
  readonly calls: Call[] = []
  readonly #app: FastifyInstance
  readonly #request: FastifyRequest
  readonly #account_id: string | null

  constructor(app: FastifyInstance, request: FastifyRequest, account_id: string | null) {
    this.#app = app
    this.#request = request
    this.#account_id = account_id
  }

  /** The same without remembering, for a page that makes many similar calls. */
  quietly(): Api {
    return new Api(this.#app, this.#request, this.#account_id)
  }

  get<T = JsonObject>(path: string, query: Query = {}): Promise<T> {
    return this.#call<T>('GET', plain(path) + queryText(query))
  }

  list<T>(path: string, query: Query = {}): Promise<ListOf<T>> {
    return this.get<ListOf<T>>(path, query)
  }

  /** The first rows of a list, page by page: at least this many, if there are as many. */
  async first<T>(
    path: string,
    most: number,
    query: Query,
    after: (last: T) => Query,
  ): Promise<T[]> {
    const all: T[] = []
    let next: Query = {}
    while (all.length < most) {
      const page = await this.list<T>(path, { ...query, limit: '100', ...next })
      all.push(...page.results)
      const last = page.results.at(-1)
      if (!page.has_more || last === undefined) break
      next = after(last)
    }
    return all
  }

  /** Undefined when the object does not exist. */
  async find<T = JsonObject>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path)
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** `key` is the Idempotency-Key, which a form has from the moment it is shown. */
  post<T = JsonObject>(path: string, body: object, key?: string): Promise<T> {
    return this.#call<T>('POST', plain(path), body, key)
  }

  send<T = JsonObject>(method: Call['method'], path: string, body?: object): Promise<T> {
    return this.#call<T>(method, plain(path), body)
  }

  async #call<T>(method: Call['method'], path: string, body?: object, key = ''): Promise<T> {
    const account_id = this.#account_id
    const headers: Record<string, string> = { accept: 'application/json' }
    for (const name of SENT_ON) {
      const value = this.#request.headers[name]
      if (typeof value === 'string') headers[name] = value
    }
    // A link from another site may lead to a page, whose calls then come from the page itself.
    if (ASKED.includes(path)) headers['sec-fetch-site'] = 'same-origin'
    if (account_id !== null) headers[ACCOUNT_HEADER] = account_id
    if (key !== '') headers['idempotency-key'] = key
    if (body !== undefined) headers['content-type'] = 'application/json'
    const answer = await this.#app.inject({
      method,
      url: path,
      headers,
      remoteAddress: this.#request.socket.remoteAddress ?? '',
      ...(body === undefined ? {} : { payload: bodyText(body) }),
    })
    // A password must not be shown to anybody.
    if (!path.startsWith('/v3/session')) {
      this.calls.push({ method, path, body, account_id, answer: answer.payload })
    }
    return readAnswer<T>(answer.statusCode, answer.payload)
  }
}

const NO_SUCH_PATH = { reason: 'not_found', message: 'There is no such thing.', remarks: '' }

/**
 * A path that leads where its screen means, whatever a form or an address has put into it. It has
 * no escapes, which would later be read as dots and slashes, and no query or fragment of its own.
 */
function plain(path: string): string {
  if (/^\/v3(\/[\w:-][\w:.-]*)+$/.test(path)) return path
  throw new ApiError(404, [NO_SUCH_PATH])
}

/** A part of TC39's JSON.parse source text access. TypeScript has no types for it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** A body as JSON; a bigint is a number, digit by digit. */
export function bodyText(body: object): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? rawJSON(String(value)) : value,
  )
}

function readAnswer<T>(status: number, text: string): T {
  // Numbers stay the text that they were sent as.
  const answer = reviveNumbers(text, source => source) as {
    data?: T
    errors?: readonly ApiProblem[]
  }
  if (status < 400) return answer.data === undefined ? (answer as T) : answer.data
  throw new ApiError(status, answer.errors ?? [])
}

/** The same JSON on many lines, with its numbers as they were sent. */
export function indented(text: string): string {
  return JSON.stringify(
    reviveNumbers(text, source => rawJSON(source)),
    null,
    2,
  )
}

function reviveNumbers(text: string, revived: (source: string) => unknown): unknown {
  const revive = (_name: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? revived(source ?? '') : value
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1])
}

/** `?a=b`, without members that are not set. */
export function queryText(query: Query): string {
  const set = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`
}
