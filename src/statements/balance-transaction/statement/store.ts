// The SQL statements of account statements: bounds, balances, and lines in pages. No transaction
// stays open between pages, however slow the reader. Lines are append-only, and a statement ends
// before the time at which it was taken under the book's lock. So no line can appear in it later,
// and the pages together show one snapshot.
import { readConfined, transactConfined } from '../../../sql/confine.ts'
import type { Sql } from '../../../sql/connect.ts'
import { type Moment, newerOf, OLDEST, olderOf } from '../../../sql/order.ts'
import type { Fragment } from '../../../sql/sql.ts'
import { dayAt, lastDayBefore } from '../../../values/calendar/day.ts'
import type { Instant } from '../../../values/instant.ts'
import type { BalanceTransaction } from '../balance-transaction.ts'
import { fromRow, LINE_COLUMNS, type LineRow } from '../columns.ts'
import { LINE_INDEXES, lineFilters, numberAt, otherConditions } from '../store.ts'
import {
  type BookedLine,
  NO_LINES,
  type Statement,
  type StatementWanted,
  type Totals,
} from './statement.ts'

/** Lines of a page: about 1.5 MB in memory, and about 10 ms in the database. */
const PAGE = 1_000

/**
 * Takes a statement, which ends at the account's present time at the latest. Locks the book for a
 * moment, and so waits for writes under way; later writes have a later time. Like lockBooks, it
 * takes a time after the book's last write, even if the database's clock was set back.
 */
export async function findStatement(sql: Sql, wanted: StatementWanted): Promise<Statement> {
  const { account_id, above, filters } = wanted
  const { currency } = filters
  const now = await transactConfined(sql, [account_id], async tx => {
    const lock = tx`select from books where account_id = ${account_id} for share`.execute()
    const [, [row]] = await Promise.all([
      lock,
      tx<{ now: Instant }[]>`
        select greatest(clock_timestamp() + clock_ahead,
          last_written_at + interval '1 microsecond') as now
        from books where account_id = ${account_id}`,
    ])
    return row?.now
  })
  if (now === undefined) throw new Error(`account ${account_id} has no book`)
  const present: Moment = { created_at: now, side: 'before' }
  // A period that ends before it begins is empty.
  const below = newerOf(above, olderOf(wanted.below, present))
  const { first, end, balances } = await readConfined(sql, [account_id], async tx => {
    const [first, end] = await Promise.all([
      numberAt(tx, account_id, above),
      numberAt(tx, account_id, below),
    ])
    const balances = await tx<{ currency: string; opening: bigint; closing: bigint }[]>`
      select b.currency, coalesce(o.balance_after, 0)::bigint as opening,
        coalesce(c.balance_after, 0)::bigint as closing
      from balances b
      left join lateral (${lastBefore(sql, account_id, first)}) o on true
      left join lateral (${lastBefore(sql, account_id, end)}) c on true
      where b.account_id = ${account_id}
        ${currency === undefined ? sql`` : sql`and b.currency = any (${[...currency]}::text[])`}
      order by b.currency`
    return { first, end, balances }
  })
  return {
    ...wanted,
    below,
    first,
    end,
    created_at: now,
    from: above.created_at === OLDEST.created_at ? null : above.created_at,
    to: below.created_at,
    interim: lastDayBefore(wanted.zone, below.created_at) >= dayAt(wanted.zone, now),
    balances,
    complete: Object.keys(filters).every(name => name === 'currency'),
  }
}

/** The last line of a currency before a journal, by one index look-up. */
function lastBefore(sql: Sql, account_id: string, number: string): Fragment {
  return sql`
    select j.balance_after from journals j
    where j.account_id = ${account_id} and j.currency = b.currency and j.currency is not null
      and j.number < ${number}::text::bigint
    order by j.number desc limit 1`
}

export type InTurn = <T>(query: () => Promise<T>) => Promise<T>

const runAtOnce: InTurn = query => query()

/**
 * The lines, oldest first, of one currency or of all currencies of the statement. Fetches the next
 * page while the caller handles the present one. A caller may stop at any page.
 */
export async function* statementPages(
  sql: Sql,
  statement: Statement,
  currency?: string,
  inTurn: InTurn = runAtOnce,
): AsyncGenerator<BookedLine[], void> {
  const one = currency === undefined ? {} : { currency: [currency] }
  const filters = { ...statement.filters, ...one }
  const fetchPage = (first: string) => {
    const page = inTurn(() => findPage(sql, { ...statement, filters, first }))
    // If the caller stops, no other code handles a failure of this page.
    page.catch(() => {})
    return page
  }
  let page = await fetchPage(statement.first)
  for (;;) {
    const last = page.at(-1)
    const ahead =
      last === undefined || page.length < PAGE
        ? undefined
        : fetchPage(String(last.journal_number + 1n))
    if (page.length > 0) yield page
    if (ahead === undefined) return
    page = await ahead
  }
}

/** The members of a line that its payout or booking has. */
type Texts = Omit<BookedLine, keyof BalanceTransaction>

/** The part of a statement that a query reads. */
type Scan = Pick<Statement, 'account_id' | 'filters' | 'first' | 'end'>

