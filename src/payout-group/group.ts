// Payouts that people decide about together: those of a batch, or those that one import has made.
import type { OpenApproval } from '../approval/approval.ts'
import type { Instant } from '../instant.ts'
import type { PayoutStatus } from '../payout/states.ts'

/** The most payouts that one decision is about: the oldest that wait. A batch never has more. */
export const MAX_TOGETHER = 10_000

/** In words, such as `batch pob_…`. */
export function groupWords(id: string): string {
  return `${isImport(id) ? 'import' : 'batch'} ${id}`
}

export function isImport(id: string): boolean {
  return id.startsWith('pim_')
}

/** The sum of payouts that wait for an approval, in minor units of the currency they pay. */
export interface WaitingTotal {
  readonly currency: string
  readonly payouts: number
  readonly amount: bigint
}

/** How many approvals of a group have this outcome; '' while they wait. */
export interface CountedApprovals {
  readonly outcome: OpenApproval['approval']['outcome']
  readonly payouts: number
}

/**
 * The payouts of one batch or import in one currency, among the payouts that have waited longest.
 */
export interface WaitingPart extends WaitingTotal {
  /** The batch; '' of an import. */
  readonly batch_id: string
  /** The first characters of the keys of an import's rows; '' of a batch. */
  readonly beginning: string
  /** When the first of the waiting payouts was made. */
  readonly since: Instant
  /** The people who made the payouts; keys that belong to nobody are left out. */
  readonly made_by: readonly string[]
}

/** A batch or an import with payouts that wait for an approval. */
export interface WaitingGroup {
  readonly id: string
  readonly since: Instant
  readonly made_by: readonly string[]
  /** The sums of the waiting payouts. */
  readonly totals: readonly WaitingTotal[]
}

/** A group as a person sees it before they decide. */
export interface ShownGroup {
  /** The approvals of the waiting payouts, the oldest first, at most MAX_TOGETHER. */
  readonly waiting: readonly OpenApproval[]
  /** The sums of the same payouts. */
  readonly totals: readonly WaitingTotal[]
  /** The approvals of all payouts of the group that have ever needed one. */
  readonly counts: readonly CountedApprovals[]
}

export interface DecidedGroup {
  readonly account_id: string
  readonly group_id: string
  /** The digest of all payouts that waited. */
  readonly digest: string
  /** The statuses that the decided payouts have now. */
  readonly statuses: ReadonlyMap<PayoutStatus, number>
}
