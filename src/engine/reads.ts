// Reads for requests: accounts take turns on the connections, and a reader by id gathers the
// requests of one moment into one statement. Nothing is cached: a row is read after its request.
import { readConfined } from '../sql/confine.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { classify } from '../sql/failure.ts'
import { type Key, nameOf } from '../values/id.ts'
import { FairTurns } from './fair.ts'
import { refusalIfLate, unlessLate } from './late.ts'

export interface Reads {
  /** The pool for reads, on which accounts take turns. Lanes have other connections. */
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

/** The most ids in one statement. */
const MAX_KEYS = 200

interface Waiting<Row> {
  readonly key: Key
  readonly since: number
  resolve(row: Row | undefined): void
  reject(reason: unknown): void
}

/** Resolves to the row of a key; undefined when the key is unknown or another account's. */
export type Finds<Row> = (key: Key) => Promise<Row | undefined>

/**
 * Makes a reader of rows by (account, id). It gathers into one statement the reads of one turn of
 * the event loop, and further reads until the account's turn comes.
 */
export function reader<Row extends Key>(
  inTurn: Reads['inTurn'],
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Finds<Row> {
  /** The reads of this turn of the event loop. */
  let gathered: Waiting<Row>[] = []
  /** Batches that wait for a turn and still take more reads, by the owner of the turn. */
  const batches = new Map<string, Waiting<Row>[]>()

  const join = (owner: string, waiting: Waiting<Row>) => {
    const waiting_batch = batches.get(owner)
    if (waiting_batch !== undefined && waiting_batch.length < MAX_KEYS) {
      waiting_batch.push(waiting)
      return
    }
    const batch = [waiting]
    batches.set(owner, batch)
    void inTurn(owner, () => {
      if (batches.get(owner) === batch) batches.delete(owner)
      return answer(batch, find)
    })
  }
  const flush = () => {
    const reads = gathered
    gathered = []
    const account_ids = new Set(reads.map(({ key }) => key.account_id))
    const [first = ''] = account_ids
    // Reads of several accounts share a statement, which takes turns under the owner ''.
    for (const waiting of reads) join(account_ids.size === 1 ? first : '', waiting)
  }
  return key =>
    new Promise((resolve, reject) => {
      if (gathered.length === 0) setImmediate(flush)
      gathered.push({ key, since: performance.now(), resolve, reject })
    })
}

/** Never rejects: settles each read of the batch. */
async function answer<Row extends Key>(
  batch: readonly Waiting<Row>[],
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Promise<void> {
  const timely = batch.filter(({ since, reject }) => {
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
