// Adds the blocks by which searches skip most beneficiaries and entities (sql/search-blocks.ts).
// Rests as long as a block took, so that payouts of the account do not wait.
import { setTimeout as delay } from 'node:timers/promises'
import { lockBooks } from '../../ledger/store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined } from '../../sql/confine.ts'
import {
  BLOCK_ROWS,
  findDueBlock,
  insertBlock,
  SEARCHED,
  type Searched,
} from '../../sql/search-blocks.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const EVERY_MS = 30_000

/** Looks at each account once, and again after as many events as a block has rows. */
export function startIndexingNames(deps: Deps): Worker {
  const looked = new Map<string, bigint>()
  return startWorker(async signal => {
    const failed = warned(deps, 'accounts without blocks of names could not be found', undefined)
    await indexGrown(deps, looked, () => signal.aborted).catch(failed)
    return EVERY_MS
  })
}

/** Every new beneficiary and entity has an event. `looked` keeps the count of the last look. */
async function indexGrown(
  deps: Pick<Deps, 'finder' | 'log' | 'sql'>,
  looked: Map<string, bigint>,
  isStopped: () => boolean,
): Promise<void> {
  const books = await deps.finder<{ account_id: string; event_count: bigint }[]>`
    select account_id, event_count from books where event_count >= ${BLOCK_ROWS}::integer`
  for (const { account_id, event_count } of books) {
    if (event_count - (looked.get(account_id) ?? 0n) < BLOCK_ROWS) continue
    // An account whose book is busy has its turn in the next round, and stops no other.
    const failed = warned(deps, 'blocks of names could not be added', undefined, { account_id })
    const added = await indexNames(deps.sql, account_id, isStopped).catch(failed)
    if (isStopped()) return
    if (added !== undefined) looked.set(account_id, event_count)
  }
}

/** Adds every block of an account that is due. Returns how many. */
export async function indexNames(
  sql: Deps['sql'],
  account_id: string,
  isStopped = () => false,
): Promise<number> {
  let added = 0
  for (const listed of SEARCHED) {
    for (;;) {
      const from = performance.now()
      if (isStopped() || !(await addBlock(sql, listed, account_id))) break
      added += 1
      await delay(performance.now() - from)
    }
  }
  return added
}

/** Locks the book only when a block is due: no name changes between its read and its commit. */
async function addBlock(sql: Deps['sql'], listed: Searched, account_id: string): Promise<boolean> {
  const due = await readConfined(sql, [account_id], tx => findDueBlock(tx, listed, account_id))
  if (due === undefined) return false
  return sql.begin(async tx => {
    await lockBooks(tx, [account_id])
    const block = await findDueBlock(tx, listed, account_id)
    if (block === undefined) return false
    await insertBlock(tx, listed, account_id, block)
    return true
  })
}
