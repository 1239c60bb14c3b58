// Reads by id that gather: all requests that one turn of the event loop brings join one statement,
// and so do those that come while it waits for its turn at the database. Nothing is remembered once
// it is sent, so a read never shows what another has changed meanwhile.
import { classify } from '../db/failure.ts'
import { type Key, nameOf } from '../id.ts'
import { refusalIfLate } from './late.ts'
import type { Reads } from './reads.ts'

/** Most ids in one statement. */
const MAX_KEYS = 200

interface Waiting<Row> {
  readonly key: Key
  readonly since: number
  resolve(row: Row | undefined): void
  reject(reason: unknown): void
}

/** Resolves to the row of a key; undefined for what is not there or another account's. */
export type Finds<Row> = (key: Key) => Promise<Row | undefined>

/** A reader of rows by (account, id), when it is the account's turn. */
export function reader<Row extends Key>(
  inTurn: Reads['inTurn'],
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Finds<Row> {
  let coming: Waiting<Row>[] = []
  /** The line that others may still join, by whose turn it waits for. */
  const lines = new Map<string, Waiting<Row>[]>()

  const join = (owner: string, waiting: Waiting<Row>) => {
    const joined = lines.get(owner)
    if (joined !== undefined && joined.length < MAX_KEYS) {
      joined.push(waiting)
      return
    }
    const line = [waiting]
    lines.set(owner, line)
    void inTurn(owner, () => {
      if (lines.get(owner) === line) lines.delete(owner)
      return answer(line, find)
    })
  }
  const gather = () => {
    const come = coming
    coming = []
    const account_ids = new Set(come.map(({ key }) => key.account_id))
    const [first = ''] = account_ids
    // What several accounts read at once is of nobody alone, and has a turn of its own.
    for (const waiting of come) join(account_ids.size === 1 ? first : '', waiting)
  }
  return key =>
    new Promise((resolve, reject) => {
      if (coming.length === 0) setImmediate(gather)
      coming.push({ key, since: performance.now(), resolve, reject })
    })
}

/** Never rejects: each of the line gets its row, or what stopped it. */
async function answer<Row extends Key>(
  line: readonly Waiting<Row>[],
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Promise<void> {
  const timely = line.filter(({ since, reject }) => {
    const late = refusalIfLate(since)
    if (late !== undefined) reject(late)
    return late === undefined
  })
  if (timely.length === 0) return
  try {
    const rows = new Map((await find(timely.map(({ key }) => key))).map(row => [nameOf(row), row]))
    for (const { key, resolve } of timely) resolve(rows.get(nameOf(key)))
  } catch (error) {
    // One row that cannot be read must not fail the reads beside it.
    if (timely.length > 1 && classify(error) === 'fault') {
      for (const waiting of timely) await answer([waiting], find)
      return
    }
    for (const { reject } of timely) reject(error)
  }
}
