// The load of an operation without its store. A dry run decides on what it returns, as if the
// commands were written. Knows no resource and no SQL.
import { type LongOperation, loadingAll, type Operation } from './operation.ts'

/** Commands of one account, tried together in their order. */
export interface Tried<Command> {
  readonly account_id: string
  readonly commands: readonly Command[]
}

/**
 * Loads the state on which the commands are decided. Its transaction ends here, which releases the
 * books before the decisions: nothing will be written.
 */
export function loadOnly<Command, State, Outcome, Prepared>(
  operation: Operation<Command, State, Outcome, Prepared>,
): LongOperation<Tried<Command>, State, State, Prepared> {
  return {
    ...loadingAll(operation, ({ commands }: Tried<Command>) => commands),
    name: `dry_run_${operation.name}`,
    settle: (_tx, state) => Promise.resolve(state),
  }
}
