// Calls Corridor's API in process, with the session of the page's reader: a page shows and does
// only what its reader may. `calls` keeps each call, which the page shows as curl.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ACCOUNT_HEADER } from '../http/authenticate.ts'
import { bodyText, reviveNumbers } from '../values/text/json-digits.ts'

/** Any JSON value. A number is the text that the API sent, so no amount becomes a float. */
export type Json = string | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with its query. */
  readonly path: string
  readonly body: object | undefined
  readonly account_id: string | null
  /** The body of the answer as text. */
  readonly answer: string
}

interface ApiProblem {
  readonly reason: string
  readonly message: string
  /** The path of the refused field, such as `beneficiary_details.name`; '' for none. */
  readonly remarks: string
}

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

/** The browser's headers that tell the API who calls and from where. */
const FORWARDED_HEADERS = [
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

export type Query = Readonly<Record<string, string | undefined>>

/** `account_id` is null on pages of the installation. */
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

  /** The page does not show these calls: many similar ones, or answers with a secret. */
  unlisted(): Api {
    return new Api(this.#app, this.#request, this.#account_id)
  }

  get<T = JsonObject>(path: string, query: Query = {}): Promise<T> {
    return this.#call<T>('GET', checkedPath(path) + queryText(query))
  }

  list<T>(path: string, query: Query = {}): Promise<ListOf<T>> {
    return this.get<ListOf<T>>(path, query)
  }

  /** Reads pages of 100 rows, up to `count`. `after` makes the query that follows a row. */
  async first<T>(path: string, count: number, query: Query, after: (last: T) => Query) {
    const all: T[] = []
    let next: Query = {}
    while (all.length < count) {
      const page = await this.list<T>(path, { ...query, limit: '100', ...next })
      all.push(...page.results)
      const last = page.results.at(-1)
      if (!page.has_more || last === undefined) break
      next = after(last)
    }
    return all
  }

  /** Undefined when the API answers 404. */
  async find<T = JsonObject>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path)
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** `key` is the Idempotency-Key of the form. */
  post<T = JsonObject>(path: string, body: object, key = '', query: Query = {}): Promise<T> {
    return this.#call<T>('POST', checkedPath(path) + queryText(query), body, key)
  }

  send<T = JsonObject>(method: Call['method'], path: string, body?: object): Promise<T> {
    return this.#call<T>(method, checkedPath(path), body)
  }

  async #call<T>(method: Call['method'], path: string, body?: object, key = ''): Promise<T> {
    const account_id = this.#account_id
    const headers: Record<string, string> = { accept: 'application/json' }
    for (const name of FORWARDED_HEADERS) {
      const value = this.#request.headers[name]
      if (typeof value === 'string') headers[name] = value
    }
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
    // These calls carry a password, which no page shows.
    if (!path.startsWith('/v3/session')) {
      this.calls.push({ method, path, body, account_id, answer: answer.payload })
    }
    return readAnswer<T>(answer.statusCode, answer.payload)
  }
}

const NO_SUCH_PATH = { reason: 'not_found', message: 'No such page or object.', remarks: '' }

/** Refuses (404) text that could lead the call to another route: an escape, a dot, a query. */
function checkedPath(path: string): string {
  if (/^\/v3(\/[\w:-][\w:.-]*)+$/.test(path)) return path
  throw new ApiError(404, [NO_SUCH_PATH])
}

function readAnswer<T>(status: number, text: string): T {
  // A number becomes the text that the API sent.
  const answer = reviveNumbers(text, source => source) as {
    data?: T
    errors?: readonly ApiProblem[]
  }
  if (status < 400) return answer.data === undefined ? (answer as T) : answer.data
  throw new ApiError(status, answer.errors ?? [])
}

/** `?a=b` without unset and empty parameters; '' when none is set. */
export function queryText(query: Query): string {
  const set = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`
}
