// The SQL statements of the reference table `rates`, the rate book.
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import { formatDecimal, parseDecimal } from '../../values/money/decimal.ts'
import type { Rate } from './rules.ts'

type RateRow = Omit<Rate, 'mid'> & { readonly mid: string }

export async function listRates(sql: Tag): Promise<Rate[]> {
  const rows = await sql<RateRow[]>`
    select base, quote, mid::text as mid, source, as_of, pegged, sample
    from rates order by base, quote`
  return rows.map(rateOf)
}

function rateOf(row: RateRow): Rate {
  const mid = parseDecimal(row.mid)
  if (mid === undefined) throw new Error(`stored rate ${row.base}/${row.quote} ${row.mid}`)
  return { ...row, mid }
}

/**
 * Blocks other writers of rates until the transaction ends. Readers go on. A change takes this lock
 * before it compares new rates with the stored rates.
 */
export async function lockRates(tx: TransactionSql): Promise<void> {
  await tx`lock table rates in share row exclusive mode`
}

/**
 * Inserts or replaces a row for each pair, and deletes the inverse pair's row, as a pair has one
 * direction. Callers run both statements in one transaction, unless the table is empty.
 */
export async function upsertRates(sql: Tag, rates: readonly Rate[]): Promise<void> {
  const rows = rates.map(rate => ({ ...rate, mid: formatDecimal(rate.mid) }))
  await sql`
    delete from rates where (base, quote) in (
      select quote, base from json_to_recordset(${rowsAsJson(rows)}::text::json)
        as r(base text, quote text))`
  await sql`
    insert into rates (base, quote, mid, source, as_of, pegged, sample)
    select base, quote, mid, source, as_of, pegged, sample
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(base text, quote text, mid numeric, source text, as_of timestamptz,
        pegged boolean, sample boolean)
    on conflict (base, quote) do update set mid = excluded.mid, source = excluded.source,
      as_of = excluded.as_of, pegged = excluded.pegged, sample = excluded.sample,
      loaded_at = clock_timestamp()`
}

/** Deletes a row and returns it; undefined without such a row. */
export async function deleteRate(sql: Sql, base: string, quote: string): Promise<Rate | undefined> {
  const [row] = await sql<RateRow[]>`
    delete from rates where base = ${base} and quote = ${quote}
    returning base, quote, mid::text as mid, source, as_of, pegged, sample`
  return row && rateOf(row)
}

/** Sets the name of this transaction's changes in the history. */
export async function setChangedBy(sql: Tag, name: string): Promise<void> {
  await sql`select set_config('corridor.operator', ${name}, true)`
}
