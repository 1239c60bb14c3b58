// What the set-ups of tests say of screening, in one place.
import type { Sql } from '../../../src/db/connect.ts'
import { updateRequired } from '../../../src/screening/list-store.ts'

/** Payouts of live accounts go out without lists, unless a test is about these. */
export async function liveWithoutLists(owner: Sql): Promise<void> {
  await updateRequired(owner, { required: [], set_by: 'tests', reason: 'Nobody is paid.' })
}
