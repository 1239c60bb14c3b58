// The SQL statements of conversions. A row is written once, in the transaction of its journals, and
// read with the row of its quote.
import { findConversionQuotes } from '../quotes/store.ts'
import { findByKeys } from '../sql/keys.ts'
import { byId } from '../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../sql/page.ts'
import { inserter } from '../sql/rows.ts'
import type { Tag } from '../sql/sql.ts'
import { byName, type Key, nameOf } from '../values/id.ts'
import { CONVERSION_KINDS } from './columns.ts'
import type { Conversion, QuotedConversion } from './conversion.ts'

const COLUMNS = Object.keys(CONVERSION_KINDS) as readonly (keyof typeof CONVERSION_KINDS)[]

export const insertConversions = inserter<Conversion>('conversions', CONVERSION_KINDS)

/** Conversions by (account, id), in no order. An unknown id has none. */
export async function findConversions(sql: Tag, keys: readonly Key[]): Promise<QuotedConversion[]> {
  return withQuotes(sql, await findByKeys<Conversion>(sql, 'conversions', COLUMNS, keys))
}

const LISTED: Listed = {
  table: 'conversions',
  columns: COLUMNS,
  order: byId('cnv'),
  filters: [
    { name: 'holding_currency', by: 'holding_currency', leads: 'never' },
    { name: 'destination_currency', by: 'destination_currency', leads: 'never' },
  ],
  kinds: ['holding_currency', 'destination_currency'],
}

/** A page of the account's conversions; undefined when its cursor names none of them. */
export async function listConversions(
  sql: Tag,
  account_id: string,
  wanted: Wanted,
): Promise<Page<QuotedConversion> | undefined> {
  const page = await findPage<Conversion>(sql, LISTED, account_id, wanted)
  return page && { ...page, rows: await withQuotes(sql, page.rows) }
}

/** In the same order. No used quote is ever deleted. */
async function withQuotes(sql: Tag, rows: readonly Conversion[]): Promise<QuotedConversion[]> {
  const keyOf = ({ account_id, quote_id: id }: Conversion): Key => ({ account_id, id })
  const quotes = byName(await findConversionQuotes(sql, rows.map(keyOf)))
  return rows.map(row => {
    const quote = quotes.get(nameOf(keyOf(row)))
    if (quote === undefined) throw new Error(`conversion ${row.id} has no quote`)
    return { ...row, quote }
  })
}
