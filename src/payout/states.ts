// The states of a payout and how they follow each other, as data in one table (§state.table).
// Triggers of the database have the same steps and refuse every other; a test tries them all.

export const PAYOUT_STATUSES = [
  'processing',
  'requires_action',
  'compliance_hold',
  'succeeded',
  'failed',
  'reversed',
] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

export const PAYOUT_TRANSITIONS: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  processing: ['succeeded', 'failed', 'requires_action', 'compliance_hold'],
  requires_action: ['processing', 'succeeded', 'failed'],
  compliance_hold: ['processing', 'succeeded', 'failed'],
  succeeded: ['reversed'],
  failed: [],
  reversed: [],
}

/** No more steps follow. */
export function isFinal(status: PayoutStatus): boolean {
  return PAYOUT_TRANSITIONS[status].length === 0
}

/** In these a payout waits for its rail or for people. */
export const OPEN_STATUSES: readonly PayoutStatus[] = PAYOUT_STATUSES.filter(
  status => status !== 'succeeded' && !isFinal(status),
)

/** Whether something is still to be done: the payout waits, or its rail may say more. */
export function isOpen(payout: {
  readonly status: PayoutStatus
  readonly ask_rail_at: string | null
}): boolean {
  return payout.ask_rail_at !== null || OPEN_STATUSES.includes(payout.status)
}

/** In these its money is back, so that it was not paid. */
export const GIVEN_BACK_STATUSES: readonly PayoutStatus[] = ['failed', 'reversed']

export function isGivenBack({ status }: { readonly status: PayoutStatus }): boolean {
  return GIVEN_BACK_STATUSES.includes(status)
}
