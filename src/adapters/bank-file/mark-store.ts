// The SQL statements of the offers of files: how many this database knows, and how many it has
// lost.
import type { Sql } from '../../sql/connect.ts'

export interface Offers {
  /** Of this database and all its copies. */
  readonly lineage: string
  /** All offers of files to the bank, including those that a restored database has lost. */
  readonly offers: number
  /** Whether the database was restored since the rail was last compared with the mark. */
  readonly restored: boolean
}

/** The offers of a rail; undefined before the database has its mark. */
export async function findOffers(sql: Sql, rail: string): Promise<Offers | undefined> {
  const [row] = await sql<Offers[]>`
    select m.lineage, coalesce(e.restored, false) as restored, coalesce(e.offers_lost, 0)
      + (select coalesce(sum(offers), 0)::integer from rail_files where rail = ${rail}) as offers
    from database_mark m left join rail_exchanges e on e.rail = ${rail}`
  return row
}

/** Adds the offers that the database has lost, and ends the comparison after a restore. */
export async function noteOffersLost(sql: Sql, rail: string, lost: number): Promise<void> {
  await sql`
    insert into rail_exchanges as e (rail, offers_lost) values (${rail}, ${lost})
    on conflict (rail) do update
      set offers_lost = e.offers_lost + excluded.offers_lost, restored = false`
}
