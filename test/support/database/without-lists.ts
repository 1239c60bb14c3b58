// Sets up databases of tests so that payouts need no sanctions lists.

import { updateRequired } from '../../../src/screening/list-store.ts'
import type { Sql } from '../../../src/sql/connect.ts'

/** Live accounts can pay although no list is imported. Tests of screening require lists again. */
export async function requireNoLists(owner: Sql): Promise<void> {
  await updateRequired(owner, { required: [], set_by: 'tests', reason: 'Nobody is paid.' })
}
