// Reads by id that gather: all requests that one turn of the event loop brings join one statement.
// Nothing is remembered between turns, so a read never shows what another has changed meanwhile.
import DataLoader from 'dataloader'
import { type Key, nameOf } from '../id.ts'

/** Most ids in one statement. */
const MAX_KEYS = 200

/** Resolves to the row of a key; undefined for what is not there or another account's. */
export type Finds<Row> = (key: Key) => Promise<Row | undefined>

/** A reader of rows by (account, id). */
export function reader<Row extends Key>(
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Finds<Row> {
  const loader = new DataLoader<Key, Row | undefined, string>(
    async keys => {
      const rows = new Map((await find(keys)).map(row => [nameOf(row), row]))
      return keys.map(key => rows.get(nameOf(key)))
    },
    { cache: false, maxBatchSize: MAX_KEYS, batchScheduleFn: setImmediate },
  )
  return key => loader.load(key)
}
