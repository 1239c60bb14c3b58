// What payouts take on disk, table by table. Knows no scenario.
import { connect } from '../src/db/connect.ts'
import { whole } from './report.ts'

/** A table with its indexes. */
export interface SizeOfTable {
  readonly table: string
  readonly bytes_a_payout: number
}

/** Bytes by table, with its indexes. */
export type Sizes = ReadonlyMap<string, number>

/** Of all tables; the largest first. */
export async function readSizes(database_url: string): Promise<Sizes> {
  const owner = connect(database_url, { max: 1, as: 'owner' })
  try {
    const tables = await owner<{ table: string; bytes: string }[]>`
      select relname as table, pg_total_relation_size(oid)::text as bytes from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
      order by pg_total_relation_size(oid) desc`
    return new Map(tables.map(({ table, bytes }) => [table, Number(bytes)]))
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/**
 * By how much the tables are larger than `before`; those of less than a byte a payout are left out.
 */
export async function sizesOfTables(
  database_url: string,
  payouts: number,
  before: Sizes = new Map(),
): Promise<readonly SizeOfTable[]> {
  const sizes = await readSizes(database_url)
  return [...sizes]
    .map(([table, bytes]) => {
      const added = bytes - (before.get(table) ?? 0)
      return { table, bytes_a_payout: Math.round(added / payouts) }
    })
    .filter(({ bytes_a_payout }) => bytes_a_payout > 0)
    .sort((a, b) => b.bytes_a_payout - a.bytes_a_payout)
}

export function sumOfSizes(sizes: readonly SizeOfTable[]): number {
  return sizes.reduce((sum, { bytes_a_payout }) => sum + bytes_a_payout, 0)
}

/** `payouts 1,778, events 1,673`. */
export function describeSizes(sizes: readonly SizeOfTable[]): string {
  return sizes.map(({ table, bytes_a_payout }) => `${table} ${whole(bytes_a_payout)}`).join(', ')
}
