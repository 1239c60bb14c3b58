// GET /v3/balance_transaction, GET /v3/balance_transaction/{id} and GET /v3/balance.
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { found, refusal } from '../errors.ts'
import { send } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { success } from '../http/envelope.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { type Instant, instantFromIso } from '../instant.ts'
import { listBalances } from '../ledger/store.ts'
import { listBalancesAsOf, listBalanceTransactions } from './store.ts'
import {
  BalanceQuery,
  BalanceResponse,
  BalanceTransactionQuery,
  BalanceTransactionResponse,
  presentBalance,
  presentBalanceTransaction,
} from './wire.ts'

export function balanceTransactionRoutes(app: FastifyInstance, deps: Deps): void {
  listRoute(app, deps)
  getRoute(app, deps)
  balanceRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: Deps): void {
  app.get<{ Querystring: ListQuery }>(
    '/v3/balance_transaction',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listBalanceTransactions',
        summary: 'List the lines of the statement, newest first.',
        description: 'In the order of the book, in which each line found the balance it moved.',
        querystring: BalanceTransactionQuery,
        response: Envelope(ListOf(BalanceTransactionResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      const page = await listBalanceTransactions(deps.sql, request.account.account_id, wanted)
      return send(reply, success(presentList(page, wanted, presentBalanceTransaction)))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Deps): void {
  app.get<{ Params: { id: string } }>(
    '/v3/balance_transaction/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getBalanceTransaction',
        summary: 'Fetch one movement on a balance.',
        params: pathId('btr'),
        response: Envelope(BalanceTransactionResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const line = await deps.readers.balanceTransaction({ account_id, id: request.params.id })
      return send(reply, success(presentBalanceTransaction(found(line))))
    },
  )
}

function balanceRoute(app: FastifyInstance, deps: Deps): void {
  app.get<{ Querystring: { as_of?: string } }>(
    '/v3/balance',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getBalance',
        summary: 'The balance in each currency, now or as of an instant.',
        querystring: BalanceQuery,
        response: Envelope(BalanceResponse),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const { as_of } = request.query
      const balances =
        as_of === undefined
          ? await listBalances(deps.sql, account_id)
          : await listBalancesAsOf(deps.sql, account_id, readInstant(as_of))
      return send(reply, success(presentBalance(balances, lastUpdate(balances))))
    },
  )
}

function readInstant(text: string): Instant {
  const instant = instantFromIso(text)
  if (instant !== undefined) return instant
  const message = 'as_of is an ISO 8601 time with an offset, such as 2026-01-31T09:30:00Z.'
  throw refusal('invalid_query_parameter', message, 'as_of')
}

/** The newest movement among the balances shown. */
function lastUpdate(balances: readonly { readonly updated_at: string }[]): string {
  return balances.map(balance => balance.updated_at).reduce((a, b) => (a > b ? a : b), '')
}
