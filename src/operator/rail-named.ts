// A rail as a path names it.
import { Type } from '../http/type.ts'
import type { RailRow } from '../rails/kind.ts'
import { listRails } from '../rails/row-store.ts'
import type { Sql } from '../sql/connect.ts'
import { knownAmong } from './operator-write.ts'

export const RailPath = Type.Object({
  name: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,30}$',
    description: 'What routes and payouts call the rail.',
    examples: ['main_bank'],
  }),
})

/** Refuses (404) an unknown name. */
export async function railNamed(sql: Sql, name: string): Promise<RailRow> {
  return knownAmong('rail', name, await listRails(sql), rail => rail.name)
}
