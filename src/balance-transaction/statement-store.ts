// The statements of a statement: where it begins and ends, and its lines in pages of constant size.
// No transaction is held while they are read, however slow the reader: lines are append-only, and a
// statement ends before the account's time at which it was taken under the book's lock, so that no
// line can appear in it later. Every page shows what one snapshot would.
import type { Fragment } from 'postgres'
import { readConfined, transactConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { type Moment, newerOf, OLDEST, olderOf } from '../db/order.ts'
import type { Instant } from '../instant.ts'
import type { LineRow } from './columns.ts'
import {
  type BookedLine,
  NO_LINES,
  type Statement,
  type StatementWanted,
  type Totals,
} from './statement.ts'
import { COLUMNS, fromRow } from './store.ts'

/** Some 1.5 MB in memory, and some 10 ms of the database's time. */
const PAGE = 1_000
const LAST_NUMBER = '9223372036854775807'

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
  const balances = await readConfined(
    sql,
    [account_id],
    tx => tx<{ currency: string; opening: bigint; closing: bigint }[]>`
      select b.currency, coalesce(o.balance_after, 0)::bigint as opening,
        coalesce(c.balance_after, 0)::bigint as closing
      from balances b
      left join lateral (${lastBefore(sql, above)}) o on true
      left join lateral (${lastBefore(sql, below)}) c on true
      where b.account_id = ${account_id}
        ${filters.currency === undefined ? sql`` : sql`and b.currency = ${filters.currency}`}
      order by b.currency`,
  )
  return {
    ...wanted,
    below,
    created_at: now,
    from: above.created_at === OLDEST.created_at ? null : above.created_at,
    to: below.created_at,
    balances,
    complete: Object.keys(filters).every(name => name === 'currency'),
  }
}

/** The newest line of a currency before a moment: one look-up in the index of the history. */
function lastBefore(sql: Sql, moment: Moment): Fragment {
  return sql`
    select t.balance_after from balance_transactions t
    where t.account_id = b.account_id and t.currency = b.currency
      and (t.created_at, t.journal_number) < (${place(sql, moment)})
    order by t.created_at desc, t.journal_number desc limit 1`
}

/** Between the lines of one time and those of the next. */
function place(sql: Sql, { created_at, side }: Moment): Fragment {
  const number = side === 'before' ? '0' : LAST_NUMBER
  return sql`${created_at}::text::timestamptz, ${number}::text::bigint`
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
  const fetchPage = (after: Fragment) => {
    const page = inTurn(() => findPage(sql, statement, filters, after))
    // A page that nobody waits for any more may fail unseen.
    page.catch(() => {})
    return page
  }
  let page = await fetchPage(place(sql, statement.above))
  for (;;) {
    const last = page.at(-1)
    const ahead =
      last === undefined || page.length < PAGE
        ? undefined
        : fetchPage(sql`${last.created_at}::text::timestamptz, ${last.journal_number}::bigint`)
    if (page.length > 0) yield page
    if (ahead === undefined) return
    page = await ahead
  }
}

type OfPayout = Pick<BookedLine, 'reference_id' | 'transaction_description' | 'uetr'>
type PageRow = LineRow & { [K in keyof OfPayout]: string | null }

async function findPage(
  sql: Sql,
  { account_id, below }: Statement,
  filters: StatementWanted['filters'],
  after: Fragment,
): Promise<BookedLine[]> {
  // `description` names the payout; what it says is fixed when it is made. What the operator has
  // booked says itself which reference and reason it has.
  const rows = await readConfined(
    sql,
    [account_id],
    tx => tx<PageRow[]>`
      select t.*, coalesce(p.reference_id, t.metadata ->> 'reference') as reference_id,
        coalesce(p.transaction_description, t.metadata ->> 'reason') as transaction_description,
        p.uetr
      from (
        select ${sql(COLUMNS)} from balance_transactions
        where account_id = ${account_id} ${conditions(sql, filters, after, place(sql, below))}
        order by ${orderBy(sql, filters)} limit ${PAGE}
      ) t
      left join lateral (
        select reference_id, particulars ->> 'transaction_description' as transaction_description,
          substring(mt103 from '[{]121:([^}]*)[}]') as uetr
        from payouts p where p.account_id = t.account_id and p.id = t.description limit 1
      ) p on true
      order by t.created_at, t.journal_number`,
  )
  return rows.map(({ reference_id, transaction_description, uetr, ...row }) => ({
    ...fromRow(row),
    reference_id: reference_id ?? '',
    transaction_description: transaction_description ?? '',
    uetr: uetr ?? '',
  }))
}

/**
 * By currency the index of the history is read, which only its condition names; else that of the
 * list, which is partial by a condition of its own. The few lines of a source are
 * named by its bounds and order alone: a plan that was made while the table was empty would look
 * for what is equal along all lines of the account.
 */
function conditions(
  sql: Sql,
  { source, ...filters }: StatementWanted['filters'],
  after: Fragment,
  below: Fragment,
): Fragment {
  const names = Object.keys(filters).sort()
  const equal = names.map(name => sql`and ${sql(name)} = ${filters[name] ?? ''}`)
  const by_list = filters.currency === undefined && source === undefined
  if (by_list) equal.push(sql`and created_at > '-infinity'`)
  const bounds =
    source === undefined
      ? sql`and (created_at, journal_number) > (${after})
          and (created_at, journal_number) < (${below})`
      : sql`and (source, created_at, journal_number) > (${source}, ${after})
          and (source, created_at, journal_number) < (${source}, ${below})`
  return [...equal, bounds].reduce((all, one) => sql`${all} ${one}`, sql``)
}

function orderBy(sql: Sql, { source }: StatementWanted['filters']): Fragment {
  return source === undefined
    ? sql`created_at, journal_number`
    : sql`source, created_at, journal_number`
}

/** Number and sums of the lines by currency, for formats that state them ahead of the lines. */
export async function countStatement(
  sql: Sql,
  { account_id, above, below, filters }: Statement,
): Promise<(currency: string) => Totals> {
  const rows = await readConfined(
    sql,
    [account_id],
    tx => tx<{ currency: string; count: bigint; credits: string; debits: string }[]>`
      select currency, count(*) as count,
        coalesce(sum(net_amount) filter (where net_amount > 0), 0)::text as credits,
        coalesce(-sum(net_amount) filter (where net_amount < 0), 0)::text as debits
      from balance_transactions
      where account_id = ${account_id}
        ${conditions(sql, filters, place(sql, above), place(sql, below))}
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
