// Sums what accounts have earned the installation, by day and currency. Journals never change, so a
// process keeps its sums in memory and adds newer journals. No row of the books has the sums.
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
}

export interface AllIncome {
  readonly counted_at: Instant
  readonly results: readonly Income[]
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

  /** The last INCOME_DAYS, oldest first; not `complete` if it took longer than `wait_ms`. */
  async of(account_id: string, wait_ms = Number.POSITIVE_INFINITY) {
    const reading = this.#readInTurn(account_id).then(() => true)
    const complete =
      wait_ms === Number.POSITIVE_INFINITY
        ? await reading
        : await Promise.race([reading, delay(wait_ms, false, { ref: false })])
    reading.catch(() => {})
    return { complete, results: inOrder(this.#accounts.get(account_id)?.sums.values() ?? []) }
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
    for (const account_id of accounts) {
      if (isStopped()) return
      for (const income of (await this.of(account_id)).results) add(sums, income)
    }
    this.all = { counted_at, results: inOrder(sums.values()) }
  }

  /** Adds the newer journals to the sums, and drops days older than INCOME_DAYS. */
  async #readNewer(account_id: string): Promise<void> {
    const today = Math.trunc(Date.now() / DAY_MS) * DAY_MS
    const first = new Date(today - (INCOME_DAYS - 1) * DAY_MS).toISOString()
    const own = this.#accounts.get(account_id) ?? (await this.#begin(account_id, first))
    const [book] = await this.#audit<{ journal_count: bigint }[]>`
      select journal_count from books where account_id = ${account_id}`
    const end = book?.journal_count ?? 0n
    while (own.last < end) {
      const to = own.last + JOURNALS_PER_READ < end ? own.last + JOURNALS_PER_READ : end
      const rows = await sumIncome(this.#audit, account_id, { after: own.last, to })
      for (const income of rows) add(own.sums, income)
      own.last = to
    }
    for (const [key, { day }] of own.sums) {
      if (day < first.slice(0, 10)) own.sums.delete(key)
    }
  }

  async #begin(account_id: string, since: string): Promise<AccountSums> {
    const created_at = instantFromIso(since) as Instant
    const first = await numberAt(this.#audit, account_id, { created_at, side: 'before' })
    const own = { last: BigInt(first) - 1n, sums: new Map<string, Income>() }
    this.#accounts.set(account_id, own)
    return own
  }
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

export function incomeRoutes(routes: OperatorRoutes, deps: { income: IncomeCounter }): void {
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
