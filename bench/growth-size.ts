// What payouts take on disk, table by table. Knows no scenario.
import { connect } from '../src/db/connect.ts'

/** A table with its indexes. */
export interface SizeOfTable {
  readonly table: string
  readonly bytes_a_payout: number
}

/** The largest first; those of less than a byte a payout are left out. */
export async function sizesOfTables(
  database_url: string,
  payouts: number,
): Promise<readonly SizeOfTable[]> {
  const owner = connect(database_url, { max: 1, as: 'owner' })
  try {
    const tables = await owner<{ table: string; bytes: string }[]>`
      select relname as table, pg_total_relation_size(oid)::text as bytes from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
      order by pg_total_relation_size(oid) desc`
    return tables
      .map(({ table, bytes }) => ({ table, bytes_a_payout: Math.round(Number(bytes) / payouts) }))
      .filter(({ bytes_a_payout }) => bytes_a_payout > 0)
  } finally {
    await owner.end({ timeout: 5 })
  }
}
