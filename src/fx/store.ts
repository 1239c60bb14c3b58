// The statements of the rate book, a reference table.
import { rowsAsJson, type Sql, type TransactionSql } from '../db/connect.ts'
import { formatDecimal, parseDecimal } from '../money/decimal.ts'
import type { Rate } from './rules.ts'

export async function listRates(sql: Sql): Promise<Rate[]> {
  const rows = await sql<(Omit<Rate, 'mid'> & { mid: string })[]>`
    select base, quote, mid::text as mid, source, as_of, sample from rates order by base, quote`
  return rows.map(row => {
    const mid = parseDecimal(row.mid)
    if (mid === undefined) throw new Error(`stored rate ${row.base}/${row.quote} ${row.mid}`)
    return { ...row, mid }
  })
}

/**
 * Keeps everyone else from changing rates until the transaction ends; reading goes on. For those
 * who judge new rates by the stored ones.
 */
export async function lockRates(tx: TransactionSql): Promise<void> {
  await tx`lock table rates in share row exclusive mode`
}

/** Adds or replaces one row a pair, all in one statement. */
export async function upsertRates(sql: Sql, rates: readonly Rate[]): Promise<void> {
  const rows = rates.map(rate => ({ ...rate, mid: formatDecimal(rate.mid) }))
  await sql`
    insert into rates (base, quote, mid, source, as_of, sample)
    select base, quote, mid, source, as_of, sample
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(base text, quote text, mid numeric, source text, as_of timestamptz, sample boolean)
    on conflict (base, quote) do update set mid = excluded.mid, source = excluded.source,
      as_of = excluded.as_of, sample = excluded.sample, loaded_at = clock_timestamp()`
}
