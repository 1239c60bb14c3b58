// Reads for requests: connections that accounts take in turn, and readers by id that gather the
// requests of one moment into one statement. Nothing is cached: a row is read after it is asked
// for.
import { readConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { classify } from '../db/failure.ts'
import { type Key, nameOf } from '../id.ts'
import { FairTurns } from './fair.ts'
import { refusalIfLate, unlessLate } from './late.ts'

export interface Reads {
  /** The pool for reads. Accounts take turns on it. Lanes have other connections. */
  readonly reads: Sql
  /** Runs reads of one account on `reads`, at the account's turn. */
  inTurn<T>(account_id: string, work: () => Promise<T>): Promise<T>
  /** As inTurn, in one transaction confined to the account's rows. */
  read<T>(
    account_id: string,
    work: (tx: TransactionSql, account_id: string) => Promise<T>,
  ): Promise<T>
}

/** `connections` is the size of the pool. */
export function openReads(reads: Sql, connections: number): Reads {
  const turns = new FairTurns(connections)
  const inTurn: Reads['inTurn'] = (account_id, work) => turns.run(account_id, work)
  return {
    reads,
    inTurn,
    read: (account_id, work) =>
      inTurn(
        account_id,
        unlessLate(() => readConfined(reads, [account_id], tx => work(tx, account_id))),
      ),
  }
}

/** Most ids in one statement. */
const MAX_KEYS = 200

interface Waiting<Row> {
  readonly key: Key
  readonly since: number
  resolve(row: Row | undefined): void
  reject(reason: unknown): void
}

/** Resolves to the row of a key; undefined when it is unknown or another account's. */
export type Finds<Row> = (key: Key) => Promise<Row | undefined>

/**
 * A reader of rows by (account, id). It gathers the reads of one turn of the event loop, and those
 * that come while they wait for the account's turn, into one statement.
 */
export function reader<Row extends Key>(
  inTurn: Reads['inTurn'],
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Finds<Row> {
  let coming: Waiting<Row>[] = []
  /** Lines of reads that wait for a turn and can still be joined, by the owner of the turn. */
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
    // Reads of several accounts share a statement, which takes turns under the owner ''.
    for (const waiting of come) join(account_ids.size === 1 ? first : '', waiting)
  }
  return key =>
    new Promise((resolve, reject) => {
      if (coming.length === 0) setImmediate(gather)
      coming.push({ key, since: performance.now(), resolve, reject })
    })
}

/** Never rejects: settles each read of the line. */
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
    // A row that cannot be read must fail only its own read.
    if (timely.length > 1 && classify(error) === 'fault') {
      for (const waiting of timely) await answer([waiting], find)
      return
    }
    for (const { reject } of timely) reject(error)
  }
}
