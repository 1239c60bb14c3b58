// The statements of a statement: where it begins and ends, and its lines in pages of constant size.
// No transaction is held while they are read, however slow the reader: lines are append-only, and a
// statement ends before the account's time at which it was taken under the book's lock, so that no
// line can appear in it later. Every page shows what one snapshot would.
import type { Fragment } from 'postgres'
import { readConfined, transactConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { type Moment, newerOf, OLDEST, olderOf } from '../db/order.ts'
import type { Instant } from '../instant.ts'
import { fromRow, LINE_COLUMNS, type LineRow } from './columns.ts'
import {
  type BookedLine,
  NO_LINES,
  type Statement,
  type StatementWanted,
  type Totals,
} from './statement.ts'
import { besidesOf, chosenBy, LINE_INDEXES, numberAt } from './store.ts'

/** Some 1.5 MB in memory, and some 10 ms of the database's time. */
const PAGE = 1_000

/**
 * Takes a statement: its end is cut to the account's present time. Shares the book's lock for a
 * moment, which waits for writes under way; writes that follow have no earlier time. That is after
 * what the book has seen, as lockBooks has it, even when the database's clock has been set back.
 */
export async function findStatement(sql: Sql, wanted: StatementWanted): Promise<Statement> {
  const { account_id, above, filters } = wanted
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
        ${filters.currency === undefined ? sql`` : sql`and b.currency = ${filters.currency}`}
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
    balances,
    complete: Object.keys(filters).every(name => name === 'currency'),
  }
}

/** The newest line of a currency before a journal: one look-up in the index of the currency. */
function lastBefore(sql: Sql, account_id: string, number: string): Fragment {
  return sql`
    select j.balance_after from journals j
    where j.account_id = ${account_id} and j.currency = b.currency and j.currency is not null
      and j.number < ${number}::text::bigint
    order by j.number desc limit 1`
}

/** Runs a query when its turn has come. */
export type InTurn = <T>(query: () => Promise<T>) => Promise<T>

const atOnce: InTurn = query => query()

/**
 * The lines, oldest first, of one currency or of all that are wanted. The next page is asked for
 * while the one in hand is worked on; who stops early leaves nothing behind.
 */
export async function* statementPages(
  sql: Sql,
  statement: Statement,
  currency: string | undefined = statement.filters.currency,
  inTurn: InTurn = atOnce,
): AsyncGenerator<BookedLine[], void> {
  const filters = currency === undefined ? statement.filters : { ...statement.filters, currency }
  const fetchPage = (first: string) => {
    const page = inTurn(() => findPage(sql, { ...statement, filters, first }))
    // A page that nobody waits for any more may fail unseen.
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

type OfPayout = Pick<BookedLine, 'reference_id' | 'transaction_description' | 'uetr'>
type PageRow = LineRow & { [K in keyof OfPayout]: string | null }

/** Which lines of a statement are read. */
type Scan = Pick<Statement, 'account_id' | 'filters' | 'first' | 'end'>

async function findPage(sql: Sql, scan: Scan): Promise<BookedLine[]> {
  // `source` names the payout; what it says is fixed when it is made. What the operator has booked
  // says itself which reference and reason it has.
  const { by, conditions } = scanOf(sql, scan)
  const rows = await readConfined(
    sql,
    [scan.account_id],
    tx => tx<PageRow[]>`
      select t.*, coalesce(p.reference_id, t.metadata ->> 'reference') as reference_id,
        coalesce(p.transaction_description, t.metadata ->> 'reason') as transaction_description,
        p.uetr
      from (
        select ${sql(LINE_COLUMNS)} from journals where ${conditions}
        order by ${by === undefined ? sql`` : sql`${sql(by)},`} number limit ${PAGE}
      ) t
      left join lateral (
        select reference_id, particulars ->> 'transaction_description' as transaction_description,
          substring(mt103 from '[{]121:([^}]*)[}]') as uetr
        from payouts p where p.account_id = ${scan.account_id} and p.id = t.source limit 1
      ) p on true
      order by t.number`,
  )
  return rows.map(({ reference_id, transaction_description, uetr, ...row }) => ({
    ...fromRow(row),
    reference_id: reference_id ?? '',
    transaction_description: transaction_description ?? '',
    uetr: uetr ?? '',
  }))
}

/**
 * The index that is read is named by its condition, its bounds and its order alone: what is said to
 * be equal could be looked for along all lines of the account. Without any of these columns the
 * primary key is read, which passes over settlements, or the index of credits.
 */
function scanOf(
  sql: Sql,
  { account_id, filters, first, end }: Scan,
): { readonly by: keyof typeof LINE_INDEXES | undefined; readonly conditions: Fragment } {
  const chosen = chosenBy(filters)
  const by = (['undoes', 'source', 'kind', 'currency'] as const).find(name => name in chosen.equal)
  const parts = Object.entries(chosen.equal)
    .filter(([name]) => name !== by)
    .sort()
    .map(([name, value]) => sql`and ${sql(name)} = ${value}`)
  if (chosen.by_credits) parts.push(sql`and amount + fixed_fee + variable_fee > 0`)
  const [from, to] = [sql`${first}::text::bigint`, sql`${end}::text::bigint`]
  if (by === undefined) {
    // Said so that no index that is partial by it is taken, whose rows would have to be sorted.
    parts.push(sql`and (currency is not null) is true and number >= ${from} and number < ${to}`)
  } else {
    const value = chosen.equal[by] ?? ''
    parts.push(sql`and ${sql.unsafe(LINE_INDEXES[by])}
      and (${sql(by)}, number) >= (${value}, ${from}) and (${sql(by)}, number) < (${value}, ${to})`)
  }
  const rest = parts.reduce((all, one) => sql`${all} ${one}`, sql``)
  const conditions = sql`account_id = ${account_id} ${rest} ${besidesOf(sql, chosen)}`
  return { by, conditions }
}

/** Number and sums of the lines by currency, for formats that state them ahead of the lines. */
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
