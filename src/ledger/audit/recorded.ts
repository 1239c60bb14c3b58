// Makes an operation record its acts in the audit log, in the same transaction.
import type { LongOperation, Operation } from '../../engine/operation.ts'
import type { Act } from './act.ts'
import { recordActs } from './store.ts'

/** The operation, which now also records acts. `actsOf` gives the acts of a batch's outcomes. */
export function recorded<Command, State, Outcome>(
  operation: Operation<Command, State, Outcome>,
  actsOf: (outcomes: readonly Outcome[]) => readonly Act[],
): Operation<Command, State, Outcome> {
  return {
    ...operation,
    store: (tx, outcomes, state) =>
      Promise.all([operation.store(tx, outcomes, state), recordActs(tx, actsOf(outcomes))]),
  }
}

/** The same for an operation of long commands, where each outcome is one act. */
export function recordedLong<Command, State, Outcome, Prepared>(
  operation: LongOperation<Command, State, Outcome, Prepared>,
  actOf: (outcome: Outcome) => Act,
): LongOperation<Command, State, Outcome, Prepared> {
  return {
    ...operation,
    async settle(tx, state, command, answered) {
      const outcome = await operation.settle(tx, state, command, answered)
      await recordActs(tx, [actOf(outcome)])
      return outcome
    },
  }
}

/**
 * The act of one transaction of an import: the import's name, the number of rows that it made, and
 * the ids of the first and the last one.
 */
export function actOfImport(
  table_name: 'payouts' | 'entities',
  import_name: string,
  made: readonly { readonly account_id: string; readonly id: string }[],
): readonly Act[] {
  const [first, last] = [made[0], made.at(-1)]
  if (first === undefined || last === undefined) return []
  const { account_id, id } = first
  const after = { account_id, id, import: import_name, made: String(made.length), last_id: last.id }
  return [{ table_name, reason: '', before: null, after }]
}
