// Runs an operation's load without its store. A dry run decides on the loaded state, as if the
// commands were to be written. Knows no resource and no SQL.
import { type LongOperation, loadingAll, type Operation } from './operation.ts'

/** Commands of one account, which a dry run decides together, in this order. */
export interface DryRun<Command> {
  readonly account_id: string
  readonly commands: readonly Command[]
}

/**
 * Makes an operation that returns the state on which the commands are decided. Its transaction then
 * ends, which unlocks the books before the decisions: nothing will be written.
 */
export function loadOnly<Command, State, Outcome, Prepared>(
  operation: Operation<Command, State, Outcome, Prepared>,
): LongOperation<DryRun<Command>, State, State, Prepared> {
  return {
    ...loadingAll(operation, ({ commands }: DryRun<Command>) => commands),
    name: `dry_run_${operation.name}`,
    settle: (_tx, state) => Promise.resolve(state),
  }
}
