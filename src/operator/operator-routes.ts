// Registers the routes of the operator API: who may call them, what openapi.json says about them,
// and how the service sends their answers.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { send, sendList, success } from '../http/answer.ts'
import { fitPage } from '../http/fit.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { ListOf } from '../http/list.ts'
import { addRoute, type RouteDocs } from '../http/route.ts'
import { Closed } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Page } from '../sql/page.ts'
import { pageOf } from './action.ts'
import type { NeedsOperators, OperatorConnections } from './connections.ts'
import { checkLimit, type Query, readLimit } from './request.ts'

interface RequestParts<Params extends TSchema, Body extends TSchema> {
  Params: Static<Params>
  Querystring: Query
  Body: Static<Body>
}

type Request<Params extends TSchema, Body extends TSchema> = FastifyRequest<
  RequestParts<Params, Body>
>

interface Route<Params extends TSchema, Body extends TSchema> extends Omit<RouteDocs, 'refusals'> {
  readonly params?: Params
  readonly body?: Body
  /** The refusals besides 404 for a path with parameters. */
  readonly refusals?: RouteDocs['refusals']
}

interface ReadRoute<Params extends TSchema> extends Route<Params, TSchema> {
  answer(request: Request<Params, TSchema>, operators: OperatorConnections): Promise<object>
}

interface WriteRoute<Params extends TSchema, Body extends TSchema> extends Route<Params, Body> {
  /** The title of the schema of an empty body, which the caller may leave out. */
  readonly emptyBody?: string
  answer(request: Request<Params, Body>, operators: OperatorConnections): Promise<Reply>
}

interface PageRoute<Row, QuerySchema extends TSchema>
  extends Omit<Route<TSchema, TSchema>, 'response' | 'refusals'> {
  readonly querystring: QuerySchema
  readonly item: TSchema
  /** The page; or its rows with one more, which tells whether there are more. */
  find(
    query: Static<QuerySchema>,
    operators: OperatorConnections,
    limit: number,
  ): Promise<readonly Row[] | Page<Row>>
  present(row: Row): object
}

export class OperatorRoutes {
  readonly #app: FastifyInstance
  readonly #deps: NeedsOperators

  constructor(app: FastifyInstance, deps: NeedsOperators) {
    this.#app = app
    this.#deps = deps
  }

  /** Registers a GET that operators and auditors may call. */
  read<Params extends TSchema>(path: string, { answer, ...route }: ReadRoute<Params>): void {
    addRoute<RequestParts<Params, TSchema>>(this.#app, path, 'installation_read', {
      ...withRefusals(route),
      send: async (request, reply) =>
        send(reply, success(await answer(request, this.#deps.operators))),
    })
  }

  /** Registers a GET of a list. The service compresses a long answer. */
  list<Params extends TSchema>(path: string, { answer, ...route }: ReadRoute<Params>): void {
    addRoute<RequestParts<Params, TSchema>>(this.#app, path, 'installation_read', {
      ...withRefusals(route),
      send: async (request, reply) =>
        sendList(request, reply, success(await answer(request, this.#deps.operators))),
    })
  }

  /** Registers a GET of a list that the caller reads page by page. */
  page<Row, QuerySchema extends TSchema>(
    path: string,
    { item, find, present, ...route }: PageRoute<Row, QuerySchema>,
  ): void {
    this.list(path, {
      config: { checkQuery: checkLimit },
      ...route,
      response: ListOf(item),
      refusals: ['invalid_query_parameter'],
      async answer({ query }, operators) {
        const limit = readLimit(query)
        const page = pageOf(await find(query as Static<QuerySchema>, operators, limit), limit)
        const { rows, has_more } = await fitPage(page, 'first', some => some.map(present))
        return listAnswer(rows, has_more)
      },
    })
  }

  /** Registers a route that writes. Only operators may call it. */
  write<Params extends TSchema, Body extends TSchema>(
    path: string,
    { answer, method = 'POST', emptyBody, ...route }: WriteRoute<Params, Body>,
  ): void {
    addRoute<RequestParts<Params, Body>>(this.#app, path, 'installation_write', {
      ...withRefusals(emptyBody === undefined ? route : withEmptyBody(route, emptyBody)),
      method,
      send: async (request, reply) => send(reply, await answer(request, this.#deps.operators)),
    })
  }
}

function withRefusals({ refusals = [], ...route }: Route<TSchema, TSchema>): RouteDocs {
  const ofParams = route.params === undefined ? [] : (['not_found'] as const)
  return { ...route, refusals: [...ofParams, ...refusals] }
}

function withEmptyBody(route: Route<TSchema, TSchema>, title: string) {
  const body = Closed({}, { title, type: ['object', 'null'] })
  return { ...route, body, config: { ...route.config, optionalBody: true } }
}

/** The answer with a list, which is whole unless `has_more`. */
export function listAnswer(results: readonly object[], has_more = false) {
  return { object: 'list', has_more, results }
}

/** The schema of an answer with a whole list, which has no pages. */
export function WholeList<Item extends TSchema>(
  item: Item,
  names: { readonly title: string; readonly description: string },
) {
  return Type.Object(
    { object: Type.Literal('list'), has_more: Type.Literal(false), results: Type.Array(item) },
    names,
  )
}
