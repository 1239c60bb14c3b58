// The end of every write to books: journals with their lines, balances, heads and events. Each
// table gets one statement, and the statements are sent without waiting for each other.
import type { Book, Journal } from '../../ledger/rules.ts'
import { insertJournals, updateBalances, updateBooks } from '../../ledger/store.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import type { Event } from '../event/event.ts'
import { chainEvents } from '../event/rules.ts'
import { insertEvents } from '../event/store.ts'
import type { Entry } from './balance-transaction.ts'

interface BookWrites {
  readonly entries?: readonly Entry[]
  /** Journals that move no balance, so have no statement line. */
  readonly journals?: readonly Journal[]
  readonly events: readonly Event[]
}

/**
 * Writes the books that `load` locked and `decide` advanced. Leaves out a book without a change, so
 * that its last_written_at stays true.
 */
export function storeBooks(
  tx: TransactionSql,
  books: ReadonlyMap<string, Book>,
  writes: readonly BookWrites[],
): PromiseLike<unknown>[] {
  const entries = writes.flatMap(write => write.entries ?? [])
  const journals = [
    ...entries.map(entry => entry.journal),
    ...writes.flatMap(write => write.journals ?? []),
  ]
  const events = chainEvents(
    books,
    writes.map(write => write.events),
  )
  const touched = new Set([...journals, ...events].map(({ account_id }) => account_id))
  const written = [...books.values()].filter(({ account_id }) => touched.has(account_id))
  return [
    updateBooks(tx, written),
    updateBalances(tx, written),
    insertJournals(tx, journals),
    insertEvents(tx, events),
  ]
}
