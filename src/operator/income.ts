// What accounts have earned the installation, by day and month of UTC and by currency. For live
// accounts these are the sums of days of the house's books. A sandbox has none: its newest journals
// are summed up.
import { Closed } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { sql as part } from '../sql/sql.ts'
import type { OperatorRoutes } from './action-routes.ts'
import { accountNamed } from './operator-write.ts'
import { AccountPath } from './request.ts'

export const INCOME_DAYS = 30
/** The present month included. */
export const INCOME_MONTHS = 12
/** The most journals of a sandbox that are summed up, so that the statement ends in time. */
const SANDBOX_JOURNALS = 100_000

/** Minor units. */
interface Income {
  /** A day of UTC, by the clock of the account; or a month. */
  readonly day: string
  readonly currency: string
  readonly fees: bigint
  readonly fx: bigint
}

const FEES = part`coalesce(sum(p.amount) filter (where p.code = 'fees'), 0)::bigint as fees,
  coalesce(sum(p.amount) filter (where p.code = 'fx_income'), 0)::bigint as fx`

/** Of one live account, or of all; oldest first. */
function sumDays(sql: Sql, account_id: string | undefined): Source {
  const whose = account_id === undefined ? part`true` : part`account_id = ${account_id}`
  return (format, from) => sql<Income[]>`
    select to_char(day, ${format}) as day, currency, ${FEES} from account_days p
    where ${whose} and code in ('fees', 'fx_income') and day >= ${from}::date
    group by 1, 2 order by 1, 2`
}

function sumSandbox(sql: Sql, account_id: string): Source {
  return (format, from) => sql<Income[]>`
    select to_char(j.created_at at time zone 'UTC', ${format}) as day, p.currency, ${FEES}
    from books b
    join journals j on j.account_id = b.account_id and j.account_id = ${account_id}
      and j.number > b.journal_count - ${SANDBOX_JOURNALS}::bigint
    cross join unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '), j.amounts)
      as p (code, currency, amount)
    where b.account_id = ${account_id} and p.code in ('fees', 'fx_income')
      and j.created_at >= ${from}::date::timestamp at time zone 'UTC'
    group by 1, 2 order by 1, 2`
}

type Source = (format: string, from: string) => Promise<readonly Income[]>

/** The last INCOME_DAYS and INCOME_MONTHS. */
async function incomeOf(sql: Sql, source: Source) {
  const today = new Date((await databaseNow(sql)).slice(0, 10))
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()]
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const firstDay = text(Date.UTC(year, month, today.getUTCDate() - INCOME_DAYS + 1))
  const firstMonth = text(Date.UTC(year, month - INCOME_MONTHS + 1))
  return presentAll({
    results: await source('YYYY-MM-DD', firstDay),
    months: await source('YYYY-MM', firstMonth),
  })
}

const Minor = (description: string) => Type.String({ pattern: '^-?\\d+$', description })

export const IncomeResponse = Closed(
  {
    day: Type.String({
      format: 'date',
      description: 'The day in UTC, by the clock of the account.',
    }),
    currency: Type.String(),
    fees: Minor('Fees less those given back, in minor units, as text.'),
    fx: Minor('Income from conversions, by spread and rounding, in minor units, as text.'),
  },
  { title: 'Income' },
)

export const MonthResponse = Closed(
  {
    month: Type.String({ pattern: '^\\d{4}-\\d\\d$', description: 'A month of UTC.' }),
    currency: Type.String(),
    fees: Minor('As those of a day.'),
    fx: Minor('As that of a day.'),
  },
  { title: 'MonthIncome' },
)
const Months = Type.Array(MonthResponse, {
  description: `The last ${INCOME_MONTHS} months, the present one included, oldest first.`,
})

export const AccountIncome = Closed(
  { results: Type.Array(IncomeResponse), months: Months },
  {
    title: 'IncomeByDay',
    description: 'Oldest first, without the days and currencies that have no income.',
  },
)

export function incomeRoutes(routes: OperatorRoutes): void {
  routes.read('/v3/operator/income', {
    operationId: 'getAllIncome',
    summary: `Show the income from all live accounts by day, for ${INCOME_DAYS} days.`,
    description: 'The sums of the house’s books, which follow the accounts within seconds.',
    response: AccountIncome,
    answer: (_request, { audit }) => incomeOf(audit, sumDays(audit, undefined)),
  })
  routes.read('/v3/operator/account/:id/income', {
    operationId: 'getIncome',
    summary: `Show the income from an account by day, for ${INCOME_DAYS} days.`,
    description:
      'The figures are sums of the postings to `fees` and `fx_income` in the book of the ' +
      'account. A payout that fails or is reversed subtracts its income on that day. Of a ' +
      `sandbox the newest ${SANDBOX_JOURNALS} journals count.`,
    params: AccountPath,
    response: AccountIncome,
    async answer({ params: { id } }, { audit }) {
      const { sandbox } = await accountNamed(audit, id)
      return incomeOf(audit, sandbox ? sumSandbox(audit, id) : sumDays(audit, id))
    },
  })
}

function presentAll({
  results,
  months,
}: Readonly<Record<'results' | 'months', readonly Income[]>>) {
  return {
    results: results.map(presentIncome),
    months: months.map(of => {
      const { day: month, ...income } = presentIncome(of)
      return { month, ...income }
    }),
  }
}

function presentIncome({ day, currency, fees, fx }: Income) {
  return { day, currency, fees: fees.toString(), fx: fx.toString() }
}
