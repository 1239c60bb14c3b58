// Who moves a payout, and what its events say of that: the mover, and the journals that the step
// has written, as journals have no index by their source. Pure.
import type { Journal } from '../ledger/rules.ts'

/** The account that pays, the rail, the operator, or the review of the entity it is made for. */
export const CAUSES = ['account', 'rail', 'operator', 'review'] as const
export type Cause = (typeof CAUSES)[number]

/** What the events of payouts say of a step's cause; `journals` are numbers in the payer's book. */
export interface Caused {
  readonly by: Cause
  readonly journals: readonly number[]
}

/** Of the journals that a step has written, a receiver's stand in another book and are not told. */
export function caused(by: Cause, account_id: string, journals: readonly Journal[]): Caused {
  const own = journals.filter(journal => journal.account_id === account_id)
  return { by, journals: own.map(({ number }) => Number(number)) }
}
