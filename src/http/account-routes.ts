// Registers the routes of accounts: who may call them, what openapi.json says about them, and how
// their answers are sent. Knows no resource.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { MAX_WAIT_MS } from '../engine/late.ts'
import type { Reads } from '../engine/reads.ts'
import type { TransactionSql } from '../sql/connect.ts'
import type { Page, Wanted } from '../sql/page.ts'
import { bare, claimOf, send, sendList, sendTagged, success } from './answer.ts'
import type { OperationDocs } from './docs.ts'
import type { PresentAll } from './fit.ts'
import type { Claim, Reply } from './idempotency/kept-reply.ts'
import { checkList, ListOf, type ListQuery, presentListWith, readList } from './list.ts'
import { addRoute, type RouteDocs } from './route.ts'

interface Sent<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  Params: Static<Params>
  Querystring: Static<Query>
  Body: Static<Body>
}

interface Route<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends RouteDocs {
  readonly params?: Params
  readonly querystring?: Query
  readonly body?: Body
}

interface ReadRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends Route<Params, Query, Body> {
  /**
   * How long the caller may keep the answer, in seconds. Undefined: it has data of the account, and
   * no cache keeps it.
   */
  readonly max_age_s?: number
  answer(request: FastifyRequest<Sent<Params, Query, Body>>): Promise<object>
}

interface WriteRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends Route<Params, Query, Body> {
  /** `claim` reads the claim that the request makes by its Idempotency-Key. */
  answer(
    request: FastifyRequest<Sent<Params, Query, Body>>,
    claim: () => Claim | null,
  ): Promise<{ readonly reply: Reply }>
}

interface PageRoute<Row> extends Omit<OperationDocs, 'response' | 'refusals'> {
  readonly item: TSchema
  /** Reasons of refusals, besides those of every list. */
  readonly refusals?: OperationDocs['refusals']
  /** Undefined when the cursor names no object of the account. */
  find(tx: TransactionSql, account_id: string, wanted: Wanted): Promise<Page<Row> | undefined>
  present(rows: readonly Row[], query: ListQuery): ReturnType<PresentAll<Row>>
}

/** A page that is presented in the transaction that finds it, and so in one snapshot. */
interface SnapshotRoute<Row> extends Omit<PageRoute<Row>, 'present'> {
  presentIn(tx: TransactionSql, rows: readonly Row[]): Promise<readonly object[]>
}

export class AccountRoutes {
  readonly #app: FastifyInstance
  readonly #deps: Pick<Reads, 'read'>

  constructor(app: FastifyInstance, deps: Pick<Reads, 'read'>) {
    this.#app = app
    this.#deps = deps
  }

  /** Registers a GET. */
  read<Params extends TSchema, Query extends TSchema>(
    path: string,
    { answer, max_age_s, ...route }: ReadRoute<Params, Query, TSchema>,
  ): void {
    const replyOf = route.bare ? bare : success
    addRoute<Sent<Params, Query, TSchema>>(this.#app, path, 'read', {
      ...route,
      async send(request, reply) {
        const result = replyOf(await answer(request))
        if (max_age_s !== undefined) {
          void reply.header('cache-control', `private, max-age=${max_age_s}`)
        }
        return route.tagged ? sendTagged(request, reply, result) : send(reply, result)
      },
    })
  }

  /** Registers a GET of a list, which answers a page at a time. */
  page<Row>(path: string, { find, present, ...route }: PageRoute<Row>): void {
    this.#list(path, route, async (account_id, wanted, query) => {
      const page = await this.#deps.read(account_id, (tx, id) => find(tx, id, wanted))
      return presentListWith(page, wanted, rows => present(rows, query))
    })
  }

  /** As `page`, for objects that are read in the snapshot of the page. */
  snapshotPage<Row>(path: string, { find, presentIn, ...route }: SnapshotRoute<Row>): void {
    this.#list(path, route, (account_id, wanted) =>
      this.#deps.read(account_id, async (tx, id) => {
        const page = await find(tx, id, wanted)
        return presentListWith(page, wanted, rows => presentIn(tx, rows))
      }),
    )
  }

  #list(
    path: string,
    { item, refusals = [], ...docs }: Omit<PageRoute<unknown>, 'find' | 'present'>,
    list: (account_id: string, wanted: Wanted, query: ListQuery) => Promise<object>,
  ): void {
    addRoute<{ Querystring: ListQuery }>(this.#app, path, 'read', {
      ...docs,
      config: { checkQuery: checkList },
      response: ListOf(item),
      refusals: ['invalid_query_parameter', ...refusals],
      async send(request, reply) {
        const { account, query } = request
        const answer = success(await list(account.account_id, readList(query), query))
        return sendList(request, reply, answer)
      },
    })
  }

  /**
   * Registers a POST that only reads: its body is a query. It answers within MAX_WAIT_MS, even when
   * the database is silent. Checks only the form of an Idempotency-Key.
   */
  ask<Body extends TSchema>(
    path: string,
    { answer, ...route }: ReadRoute<TSchema, TSchema, Body>,
  ): void {
    addRoute<Sent<TSchema, TSchema, Body>>(this.#app, path, 'read', {
      ...route,
      method: 'POST',
      options: { handlerTimeout: MAX_WAIT_MS },
      async send(request, reply) {
        claimOf(request, `POST ${path}`)
        return send(reply, success(await answer(request)))
      },
    })
  }

  /** Registers a route that writes, by a command of a lane. */
  write<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
    path: string,
    { answer, method = 'POST', ...route }: WriteRoute<Params, Query, Body>,
  ): void {
    addRoute<Sent<Params, Query, Body>>(this.#app, path, 'write', {
      ...route,
      method,
      async send(request, reply) {
        const claim = () => claimOf(request, `${method} ${calledPath(path, request.params)}`)
        return send(reply, (await answer(request, claim)).reply)
      },
    })
  }
}

/** The path with the values of its parameters, without the query. */
function calledPath(path: string, params: unknown): string {
  const values = params as Readonly<Record<string, string>>
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '')
}
