// The statements of quotes.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { findByKeys, keysOf } from '../db/keys.ts'
import { findPage, type Listed, type Page, type Wanted } from '../db/page.ts'
import { inserter, updater } from '../db/rows.ts'
import type { Approval } from '../entity/rules.ts'
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import { parseDecimal } from '../money/decimal.ts'
import { QUOTE_KINDS } from './columns.ts'
import type { Quote } from './rules.ts'

/** A quote as the database gives it. */
export type QuoteRow = Omit<Quote, 'holding_to_payout' | 'payout_to_destination'> & {
  holding_to_payout: string
  payout_to_destination: string
}

/** What is written is what is read. */
export const QUOTE_COLUMNS = Object.keys(QUOTE_KINDS) as readonly (keyof typeof QUOTE_KINDS)[]

export const insertQuotes = inserter<Quote>('quotes', QUOTE_KINDS)

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findQuotes(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<Quote[]> {
  const rows = await findByKeys<QuoteRow>(sql, 'quotes', QUOTE_COLUMNS, keys)
  return rows.map(quoteFromRow)
}

const LISTED: Listed = {
  table: 'quotes',
  columns: QUOTE_COLUMNS,
  listed_by: "created_at > '-infinity'",
  filters: [
    { name: 'status', by: 'status', leads: 'alone', common: ['used'] },
    { name: 'payout_type', by: 'payout_type', leads: 'never' },
    { name: 'entity_id', by: 'entity_id', leads: 'never' },
  ],
}

/**
 * A page of the account's quotes; undefined when its cursor names none of them. What has expired is
 * not stored: an unused quote is active or expired by its `valid_until` at `now`.
 */
export async function listQuotes(
  sql: Sql | TransactionSql,
  account_id: string,
  wanted: Wanted,
  now: Instant,
): Promise<Page<Quote> | undefined> {
  const { status } = wanted.filters
  const stored = status === 'expired' ? 'active' : status
  const filters = stored === undefined ? wanted.filters : { ...wanted.filters, status: stored }
  const time = sql`(select ${now}::timestamptz)`
  const besides =
    status === 'active'
      ? sql`and valid_until > ${time}`
      : status === 'expired'
        ? sql`and valid_until <= ${time}`
        : sql``
  const page = await findPage<QuoteRow>(sql, LISTED, account_id, { ...wanted, filters }, besides)
  return page && { ...page, rows: page.rows.map(quoteFromRow) }
}

/** Of the entities that quotes name, read in the same round trip as the quotes. */
export async function findApprovalsOfQuotes(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Approval[]> {
  return tx<Approval[]>`
    select e.* from ${keysOf(tx, keys)}
    cross join lateral (
      select entity_id from quotes q
      where q.account_id = k.account_id and q.id = k.id and q.entity_id <> '' limit 1
    ) q
    cross join lateral (
      select account_id, id, approval_status from entities e
      where e.account_id = k.account_id and e.id = q.entity_id limit 1
    ) e`
}

type UsedQuote = Pick<Quote, 'account_id' | 'id' | 'status' | 'updated_at'> & {
  readonly renewed_as: string
}

/** Marks quotes used; the payout's unique quote_id is what makes a second use impossible. */
export const markQuotesUsed = updater<UsedQuote>(
  'quotes',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', status: 'text', updated_at: 'timestamptz', renewed_as: 'text' },
  "t.status = 'active'",
)

export function quoteFromRow(row: QuoteRow): Quote {
  const holding_to_payout = parseDecimal(row.holding_to_payout)
  const payout_to_destination = parseDecimal(row.payout_to_destination)
  if (holding_to_payout === undefined || payout_to_destination === undefined) {
    throw new Error(`stored rates of quote ${row.id}`)
  }
  return { ...row, holding_to_payout, payout_to_destination }
}
