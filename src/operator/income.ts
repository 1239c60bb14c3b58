// Sums what accounts have earned the installation, by day, month and currency. Journals never
// change, so a process keeps its sums in memory and adds newer journals. No row of the books has
// the sums.
import { setTimeout as delay } from 'node:timers/promises'
import { Closed, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { numberAt } from '../statements/balance-transaction/store.ts'
import { DAY_MS, type Instant, instantFromIso } from '../values/instant.ts'
import type { OperatorRoutes } from './action-routes.ts'
import { accountNamed } from './operator-write.ts'
import { AccountPath } from './request.ts'

export const INCOME_DAYS = 30
/** The present month included. */
export const INCOME_MONTHS = 12
/** The most journals that one statement reads, so that it ends before its time limit. */
const JOURNALS_PER_READ = 20_000n

export interface Income {
  /** A day of UTC, by the clock of the account. */
  readonly day: string
  readonly currency: string
  readonly fees: bigint
  readonly fx: bigint
}

interface AccountSums {
  /** The number of the last journal in the sums. */
  last: bigint
  readonly sums: Map<string, Income>
  /** Each `day` is a month, such as `2026-11`. */
  readonly months: Map<string, Income>
}

export interface AllIncome {
  readonly counted_at: Instant
  readonly results: readonly Income[]
  readonly months: readonly Income[]
}

export class IncomeCounter {
  readonly #audit: Sql
  readonly #accounts = new Map<string, AccountSums>()
  /** Readings run one after the other: each adds newer journals. */
  readonly #reading = new Map<string, Promise<void>>()
  /** The last count of all live accounts; null before the first count. */
  all: AllIncome | null = null

  constructor(audit: Sql) {
    this.#audit = audit
  }

  /**
   * The last INCOME_DAYS and INCOME_MONTHS, oldest first; not `complete` if it took longer than
   * `wait_ms`.
   */
  async of(account_id: string, wait_ms = Number.POSITIVE_INFINITY) {
    const reading = this.#readInTurn(account_id).then(() => true)
    const complete =
      wait_ms === Number.POSITIVE_INFINITY
        ? await reading
        : await Promise.race([reading, delay(wait_ms, false, { ref: false })])
    reading.catch(() => {})
    const { sums, months } = this.#accounts.get(account_id) ?? NOTHING
    return { complete, results: inOrder(sums.values()), months: inOrder(months.values()) }
  }

  #readInTurn(account_id: string): Promise<void> {
    const before = this.#reading.get(account_id) ?? Promise.resolve()
    const next = before.catch(() => {}).then(() => this.#readNewer(account_id))
    this.#reading.set(account_id, next)
    return next
  }

  /** Sums up these accounts into `all`, unless it is stopped before the last one. */
  async countAll(accounts: readonly string[], isStopped = () => false): Promise<void> {
    const counted_at = instantFromIso(new Date().toISOString()) as Instant
    const sums = new Map<string, Income>()
    const ofMonths = new Map<string, Income>()
    for (const account_id of accounts) {
      if (isStopped()) return
      const { results, months } = await this.of(account_id)
      for (const income of results) add(sums, income)
      for (const income of months) add(ofMonths, income)
    }
    const months = inOrder(ofMonths.values())
    this.all = { counted_at, results: inOrder(sums.values()), months }
  }

  /** Adds the newer journals to the sums, and drops older days and months than those shown. */
  async #readNewer(account_id: string): Promise<void> {
    const today = Math.trunc(Date.now() / DAY_MS) * DAY_MS
    const first = new Date(today - (INCOME_DAYS - 1) * DAY_MS).toISOString()
    const firstMonth = monthsBefore(new Date(today), INCOME_MONTHS - 1)
    const since = `${firstMonth}-01T00:00:00.000Z`
    const own = this.#accounts.get(account_id) ?? (await this.#begin(account_id, since))
    const [book] = await this.#audit<{ journal_count: bigint }[]>`
      select journal_count from books where account_id = ${account_id}`
    const end = book?.journal_count ?? 0n
    while (own.last < end) {
      const to = own.last + JOURNALS_PER_READ < end ? own.last + JOURNALS_PER_READ : end
      const rows = await sumIncome(this.#audit, account_id, { after: own.last, to })
      for (const income of rows) {
        if (income.day >= first.slice(0, 10)) add(own.sums, income)
        add(own.months, { ...income, day: income.day.slice(0, 7) })
      }
      own.last = to
    }
    for (const [key, { day }] of own.sums) {
      if (day < first.slice(0, 10)) own.sums.delete(key)
    }
    for (const [key, { day }] of own.months) if (day < firstMonth) own.months.delete(key)
  }

  async #begin(account_id: string, since: string): Promise<AccountSums> {
    const created_at = instantFromIso(since) as Instant
    const first = await numberAt(this.#audit, account_id, { created_at, side: 'before' })
    const last = BigInt(first) - 1n
    const own: AccountSums = { last, sums: new Map(), months: new Map() }
    this.#accounts.set(account_id, own)
    return own
  }
}

const NOTHING: AccountSums = { last: 0n, sums: new Map(), months: new Map() }

/** `2025-12` for 11 months before November 2026. */
function monthsBefore(day: Date, months: number): string {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months))
    .toISOString()
    .slice(0, 7)
}

function inOrder(all: Iterable<Income>): Income[] {
  const place = ({ day, currency }: Income) => `${day} ${currency}`
  return [...all].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

function add(sums: Map<string, Income>, { day, currency, fees, fx }: Income): void {
  const key = `${day} ${currency}`
  const before = sums.get(key) ?? { fees: 0n, fx: 0n }
  sums.set(key, { day, currency, fees: before.fees + fees, fx: before.fx + fx })
}

function sumIncome(
  sql: Sql,
  account_id: string,
  { after, to }: { readonly after: bigint; readonly to: bigint },
): Promise<Income[]> {
  return sql<Income[]>`
    select to_char(j.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, p.currency,
      coalesce(sum(p.amount) filter (where p.code = 'fees'), 0)::bigint as fees,
      coalesce(sum(p.amount) filter (where p.code = 'fx_income'), 0)::bigint as fx
    from journals j
    cross join unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '), j.amounts)
      as p (code, currency, amount)
    where j.account_id = ${account_id} and j.number > ${String(after)}::text::bigint
      and j.number <= ${String(to)}::text::bigint and p.code in ('fees', 'fx_income')
    group by 1, 2 order by 1, 2`
}

/** How long a caller waits. The first sums of an account with millions of payouts take longer. */
const WAIT_MS = 2000

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

export const IncomeList = Type.Object(
  {
    object: Type.Literal('list'),
    has_more: Type.Literal(false),
    complete: Type.Boolean({
      description: 'False while the process still sums up the first days: ask again in a moment.',
    }),
    results: Type.Array(IncomeResponse),
    months: Months,
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
    months: Months,
  },
  { title: 'AllIncome', description: 'The income of all live accounts, oldest day first.' },
)

export function incomeRoutes(routes: OperatorRoutes, deps: { income: IncomeCounter }): void {
  routes.read('/v3/operator/income', {
    operationId: 'listAllIncome',
    summary: `Show the income from all live accounts by day, for ${INCOME_DAYS} days.`,
    description:
      'The income as a process that settles payouts counts it every hour. A process without ' +
      'figures answers with `counted_at` null.',
    response: AllIncomeResponse,
    async answer() {
      const { counted_at = null, results = [], months = [] } = deps.income.all ?? {}
      return { counted_at, ...presentAll({ results, months }) }
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
      const { complete, ...income } = await deps.income.of(params.id, WAIT_MS)
      return { object: 'list', has_more: false, complete, ...presentAll(income) }
    },
  })
}

function presentAll({ results, months }: Pick<AllIncome, 'results' | 'months'>) {
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
