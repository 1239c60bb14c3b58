// The statements of balance transactions. Append-only.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { findByKeys } from '../db/keys.ts'
import { byTime } from '../db/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import { parseDecimal } from '../money/decimal.ts'
import { LINE_KINDS, type LineRow, rowOf, type StoredConversion } from './columns.ts'
import type { BalanceTransaction, FxConversion } from './rules.ts'

/** What is written is what is read. */
export const COLUMNS = Object.keys(LINE_KINDS) as readonly (keyof typeof LINE_KINDS)[]

const insertRows = inserter<LineRow>('balance_transactions', LINE_KINDS)

export function insertBalanceTransactions(
  tx: TransactionSql,
  lines: readonly BalanceTransaction[],
): Promise<unknown> {
  return insertRows(tx, lines.map(rowOf))
}

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findBalanceTransactions(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<BalanceTransaction[]> {
  const rows = await findByKeys<LineRow>(sql, 'balance_transactions', COLUMNS, keys)
  return rows.map(fromRow)
}

/**
 * In the order of the book, which `created_at` follows: the lines of one batch have the same time,
 * and only their journals say which balance came before which.
 */
const LISTED: Listed = {
  table: 'balance_transactions',
  columns: COLUMNS,
  order: byTime({ column: 'journal_number', type: 'bigint' }),
  listed_by: "created_at > '-infinity'",
  filters: [
    'source',
    { name: 'currency', by: 'currency', leads: 'alone' },
    { name: 'type', by: 'type', leads: 'alone', common: ['payout'] },
    { name: 'operation_type', by: 'operation_type', leads: 'never' },
  ],
}

/** A page of the account's statement; undefined when its cursor names no line of it. */
export async function listBalanceTransactions(
  sql: Sql | TransactionSql,
  account_id: string,
  wanted: Wanted,
): Promise<Page<BalanceTransaction> | undefined> {
  const page = await findPage<LineRow>(sql, LISTED, account_id, wanted)
  return page && { ...page, rows: page.rows.map(fromRow) }
}

/** The balance an instant left in each currency of the account: one index look-up a currency. */
export async function listBalancesAsOf(
  sql: Sql | TransactionSql,
  account_id: string,
  as_of: Instant,
): Promise<{ currency: string; available: bigint; updated_at: Instant }[]> {
  return sql`
    select b.currency, coalesce(h.balance_after, 0)::bigint as available,
      coalesce(h.created_at, ${as_of}) as updated_at
    from balances b
    left join lateral (
      select balance_after, created_at from balance_transactions t
      where t.account_id = b.account_id and t.currency = b.currency and t.created_at <= ${as_of}
      order by t.created_at desc, t.journal_number desc limit 1
    ) h on true
    where b.account_id = ${account_id} order by b.currency`
}

export function fromRow(row: LineRow): BalanceTransaction {
  return { ...row, fx_conversions: row.fx_conversions.map(conversionFromStored) }
}

function conversionFromStored(stored: StoredConversion): FxConversion {
  const exchange_rate = parseDecimal(stored.exchange_rate)
  if (exchange_rate === undefined) throw new Error(`stored rate ${stored.exchange_rate}`)
  return {
    exchange_rate,
    initial: { currency: stored.initial.currency, amount: BigInt(stored.initial.amount) },
    final: { currency: stored.final.currency, amount: BigInt(stored.final.amount) },
  }
}
