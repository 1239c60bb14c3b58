// What requests read with: connections that accounts take in turn, each for rows of its own.
import { readConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { FairTurns } from './fair.ts'
import { unlessLate } from './late.ts'

export interface Reads {
  /** Taken in turn. Writes go through the lanes, which have connections of their own. */
  readonly reads: Sql
  /** Reads of one account on `reads`, when it is that account's turn. */
  inTurn<T>(account_id: string, work: () => Promise<T>): Promise<T>
  /** The same in one transaction, which shows no other account's rows. */
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
