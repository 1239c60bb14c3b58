// The nouns of groups: payouts of a batch, or of an import, that people decide about together.
import type { OpenApproval } from '../../controls/approval/approval.ts'
import { importId } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { PayoutStatus } from '../states.ts'

/** The most payouts in one decision: the oldest waiting payouts. A batch never has more payouts. */
export const MAX_TOGETHER = 10_000

/** The group in words, such as `batch pob_…`. */
export function groupWords(id: string): string {
  return `${isImport(id) ? 'import' : 'batch'} ${id}`
}

/** The import that made the payout, `pim_…`; '' for a payout that no file made. */
export function importOf(payout: {
  readonly account_id: string
  readonly import_keys: string
}): string {
  return payout.import_keys === '' ? '' : importId(payout.account_id, payout.import_keys)
}

export function isImport(id: string): boolean {
  return id.startsWith('pim_')
}

/** The sum of payouts that wait for an approval, in minor units of the payout currency. */
export interface WaitingTotal {
  readonly currency: string
  readonly payouts: number
  readonly amount: bigint
}

/** How many approvals of a group have this outcome; '' for approvals that wait. */
export interface CountedApprovals {
  readonly outcome: OpenApproval['approval']['outcome']
  readonly payouts: number
}

/**
 * The waiting payouts of one batch or import in one currency, among the account's MAX_TOGETHER
 * oldest waiting payouts.
 */
export interface WaitingPart extends WaitingTotal {
  /** The batch; '' of an import. */
  readonly batch_id: string
  /** The first characters of the keys of an import's rows; '' of a batch. */
  readonly beginning: string
  /** When the first of the waiting payouts was made. */
  readonly since: Instant
  /** The makers of the payouts, or the owners of the keys that made them. */
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

export interface ShownGroup {
  /** The approvals of the waiting payouts, the oldest first, at most MAX_TOGETHER. */
  readonly waiting: readonly OpenApproval[]
  /** The sums of the waiting payouts. */
  readonly totals: readonly WaitingTotal[]
  /** The counts of all approvals that the group's payouts have ever needed. */
  readonly counts: readonly CountedApprovals[]
}

/** The result of one decision about a group. */
export interface DecidedGroup {
  readonly account_id: string
  readonly group_id: string
  /** The digest of all payouts that waited. */
  readonly digest: string
  /** The statuses that the decided payouts have now. */
  readonly statuses: ReadonlyMap<PayoutStatus, number>
}
