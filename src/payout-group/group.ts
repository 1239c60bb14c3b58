// Payouts that people decide about together: those of a batch, or those that one import has made.
import type { OpenApproval } from '../approval/approval.ts'
import type { PayoutStatus } from '../payout/states.ts'

/** How many payouts a decision is about at most: the oldest that wait. A batch has no more. */
export const MAX_TOGETHER = 10_000

/** In words, such as `batch pob_…`. */
export function groupWords(id: string): string {
  return `${isImport(id) ? 'import' : 'batch'} ${id}`
}

export function isImport(id: string): boolean {
  return id.startsWith('pim_')
}

/** What payouts pay together that wait for an approval, in minor units of the currency paid in. */
export interface WaitingTotal {
  readonly currency: string
  readonly payouts: number
  readonly amount: bigint
}

/** How many approvals of a group have come to this; '' while they wait. */
export interface CountedApprovals {
  readonly outcome: OpenApproval['approval']['outcome']
  readonly payouts: number
}

/** What a group waits for. */
export interface ShownGroup {
  /** Of the payouts that wait, the oldest first, and at most MAX_TOGETHER. */
  readonly waiting: readonly OpenApproval[]
  /** Of the same payouts. */
  readonly totals: readonly WaitingTotal[]
  /** Of all payouts of the group that have needed an approval. */
  readonly counts: readonly CountedApprovals[]
}

export interface DecidedGroup {
  readonly account_id: string
  readonly group_id: string
  /** Of all that waited. */
  readonly digest: string
  /** What the payouts are now that the decision was about, by status. */
  readonly statuses: ReadonlyMap<PayoutStatus, number>
}
