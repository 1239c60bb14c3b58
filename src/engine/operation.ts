// Operations: the writes that lanes run, each as load, decide and store.
import type { TransactionSql } from '../sql/connect.ts'
import { Refusal } from '../values/errors.ts'

/**
 * One kind of write, for a batch of commands.
 *
 * - `prepare`, if present, reads facts that `load` needs before it locks, such as the accounts
 *   whose books it must lock.
 * - `load` locks and reads all rows that the commands may touch. It sends its locks first, before
 *   it awaits anything, so that every statement sent after the call runs under them. The lock order
 *   is the same everywhere: books, in order of account id. Every other row of an account is written
 *   only under the lock of its book. (Exceptions: the deletion of expired answers and workers'
 *   claims touch rows that no other code writes at that time. Payouts that a worker may claim are
 *   locked after the books, and claims skip locked rows.)
 * - `decide` is pure and synchronous. It throws a Refusal and leaves the state unchanged, or
 *   advances the state, so that the next command sees the change, and returns the outcome.
 * - `store` writes outcomes, one statement a table, and decides nothing. A large batch is stored in
 *   portions on one connection. `store` sends all its statements, in the order in which they must
 *   run, before it returns, and removes the written rows from the state. The COMMIT follows at
 *   once: a statement sent later would miss the transaction.
 */
export interface Operation<Command, State, Outcome, Prepared = unknown>
  extends Loading<Command, State, Prepared> {
  decide(state: State, command: Command): Outcome
  store(tx: TransactionSql, outcomes: readonly Outcome[], state: State): Promise<unknown>
}

/** The members that all operations share. */
interface Loading<Command, State, Prepared> {
  readonly name: string
  /** Allows the operation on a frozen account. */
  readonly while_frozen?: true
  /**
   * Whether a command touches only rows of its account's shard. One machine of a spread database
   * can then run all of the command's statements.
   */
  ofOneShard?(command: Command): boolean
  prepare?(tx: TransactionSql, commands: readonly Command[]): Promise<Prepared>
  load(
    tx: TransactionSql,
    commands: readonly Command[],
    prepared: Prepared | undefined,
  ): Promise<State>
}

/**
 * A write whose single command is so large that deciding it at once would delay all others. Each
 * command has its own transaction. `settle` decides in portions, stores each while it decides the
 * next, and lets the event loop turn in between. A Refusal that it throws rolls back its stored
 * portions. It calls `answered` before it stores the last portion, whose events carry the digest of
 * the answer.
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

/** The `prepare` and `load` of a long command that consists of another operation's commands. */
export function loadingAll<Long, Command, State, Outcome, Prepared>(
  { prepare, load }: Operation<Command, State, Outcome, Prepared>,
  commandsOf: (long: Long) => readonly Command[],
): Omit<Loading<Long, State, Prepared>, 'name'> {
  return {
    ...(prepare && { prepare: (tx, longs) => prepare(tx, longs.flatMap(commandsOf)) }),
    load: (tx, longs, prepared) => load(tx, longs.flatMap(commandsOf), prepared),
  }
}

/** The result of a command. A refused command leaves the state unchanged. */
export type Decided<Outcome> = { readonly outcome: Outcome } | { readonly refusal: Refusal }

export function decideOne<Command, State, Outcome>(
  operation: Operation<Command, State, Outcome>,
  state: State,
  command: Command,
): Decided<Outcome> {
  try {
    return { outcome: operation.decide(state, command) }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error }
    throw error
  }
}
