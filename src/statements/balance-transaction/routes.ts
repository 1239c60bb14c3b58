// GET /v3/balance_transaction, as JSON or as CSV, GET /v3/balance_transaction/{id} and GET
// /v3/balance.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Account } from '../../accounts/rules.ts'
import type { Finds, Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { sendList, success } from '../../http/answer.ts'
import { pathId } from '../../http/docs.ts'
import { type Expansions, expandAll } from '../../http/expand.ts'
import {
  checkList,
  type ExpandingListQuery,
  ListOf,
  type ListQuery,
  presentListWith,
  readList,
} from '../../http/list.ts'
import { addRoute } from '../../http/route.ts'
import { listBalances } from '../../ledger/store.ts'
import type { Filters, Wanted } from '../../sql/page.ts'
import { found, invalidParameter, refusal, refuseIfAny } from '../../values/errors.ts'
import type { Key } from '../../values/id.ts'
import { type Instant, instantFromIso } from '../../values/instant.ts'
import type { BalanceTransaction } from './balance-transaction.ts'
import { BalanceQuery, BalanceTransactionQuery, LineExpandQuery } from './request.ts'
import {
  BalanceResponse,
  ExpandableLine,
  payoutOf,
  presentBalance,
  presentBalanceTransaction,
} from './response.ts'
import { type Needs as Files, prefersCsv, statementsOf } from './statement/http.ts'
import { statementRoutes } from './statement/routes.ts'
import { listBalancesAsOf, listBalanceTransactions } from './store.ts'

interface Needs extends Reads, Files {
  readonly readers: { readonly balanceTransaction: Finds<BalanceTransaction> }
}

/**
 * The parts of payouts, a higher room, that this room needs: their schema, and a payout as its GET
 * answers.
 */
export interface Payouts {
  readonly schema: TSchema
  find(key: Key): Promise<object | undefined>
}

export function balanceTransactionRoutes(
  app: FastifyInstance,
  routes: AccountRoutes,
  deps: Needs,
  payouts: Payouts,
): void {
  const line = ExpandableLine(payouts.schema)
  const expansions: Expansions<BalanceTransaction> = {
    payout: async line => {
      const id = payoutOf(line)
      return id === '' ? undefined : payouts.find({ account_id: line.account_id, id })
    },
  }
  listRoute(app, deps, line, expansions)
  getRoute(routes, deps, line, expansions)
  balanceRoute(routes, deps)
  statementRoutes(app, deps)
}

function listRoute(
  app: FastifyInstance,
  deps: Needs,
  line: TSchema,
  expansions: Expansions<BalanceTransaction>,
): void {
  addRoute<{ Querystring: ExpandingListQuery }>(app, '/v3/balance_transaction', 'read', {
    config: { checkQuery: checkList },
    operationId: 'listBalanceTransactions',
    summary: 'List the lines of the statement, newest first.',
    description:
      'The lines are in the order in which the book moved the balances. With `Accept: ' +
      'text/csv` the whole range is streamed as a statement, oldest first, between rows ' +
      'of its opening and closing balances. The statement has no pages, so that ' +
      '`limit`, `starting_after`, `ending_before`, `payout` and `expand` are refused.',
    querystring: BalanceTransactionQuery,
    response: ListOf(line),
    alternative: { media: 'text/csv', description: 'The statement, with a header row.' },
    refusals: ['invalid_query_parameter'],
    async send(request, reply) {
      const wanted = readList(request.query)
      refuseTwoSources(wanted.filters)
      if (prefersCsv(request.headers.accept)) {
        refusePaging(request.query)
        refuseMixedSources(wanted.filters)
        return sendCsv(deps, reply, request.account, wanted)
      }
      void reply.header('vary', 'accept')
      const page = await deps.read(request.account.account_id, (tx, id) =>
        listBalanceTransactions(tx, id, wanted),
      )
      const list = await presentListWith(page, wanted, rows =>
        expandAll(rows, request.query, expansions, presentBalanceTransaction),
      )
      return sendList(request, reply, success(list))
    },
  })
}

/** Refuses `payout` together with `source`, because `payout` stands for its lines' sources. */
function refuseTwoSources({ payout, source }: Filters): void {
  if (payout === undefined || source === undefined) return
  throw refusal('invalid_query_parameter', 'Send either payout or source.', 'payout')
}

const PAGING = ['limit', 'starting_after', 'ending_before', 'payout', 'expand'] as const

/** Refuses paging, because a part of a statement does not lead to its closing balance. */
function refusePaging(query: ListQuery): void {
  const sent = PAGING.filter(name => query[name] !== undefined)
  refuseIfAny(
    sent.map(name => {
      const message =
        `A CSV statement has every line of its range: leave ${name} out, and choose lines by ` +
        'created and the other filters.'
      return invalidParameter(name, message)
    }),
  )
}

/** Refuses sources of both kinds, because a statement reads its lines by one index. */
function refuseMixedSources({ source = [] }: Filters): void {
  if (new Set(source.map(id => id.startsWith('btr_'))).size < 2) return
  const message = 'For CSV, send either balance transactions or other sources as source, not both.'
  throw refusal('invalid_query_parameter', message, 'source')
}

function sendCsv(deps: Needs, reply: FastifyReply, account: Account, wanted: Wanted) {
  const { account_id, name } = account
  const { above, below, filters } = wanted
  const period = {
    format: 'csv',
    name,
    wanted: { account_id, zone: 'UTC', above, below, filters },
  } as const
  return statementsOf(deps).send(reply, period)
}

function getRoute(
  routes: AccountRoutes,
  deps: Needs,
  line: TSchema,
  expansions: Expansions<BalanceTransaction>,
): void {
  routes.read('/v3/balance_transaction/:id', {
    operationId: 'getBalanceTransaction',
    summary: 'Fetch one movement on a balance.',
    params: pathId('btr'),
    querystring: LineExpandQuery,
    response: line,
    tagged: true,
    refusals: ['not_found', 'invalid_query_parameter'],
    async answer({ account: { account_id }, params: { id }, query }) {
      const rows = [found(await deps.readers.balanceTransaction({ account_id, id }))]
      const [shown = {}] = await expandAll(rows, query, expansions, presentBalanceTransaction)
      return shown
    },
  })
}

function balanceRoute(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/balance', {
    operationId: 'getBalance',
    summary: 'The balance in each currency, now or as of an instant.',
    querystring: BalanceQuery,
    response: BalanceResponse,
    refusals: ['invalid_query_parameter'],
    async answer({ account: { account_id }, query: { as_of } }) {
      const at = as_of === undefined ? undefined : readInstant(as_of)
      const balances = await deps.read(account_id, tx =>
        at === undefined ? listBalances(tx, account_id) : listBalancesAsOf(tx, account_id, at),
      )
      return presentBalance(balances, lastUpdate(balances))
    },
  })
}

function readInstant(text: string): Instant {
  const instant = instantFromIso(text)
  if (instant !== undefined) return instant
  const message = 'as_of is an ISO 8601 time with an offset, such as 2026-01-31T09:30:00Z.'
  throw refusal('invalid_query_parameter', message, 'as_of')
}

/** The time of the newest movement of these balances. */
function lastUpdate(balances: readonly { readonly updated_at: string }[]): string {
  return balances.map(balance => balance.updated_at).reduce((a, b) => (a > b ? a : b), '')
}
