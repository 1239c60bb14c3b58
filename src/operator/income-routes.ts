// GET /v3/operator/account/{id}/income and /v3/operator/income: what an account, or all live
// accounts, have earned the installation, from their books.
import { Closed, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { accountNamed } from './accounts.ts'
import { INCOME_DAYS, type Income, type IncomeCounter } from './income.ts'
import type { OperatorRoutes } from './operator-routes.ts'
import { AccountPath } from './request.ts'

/** How long a caller waits. The first sums of an account with millions of payouts take longer. */
const WAIT_MS = 2000

interface Needs {
  readonly income: IncomeCounter
}

const Minor = (description: string) => Type.String({ pattern: '^-?\\d+$', description })

export const IncomeResponse = Closed(
  {
    day: Type.String({
      format: 'date',
      description: 'The day in UTC, by the clock of the account.',
    }),
    currency: Type.String(),
    fees: Minor('Fees of payouts less those given back, in minor units, as text.'),
    fx: Minor('Income from conversions, by spread and rounding, in minor units, as text.'),
  },
  { title: 'Income' },
)

export const IncomeList = Type.Object(
  {
    object: Type.Literal('list'),
    has_more: Type.Literal(false),
    complete: Type.Boolean({
      description: 'False while the process still sums up the first days: ask again in a moment.',
    }),
    results: Type.Array(IncomeResponse),
  },
  {
    title: 'IncomeList',
    description: 'Oldest first, without the days and currencies that have no income.',
  },
)

export const AllIncomeResponse = Type.Object(
  {
    counted_at: textOrNull({ format: 'date-time' }),
    results: Type.Array(IncomeResponse),
  },
  { title: 'AllIncome', description: 'The income of all live accounts, oldest day first.' },
)

export function incomeRoutes(routes: OperatorRoutes, deps: Needs): void {
  routes.read('/v3/operator/income', {
    operationId: 'listAllIncome',
    summary: `Show the income from all live accounts by day, for ${INCOME_DAYS} days.`,
    description:
      'The income as a process that settles payouts counts it every hour. A process without ' +
      'figures answers with `counted_at` null.',
    response: AllIncomeResponse,
    async answer() {
      const { counted_at = null, results = [] } = deps.income.all ?? {}
      return { counted_at, results: results.map(presentIncome) }
    },
  })
  routes.read('/v3/operator/account/:id/income', {
    operationId: 'listIncome',
    summary: `Show the income from an account by day, for ${INCOME_DAYS} days.`,
    description:
      'The figures are sums of the postings to `fees` and `fx_income` in the book of the ' +
      'account. A payout that fails or is reversed subtracts its income on that day.',
    params: AccountPath,
    response: IncomeList,
    async answer({ params }, { audit }) {
      await accountNamed(audit, params.id)
      const { complete, results } = await deps.income.of(params.id, WAIT_MS)
      const list = { object: 'list', has_more: false, complete }
      return { ...list, results: results.map(presentIncome) }
    },
  })
}

function presentIncome({ day, currency, fees, fx }: Income) {
  return { day, currency, fees: fees.toString(), fx: fx.toString() }
}
