// The SQL statements that read journals of the house.
import { sql as part, type Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'
import type { HouseKind } from './house.ts'

export interface HouseRow {
  readonly number: bigint
  readonly at: Instant
  readonly value_on: string
  readonly kind: HouseKind
  readonly postings: readonly {
    readonly code: string
    readonly nostro: string | null
    readonly currency: string
    readonly amount: string
  }[]
  readonly undoes: bigint | null
  readonly undone_by: bigint | null
  readonly reference: string
  readonly note: string
  readonly by: string
}

const COLUMNS = part`h.number, h.created_at as at, h.value_on::text, h.kind, h.undoes,
  (select u.number from house_journals u where u.undoes = h.number) as undone_by,
  h.reference, h.note, h.by,
  (select json_agg(json_build_object('code', code, 'nostro', nullif(nostro, '-'),
      'currency', currency, 'amount', amount::text) order by place)
    from unnest(string_to_array(h.codes, ' '), string_to_array(h.nostros, ' '),
      string_to_array(h.currencies, ' '), h.amounts) with ordinality
      as p (code, nostro, currency, amount, place)) as postings`

/** The newest first. */
export function listHouseJournals(sql: Tag, limit: number): Promise<HouseRow[]> {
  return sql<HouseRow[]>`
    select ${COLUMNS} from house_journals h order by h.number desc limit ${limit}`
}

export async function findHouseJournal(sql: Tag, number: bigint): Promise<HouseRow | undefined> {
  const [row] = await sql<HouseRow[]>`
    select ${COLUMNS} from house_journals h where h.number = ${number}::bigint`
  return row
}
