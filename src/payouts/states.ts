// The states of a payout, the one table of steps between them (§state.table), and who can cause a
// step. Triggers of the database have the same table; a test tries every step. Pure.
import type { Journal } from '../ledger/rules.ts'
import type { RailStatus } from '../rails/rail.ts'

export const PAYOUT_STATUSES = [
  'pending_approval',
  'processing',
  'requires_action',
  'compliance_hold',
  'succeeded',
  'failed',
  'reversed',
] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

export const PAYOUT_TRANSITIONS: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  pending_approval: ['processing', 'compliance_hold', 'failed'],
  processing: ['succeeded', 'failed', 'requires_action', 'compliance_hold'],
  requires_action: ['processing', 'succeeded', 'failed'],
  compliance_hold: ['processing', 'succeeded', 'failed'],
  succeeded: ['reversed'],
  failed: [],
  reversed: [],
}

/**
 * The statuses that a step can lead to. A payout has `pending_approval` from its creation or never.
 */
export const STEP_STATUSES = PAYOUT_STATUSES.filter(
  (status): status is RailStatus => status !== 'pending_approval',
)

/** Whether no step can follow this status. */
export function isFinal(status: PayoutStatus): boolean {
  return PAYOUT_TRANSITIONS[status].length === 0
}

/** The states in which a payout waits for its rail or for people. */
export const OPEN_STATUSES: readonly PayoutStatus[] = PAYOUT_STATUSES.filter(
  status => status !== 'succeeded' && !isFinal(status),
)

/** Whether work remains: the payout waits, or its rail is asked again. */
export function isOpen(payout: {
  readonly status: PayoutStatus
  readonly ask_rail_at: string | null
}): boolean {
  return payout.ask_rail_at !== null || OPEN_STATUSES.includes(payout.status)
}

/** The states in which the money is back with the account. */
export const GIVEN_BACK_STATUSES: readonly PayoutStatus[] = ['failed', 'reversed']

export function isGivenBack({ status }: { readonly status: PayoutStatus }): boolean {
  return GIVEN_BACK_STATUSES.includes(status)
}

/**
 * Who causes a step: the paying account, the rail, the operator, the review of the payout's entity,
 * or its approval, which people decide or which runs out of time.
 */
export const CAUSES = ['account', 'rail', 'operator', 'review', 'approval'] as const
export type Cause = (typeof CAUSES)[number]

/**
 * The cause of a step, as its event shows it. The event names the step's journals by their numbers
 * in the payer's book, because journals have no index by source.
 */
export interface EventCause {
  readonly by: Cause
  readonly journals: readonly number[]
}

/** The cause of a step, without the journals of the receiver's book. */
export function eventCause(
  by: Cause,
  account_id: string,
  journals: readonly Journal[],
): EventCause {
  const own = journals.filter(journal => journal.account_id === account_id)
  return { by, journals: own.map(({ number }) => Number(number)) }
}
