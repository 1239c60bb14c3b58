// Who moves a payout. Its events name the mover and the journals that the step wrote, as journals
// have no index by their source. Pure.
import type { Journal } from '../ledger/rules.ts'

/** The account that pays, the rail, the operator, or the review of the entity it is made for. */
export const CAUSES = ['account', 'rail', 'operator', 'review'] as const
export type Cause = (typeof CAUSES)[number]

/** The cause of a step, as its event shows it; `journals` are numbers in the payer's book. */
export interface EventCause {
  readonly by: Cause
  readonly journals: readonly number[]
}

/** Leaves out the journals of a receiver, which stand in another book. */
export function eventCause(
  by: Cause,
  account_id: string,
  journals: readonly Journal[],
): EventCause {
  const own = journals.filter(journal => journal.account_id === account_id)
  return { by, journals: own.map(({ number }) => Number(number)) }
}
