// The worker that verifies while the service runs finds no fault in a history of every kind,
// whatever journals its steps end with, and names a settled payout that was changed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { proveDue } from '../../src/app/worker/prove-books.ts'
import { type History, makeHistory } from './history.ts'

let history: History
before(async () => {
  history = await makeHistory()
})
after(async () => {
  await history.service.close()
})

const NEVER = () => false

/** Verifies until no journal is left, from the first one on, in steps of `step` journals. */
async function proveAll(step: number): Promise<readonly string[]> {
  const { deps, database } = history.service
  await database.owner`delete from book_proofs`
  while ((await proveDue(deps, NEVER, step)) > 0);
  const rows = await database.owner<{ row: string }[]>`
    select concat_ws(' ', account_id, table_name, key) as row from verify_faults order by 1`
  return rows.map(({ row }) => row)
}

test('verifying while the service runs, history of every kind in steps of 1, 3 and 500 journals: no fault', async () => {
  for (const step of [1, 3, 500]) assert.deepEqual(await proveAll(step), [], `steps of ${step}`)
})

test('verifying while the service runs, settled payout changed by SQL, in steps of 1 journal: named', async () => {
  const { owner } = history.service.database
  await owner`alter table payouts disable trigger user`
  const [changed] = await owner<{ id: string; account_id: string }[]>`
    update payouts set holding_amount = holding_amount + 1
    where id = (select source from journals where kind = 'settlement' limit 1)
    returning id, account_id`
  const faults = await proveAll(1)
  assert.ok(
    faults.some(row => row.startsWith(changed?.account_id ?? 'none')),
    faults.join('\n'),
  )
})
