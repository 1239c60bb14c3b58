// What accounts have earned the installation, by day and currency. A process keeps its sums and
// reads on from there: journals never change. The sums are no facts of the books.
import { setTimeout as delay } from 'node:timers/promises'
import { numberAt } from '../balance-transaction/store.ts'
import type { Sql } from '../db/connect.ts'
import { DAY_MS, type Instant, instantFromIso } from '../instant.ts'

export const INCOME_DAYS = 30
/** Journals that one statement reads, so that it ends in time. */
const JOURNALS = 20_000n

export interface Income {
  /** A day of UTC, by the clock of the account. */
  readonly day: string
  readonly currency: string
  readonly fees: bigint
  readonly fx: bigint
}

interface Summed {
  /** The last journal that is in the sums. */
  upTo: bigint
  readonly sums: Map<string, Income>
}

interface AccountIncome {
  /** Whether it has all journals up to the call. */
  readonly complete: boolean
  readonly results: readonly Income[]
}

export interface AllIncome {
  readonly counted_at: Instant
  readonly results: readonly Income[]
}

export class IncomeCounter {
  readonly #audit: Sql
  readonly #accounts = new Map<string, Summed>()
  /** One reading at a time for each account, so that no journal is summed up twice. */
  readonly #reading = new Map<string, Promise<void>>()
  /** The last count of all live accounts; null before the first. */
  all: AllIncome | null = null

  constructor(audit: Sql) {
    this.#audit = audit
  }

  /**
   * What an account has earned the installation, oldest first. If there is more to read than a
   * caller waits for, the answer is not complete, and the reading goes on.
   */
  async of(account_id: string, wait_ms = Number.POSITIVE_INFINITY): Promise<AccountIncome> {
    const reading = this.#follow(account_id).then(() => true)
    const complete =
      wait_ms === Number.POSITIVE_INFINITY
        ? await reading
        : await Promise.race([reading, delay(wait_ms, false, { ref: false })])
    reading.catch(() => {})
    return { complete, results: inOrder(this.#accounts.get(account_id)?.sums.values() ?? []) }
  }

  /**
   * Reads all journals up to now. A caller that comes meanwhile waits for it, and then for newer
   * ones.
   */
  #follow(account_id: string): Promise<void> {
    const before = this.#reading.get(account_id) ?? Promise.resolve()
    const next = before.catch(() => {}).then(() => this.#readOn(account_id))
    this.#reading.set(account_id, next)
    return next
  }

  async countAll(accounts: readonly string[], isStopped = () => false): Promise<void> {
    const counted_at = instantFromIso(new Date().toISOString()) as Instant
    const sums = new Map<string, Income>()
    for (const account_id of accounts) {
      if (isStopped()) return
      for (const income of (await this.of(account_id)).results) add(sums, income)
    }
    this.all = { counted_at, results: inOrder(sums.values()) }
  }

  async #readOn(account_id: string): Promise<void> {
    const today = Math.trunc(Date.now() / DAY_MS) * DAY_MS
    const first = new Date(today - (INCOME_DAYS - 1) * DAY_MS).toISOString()
    const summed = this.#accounts.get(account_id) ?? (await this.#begin(account_id, first))
    const [book] = await this.#audit<{ journal_count: bigint }[]>`
      select journal_count from books where account_id = ${account_id}`
    const head = book?.journal_count ?? 0n
    while (summed.upTo < head) {
      const to = summed.upTo + JOURNALS < head ? summed.upTo + JOURNALS : head
      const rows = await sumIncome(this.#audit, account_id, { after: summed.upTo, to })
      for (const income of rows) add(summed.sums, income)
      summed.upTo = to
    }
    for (const [key, { day }] of summed.sums) {
      if (day < first.slice(0, 10)) summed.sums.delete(key)
    }
  }

  async #begin(account_id: string, since: string): Promise<Summed> {
    const created_at = instantFromIso(since) as Instant
    const first = await numberAt(this.#audit, account_id, { created_at, side: 'before' })
    const summed = { upTo: BigInt(first) - 1n, sums: new Map<string, Income>() }
    this.#accounts.set(account_id, summed)
    return summed
  }
}

function inOrder(all: Iterable<Income>): Income[] {
  const place = ({ day, currency }: Income) => `${day} ${currency}`
  return [...all].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

function add(sums: Map<string, Income>, { day, currency, fees, fx }: Income): void {
  const key = `${day} ${currency}`
  const { fees: f = 0n, fx: x = 0n } = sums.get(key) ?? {}
  sums.set(key, { day, currency, fees: f + fees, fx: x + fx })
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
