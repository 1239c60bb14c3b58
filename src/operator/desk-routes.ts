// Registers the routes of operators: who may call them, what openapi.json says about them, and how
// their answers are sent.
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Sql } from '../db/connect.ts'
import { send, sendList, success } from '../http/answer.ts'
import { type OperationDocs, operationDocs } from '../http/docs.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { callAnew, callOf, type Desk, type OfDesk } from './desk.ts'
import { checkLimit, type Query, readLimit } from './request.ts'

interface Sent<Params extends TSchema, Body extends TSchema> {
  Params: Static<Params>
  Querystring: Query
  Body: Static<Body>
}

type Request<Params extends TSchema, Body extends TSchema> = FastifyRequest<Sent<Params, Body>>

interface Route<Params extends TSchema, Body extends TSchema>
  extends Omit<OperationDocs, 'refusals'> {
  readonly params?: Params
  readonly body?: Body
  /** Besides 404 of a path that names no object. */
  readonly refusals?: OperationDocs['refusals']
  /** All but the scope, which is set by the method that registers the route. */
  readonly config?: Omit<FastifyContextConfig, 'scope'>
}

interface ReadRoute<Params extends TSchema> extends Route<Params, TSchema> {
  answer(request: Request<Params, TSchema>, desk: Desk): Promise<object>
}

interface WriteRoute<Params extends TSchema, Body extends TSchema> extends Route<Params, Body> {
  readonly method?: 'POST' | 'PATCH'
  /** The title of the schema of an empty body. The caller may leave it out. */
  readonly nothing?: string
  answer(request: Request<Params, Body>, desk: Desk): Promise<Reply>
}

interface ChangeRoute<Params extends TSchema, Body extends TSchema>
  extends Omit<WriteRoute<Params, Body>, 'answer' | 'idempotent'> {
  /** The act in the words of the command, as the audit log names it. */
  readonly act: string
  /** Whether a repeat acts again: its answer, such as one with a secret, is not kept. */
  readonly anew?: true
  /** Changes reference data in one transaction; returns what the answer shows. */
  change(sql: Sql, request: Request<Params, Body>, desk: Desk): Promise<object>
}

interface PageRoute<Row, Sought extends TSchema>
  extends Omit<Route<TSchema, TSchema>, 'response' | 'refusals'> {
  readonly querystring: Sought
  readonly item: TSchema
  /** The first `most` rows of the list. */
  find(query: Static<Sought>, desk: Desk, most: number): Promise<readonly Row[]>
  present(row: Row): object
}

export class DeskRoutes {
  readonly #app: FastifyInstance
  readonly #deps: OfDesk

  constructor(app: FastifyInstance, deps: OfDesk) {
    this.#app = app
    this.#deps = deps
  }

  /** Registers a GET that operators and auditors may call. */
  read<Params extends TSchema>(path: string, { answer, ...route }: ReadRoute<Params>): void {
    this.#app.get<Sent<Params, TSchema>>(path, described('read', route), async (request, reply) =>
      send(reply, success(await answer(request, this.#deps.desk))),
    )
  }

  /** Registers a GET of a list, which is compressed when it is long. */
  list<Params extends TSchema>(path: string, { answer, ...route }: ReadRoute<Params>): void {
    this.#app.get<Sent<Params, TSchema>>(path, described('read', route), async (request, reply) =>
      sendList(request, reply, success(await answer(request, this.#deps.desk))),
    )
  }

  /** Registers a GET of a list, which is read a page at a time. */
  page<Row, Sought extends TSchema>(
    path: string,
    { item, find, present, ...route }: PageRoute<Row, Sought>,
  ): void {
    this.list(path, {
      config: { checkQuery: checkLimit },
      ...route,
      response: ListOf(item),
      refusals: ['invalid_query_parameter'],
      async answer({ query }, desk) {
        const limit = readLimit(query)
        // One more than is shown tells whether there are more.
        const found = await find(query as Static<Sought>, desk, limit + 1)
        return listed(found.slice(0, limit).map(present), found.length > limit)
      },
    })
  }

  /** Registers a route that writes, and that only operators may call. */
  write<Params extends TSchema, Body extends TSchema>(
    path: string,
    { answer, method = 'POST', nothing, ...route }: WriteRoute<Params, Body>,
  ): void {
    this.#app.route<Sent<Params, Body>>({
      method,
      url: path,
      ...described('write', nothing === undefined ? route : saysNothing(route, nothing)),
      handler: async (request, reply) => send(reply, await answer(request, this.#deps.desk)),
    })
  }

  /** Registers a write of reference data. A repeat of its key gets the first answer again. */
  change<Params extends TSchema, Body extends TSchema>(
    path: string,
    { act, anew, change, ...route }: ChangeRoute<Params, Body>,
  ): void {
    this.write<Params, Body>(path, {
      ...route,
      idempotent: anew !== true,
      answer(request, desk) {
        const call = anew ? callAnew(request, act) : callOf(request, act)
        return desk.changeOnce(call, sql => change(sql, request, desk))
      },
    })
  }
}

function described(may: 'read' | 'write', route: Route<TSchema, TSchema>) {
  const { config, response, refusals = [], ...docs } = route
  const names = route.params === undefined ? [] : (['not_found'] as const)
  return {
    config: { scope: `installation_${may}` as const, ...config },
    schema: operationDocs({
      ...docs,
      response: Envelope(response),
      refusals: [...names, ...refusals],
    }),
  }
}

function saysNothing(route: Route<TSchema, TSchema>, title: string) {
  const body = Closed({}, { title, type: ['object', 'null'] })
  return { ...route, body, config: { ...route.config, optionalBody: true } }
}

/** The answer of a list; by default the list is whole. */
export function listed(results: readonly object[], has_more = false) {
  return { object: 'list', has_more, results }
}

/** The schema of an answer with a whole list. */
export function WholeList<Item extends TSchema>(
  item: Item,
  names: { readonly title: string; readonly description: string },
) {
  return Type.Object(
    { object: Type.Literal('list'), has_more: Type.Literal(false), results: Type.Array(item) },
    names,
  )
}
