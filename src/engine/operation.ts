// What a write is, to the lane that runs it: load, decide, store. Knows no resource and no SQL.
import type { TransactionSql } from '../db/connect.ts'

/**
 * One kind of write, for many commands at once.
 *
 * - `load` locks and reads all that the commands may touch. The lock order, the same everywhere,
 *   is:
 *   books in order of account id, and nothing else; every other row of an account is written only
 *   under the lock of its book.
 * - `decide` is pure: it either throws a Refusal, leaving the state as it was, or advances the
 *   state
 *   (so that the next command sees it) and returns the outcome. It never awaits.
 * - `store` writes all outcomes, one statement a table, and decides nothing.
 */
export interface Operation<Command, State, Outcome> {
  readonly name: string
  load(tx: TransactionSql, commands: readonly Command[]): Promise<State>
  decide(state: State, command: Command): Outcome
  store(tx: TransactionSql, outcomes: readonly Outcome[], state: State): Promise<unknown>
}
