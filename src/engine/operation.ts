// Operations: the writes that lanes run, each as load, decide and store.
import type { TransactionSql } from '../db/connect.ts'
import { Refusal } from '../errors.ts'

/**
 * One kind of write, for a batch of commands.
 *
 * - `prepare`, if present, reads what must be known before locking, such as whose books to lock.
 * - `load` locks and reads all that the commands may touch. It sends its locks first, before it
 *   awaits anything, so that every statement sent after the call runs under them. The lock order is
 *   the same everywhere: books, in order of account id. Every other row of an account is written
 *   under the lock of its book only. (Exceptions: the deletion of outlived answers and workers'
 *   claims touch rows that nobody else writes at that time. Payouts that a worker may claim are
 *   locked after the books, and claims skip locked rows.)
 * - `decide` is pure and synchronous. It throws a Refusal and leaves the state as it was, or
 *   advances the state, so that the next command sees the change, and returns the outcome.
 * - `store` writes outcomes, one statement a table, and decides nothing. A large batch is stored in
 *   portions on one connection. `store` sends all its statements, in the order in which they must
 *   run, before it returns, and removes from the state what it has written. The COMMIT follows at
 *   once: a statement sent later would miss the transaction.
 */
export interface Operation<Command, State, Outcome, Prepared = unknown>
  extends Loading<Command, State, Prepared> {
  decide(state: State, command: Command): Outcome
  store(tx: TransactionSql, outcomes: readonly Outcome[], state: State): Promise<unknown>
}

/** What all operations share. */
interface Loading<Command, State, Prepared> {
  readonly name: string
  /** Allows the operation on a frozen account. */
  readonly while_frozen?: true
  /**
   * Whether all statements of a command are about rows of its account, and of others of the same
   * shard. Then one machine of a spread database can do all of it.
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
 * A write whose single command is too large to decide in one go without delaying all others. Each
 * command has a transaction of its own. `settle` decides in portions, stores each while it decides
 * the next, and lets the event loop turn in between. A Refusal that it throws rolls back what it
 * has stored. It calls `answered` before it stores the last portion, whose events carry the digest
 * of the answer.
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

/** The prepare and load of a long command, which stands for many commands of another operation. */
export function loadingAll<Long, Command, State, Outcome, Prepared>(
  { prepare, load }: Operation<Command, State, Outcome, Prepared>,
  commandsOf: (long: Long) => readonly Command[],
): Omit<Loading<Long, State, Prepared>, 'name'> {
  return {
    ...(prepare && { prepare: (tx, longs) => prepare(tx, longs.flatMap(commandsOf)) }),
    load: (tx, longs, prepared) => load(tx, longs.flatMap(commandsOf), prepared),
  }
}

/** The result of a command. A refused command leaves the state as it was. */
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
