// What gates have counted, compared with what is there.
import assert from 'node:assert/strict'
import type { Sql } from '../../../src/sql/connect.ts'

/** The sum that each gate has kept is what was handed over, added up at the same instant. */
export async function assertKept(owner: Sql, after = ''): Promise<void> {
  const wrong = await owner`
    select nostro, kept, added_up from (
      select n.name as nostro,
        coalesce((select sum(h.amount) from handed_over h where h.nostro = n.name), 0) as kept,
        case when n.name in (select nostro from gated_rails) then add_up_handed_over(n.name)
          else 0 end as added_up
      from nostros n) sums
    where kept <> added_up`
  assert.deepEqual([...wrong], [], after)
}