async function findPage(sql: Sql, scan: Scan): Promise<BookedLine[]> {
  // `source` is the id of a payout; only an erasure changes its texts. An operator's booking has
  // its reference and reason in its metadata.
  const { by, conditions } = scanOf(sql, scan)
  const rows = await readConfined(
    sql,
    [scan.account_id],
    tx => tx<(LineRow & Texts)[]>`
      select t.*, coalesce(p.reference_id, t.metadata ->> 'reference', '') as reference_id,
        coalesce(p.transaction_description, t.metadata ->> 'reason', '')
          as transaction_description,
        coalesce(p.uetr, '') as uetr, coalesce(p.payee_name, '') as payee_name,
        coalesce(p.payee_account, '') as payee_account, coalesce(p.payee_bic, '') as payee_bic,
        coalesce(p.purpose, '') as purpose, coalesce(p.creditor_reference, '') as creditor_reference
      from (
        select ${sql(LINE_COLUMNS)} from journals where ${conditions}
        order by ${by === undefined ? sql`` : sql`${sql(by)},`} number limit ${PAGE}
      ) t
      left join lateral (
        select reference_id, particulars ->> 'transaction_description' as transaction_description,
          substring(mt103 from '[{]121:([^}]*)[}]') as uetr,
          particulars ->> 'purpose' as purpose,
          particulars ->> 'creditor_reference' as creditor_reference,
          beneficiary_details ->> 'name' as payee_name,
          coalesce(d #>> '{bank,iban}', d #>> '{bank,account_number}',
            d #>> '{wallet,deposit_address}', d #>> '{local_payment_network,deposit_key}',
            d #>> '{service_account,deposit_address}') as payee_account,
          coalesce(d #>> '{bank,bank_codes,swift_code}', d #>> '{bank,bank_codes,bic}',
            d #>> '{bank,bank_codes,bic_code}') as payee_bic
        from payouts p
        cross join lateral (select beneficiary_details -> 'destination_details' as d) d
        where p.account_id = ${scan.account_id} and p.id = t.source limit 1
      ) p on true
      order by t.number`,
  )
  return rows.map(row => ({ ...fromRow(row), ...textsOf(row) }))
}

function textsOf(row: Texts): Texts {
  const { reference_id, transaction_description, uetr, purpose, creditor_reference } = row
  const { payee_name, payee_account, payee_bic } = row
  return {
    ...{ reference_id, transaction_description, uetr, purpose, creditor_reference },
    ...{ payee_name, payee_account, payee_bic },
  }
}

/**
 * The conditions of a scan. They select the index by its predicate, bounds and order instead of an
 * equality: with an equality, PostgreSQL may scan all lines of the account and filter. Without any
 * of these columns, or with several values, the scan uses the index of credits or the primary key,
 * and skips settlements.
 */
function scanOf(sql: Sql, { account_id, filters, first, end }: Scan) {
  const line_filters = lineFilters(filters)
  const by = (['undoes', 'source', 'kind', 'currency'] as const).find(
    name => line_filters.equal[name]?.length === 1,
  )
  const parts = Object.entries(line_filters.equal)
    .filter(([name]) => name !== by)
    .sort()
    .map(([name, values]) => {
      const not_undone = name === 'source' ? sql`and undoes is null` : sql``
      return sql`and ${sql(name)} = any (${[...values]}::text[]) ${not_undone}`
    })
  if (line_filters.by_credits) parts.push(sql`and amount + fixed_fee + variable_fee > 0`)
  const [from, to] = [sql`${first}::text::bigint`, sql`${end}::text::bigint`]
  if (by === undefined) {
    // This form keeps PostgreSQL from a partial index on `currency`, whose rows it would sort.
    parts.push(sql`and (currency is not null) is true and number >= ${from} and number < ${to}`)
  } else {
    const [value = ''] = line_filters.equal[by] ?? []
    parts.push(sql`and ${sql.unsafe(LINE_INDEXES[by])}
      and (${sql(by)}, number) >= (${value}, ${from}) and (${sql(by)}, number) < (${value}, ${to})`)
  }
  const rest = parts.reduce((all, one) => sql`${all} ${one}`, sql``)
  const conditions = sql`account_id = ${account_id} ${rest} ${otherConditions(sql, line_filters)}`
  return { by, conditions }
}

/** Counts and sums by currency, for formats that write them before the lines. */
export async function countStatement(
  sql: Sql,
  statement: Statement,
): Promise<(currency: string) => Totals> {
  const net = sql`amount + fixed_fee + variable_fee`
  const rows = await readConfined(
    sql,
    [statement.account_id],
    tx => tx<{ currency: string; count: bigint; credits: string; debits: string }[]>`
      select currency, count(*) as count,
        coalesce(sum(${net}) filter (where ${net} > 0), 0)::text as credits,
        coalesce(-sum(${net}) filter (where ${net} < 0), 0)::text as debits
      from journals where ${scanOf(sql, statement).conditions}
      group by currency`,
  )
  const totals = new Map(
    rows.map(({ currency, count, credits, debits }) => [
      currency,
      { count: Number(count), credits: BigInt(credits), debits: BigInt(debits) },
    ]),
  )
  return currency => totals.get(currency) ?? NO_LINES
}
