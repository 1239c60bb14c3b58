// Makes the routes of the operator API, of actions or by hand.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { send, sendList, success } from '../http/answer.ts'
import { checkConfirmed } from '../http/authenticate.ts'
import { ownOrigin } from '../http/browser.ts'
import { fitPage } from '../http/fit.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { ListOf } from '../http/list.ts'
import { addRoute, type RouteDocs } from '../http/route.ts'
import { emptyBody } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { PricingAt } from '../prices/price.ts'
import type { Page } from '../sql/page.ts'
import { refusal } from '../values/errors.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import {
  type Acting,
  type Action,
  type OperatorWrites,
  type Paging,
  pageOf,
  type Reading,
  type Writing,
} from './action.ts'
import {
  type Call,
  callOf,
  callWithoutClaim,
  type NeedsOperators,
  type OperatorConnections,
  operatorOf,
} from './connections.ts'
import { checkLimit, checkWords, type Query, readLimit } from './request.ts'

export interface NeedsPrices {
  readonly reference: { pricing(price_version: bigint | null): Promise<PricingAt> }
}

export function actionRoutes(
  routes: OperatorRoutes,
  deps: NeedsPrices,
  actions: readonly Action[],
): void {
  for (const action of actions) {
    if (action.kind === 'read') readRoute(routes, action)
    else if (action.kind === 'page') pageRoute(routes, action)
    else writeRoute(routes, deps, action)
  }
}

function readRoute(routes: OperatorRoutes, action: Reading): void {
  const { path, list, operationId, summary, description, params, query, refusals } = action
  const route = {
    ...{ operationId, summary },
    ...omitUndefined({ description, params, querystring: query, refusals }),
  }
  const find = async (request: FastifyRequest, { audit }: OperatorConnections) => {
    const found = await action.find(audit, inputOf(request, request.query))
    return action.present === undefined ? found : action.present(found)
  }
  if (list === undefined) {
    routes.read(path, {
      ...route,
      response: action.response,
      answer: async (request, operators) => (await find(request, operators)) as object,
    })
  } else {
    routes.list(path, {
      ...route,
      response: list === true ? ListOf(action.response) : WholeList(action.response, list),
      answer: async (request, operators) =>
        listAnswer((await find(request, operators)) as object[]),
    })
  }
}

function pageRoute(routes: OperatorRoutes, action: Paging): void {
  const { path, operationId, summary, description, query, response } = action
  routes.page(path, {
    ...{ operationId, summary, querystring: query, item: response },
    ...omitUndefined({ description }),
    find: (asked, { audit }, limit) => action.find(audit, asked, limit),
    present: row => action.present(row),
  })
}

function writeRoute(routes: OperatorRoutes, deps: NeedsPrices, action: Writing): void {
  const { path, operationId, summary, description, params, body, emptyBody } = action
  const { method, response, refusals, asksPassword, ofSession, actsAgain, maxBytes } = action
  routes.write(path, {
    ...{ operationId, summary, response },
    idempotent: actsAgain !== true,
    config: {
      check: checkWords,
      ...omitUndefined({ asksPassword, ofSession }),
    },
    ...(maxBytes !== undefined && { options: { bodyLimit: maxBytes } }),
    ...omitUndefined({ method, description, params, body, emptyBody, refusals }),
    answer(request, operators) {
      const input = inputOf(request, request.body)
      return action.run(actingOf(operators, deps, request, action, input), input)
    },
  })
}

/** The members of the query or body, and of the path. */
function inputOf(request: FastifyRequest, members: unknown): object {
  return { ...(members as object | null), ...(request.params as object) }
}

function actingOf(
  operators: OperatorConnections,
  { reference }: NeedsPrices,
  request: FastifyRequest,
  action: Writing,
  input: object,
): Acting<Reply> {
  const act = action.act?.(input) ?? action.name
  const call = action.actsAgain === true ? callWithoutClaim(request, act) : callOf(request, act)
  return {
    operator: operatorOf(request),
    audit: operators.audit,
    kept: async () =>
      call.claim === null ? null : operators.changeOnceOrNull(call, () => Promise.resolve(null)),
    keptOf: account_id => operators.keptAnswer(call, account_id),
    change: work => operators.changeOnce(call, work),
    changeIfAny: work => operators.changeOnceOrNull(call, work),
    run: write => operators.run(call.author, write),
    show: success,
    runShown: (operation, command, present) => operators.runOnce(call, operation, command, present),
    ...writesOf(operators, call),
    pricing: version => reference.pricing(version),
    askPassword: () => checkConfirmed(request),
    askOther(user) {
      if (operatorOf(request).name !== user) return
      const message = 'What you may yourself is changed by another operator.'
      throw refusal('insufficient_scope', message)
    },
    origin: () => ownOrigin(request),
    say() {},
    warn() {},
  }
}

export function writesOf(operators: OperatorConnections, call: Call): OperatorWrites<Reply> {
  return {
    write: (write, { answer }) => operators.answer(call, write, answer),
    longWrite: (write, { answer }) => operators.answerLong(call, write, answer),
  }
}

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
  const body = emptyBody(title)
  return { ...route, body, config: { ...route.config, optionalBody: true } }
}

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
