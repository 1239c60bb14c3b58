// Payouts that people decide about together: those of a batch, or those that one import has made.
import type { OpenApproval } from '../approval/approval.ts'
import type { Instant } from '../instant.ts'
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

/** What waits of each batch and import, by currency, among the payouts that wait longest. */
export interface WaitingPart extends WaitingTotal {
  /** The batch; '' of an import. */
  readonly batch_id: string
  /** What the keys of the rows of an import begin with; '' of a batch. */
  readonly beginning: string
  /** When the first of its payouts that wait was made. */
  readonly since: Instant
  /** Who made them; a key that is nobody's is left out. */
  readonly made_by: readonly string[]
}

/** A batch or an import of which payouts wait for an approval. */
export interface WaitingGroup {
  readonly id: string
  readonly since: Instant
  readonly made_by: readonly string[]
  /** Of those that wait. */
  readonly totals: readonly WaitingTotal[]
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
