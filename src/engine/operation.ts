// What a write is, to the lane that runs it: load, decide, store. Knows no resource and no SQL.
import type { TransactionSql } from '../db/connect.ts'

/**
 * One kind of write, for many commands at once.
 *
 * - `prepare`, where there is one, reads what must be known before locking, such as whose books.
 * - `load` locks and reads all that the commands may touch. Its locks are the first statement it
 *   sends, before it first waits, so that whatever is sent after it was called runs under them.
 *   The lock order, the same everywhere, is: books in order of account id, and nothing else; every
 *   other row of an account is written only under the lock of its book. (Answers forgotten after a
 *   day, and workers' claims, touch rows that nobody else writes then; payouts that may be claimed
 *   at that moment are locked after the books, and claims pass locked ones over.)
 * - `decide` is pure: it either throws a Refusal, leaving the state as it was, or advances the
 *   state (so that the next command sees it) and returns the outcome. It never awaits.
 * - `store` writes outcomes, one statement a table, and decides nothing. A large batch is stored
 *   in portions, one after the other on the same connection: its statements are sent before it
 *   returns, in the order in which they must run, and it takes from the state what it has written.
 *   The COMMIT follows at once: a store that waited between two statements would have the first
 *   committed without the second.
 */
export interface Operation<Command, State, Outcome, Prepared = unknown>
  extends Loading<Command, State, Prepared> {
  decide(state: State, command: Command): Outcome
  store(tx: TransactionSql, outcomes: readonly Outcome[], state: State): Promise<unknown>
}

/** How any write begins. */
interface Loading<Command, State, Prepared> {
  readonly name: string
  /** A frozen account may ask for it too; without this it may not. */
  readonly while_frozen?: true
  prepare?(tx: TransactionSql, commands: readonly Command[]): Promise<Prepared>
  load(
    tx: TransactionSql,
    commands: readonly Command[],
    prepared: Prepared | undefined,
  ): Promise<State>
}

/**
 * A write of which one command is so large that deciding it in one go would hold up everybody
 * else; each has a transaction of its own. `settle` decides it portion by portion, has each stored
 * while the next is decided, and lets the event loop turn in between. When it throws a Refusal,
 * what it has stored is rolled back with it. By `answered` it says what it answers before the last
 * portion is stored, as the events of that portion vouch for the answer.
 */
export interface LongOperation<Command, State, Outcome, Prepared = unknown>
  extends Loading<Command, State, Prepared> {
  settle(
    tx: TransactionSql,
    state: State,
    command: Command,
    answered: (outcome: Outcome) => void,
  ): Promise<Outcome>
}
