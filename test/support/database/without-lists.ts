// Sets up databases of tests so that payouts need no sanctions lists.
import type { Sql } from '../../../src/db/connect.ts'
import { updateRequired } from '../../../src/screening/list-store.ts'

/** Live accounts can pay although no list is imported. Tests of screening require lists again. */
export async function requireNoLists(owner: Sql): Promise<void> {
  await updateRequired(owner, { required: [], set_by: 'tests', reason: 'Nobody is paid.' })
}
