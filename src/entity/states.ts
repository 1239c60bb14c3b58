// The approval of an entity and how its statuses follow each other, as data in one table
// (§entity.approval). A trigger of the database has the same steps and refuses every other; a test
// tries them all.

export const APPROVAL_STATUSES = [
  'pending',
  'submitted',
  'approved',
  'rejected',
  'requires_action',
  'resubmitted',
] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** What the operator's review can end in. */
export const REVIEW_RESULTS = ['approved', 'rejected', 'requires_action'] as const
export type ReviewResult = (typeof REVIEW_RESULTS)[number]

/**
 * The account submits and resubmits; `approved`, `rejected` and `requires_action` are the
 * operator's, who may set them at any time. An approved entity whose record is changed is
 * resubmitted.
 */
export const APPROVAL_TRANSITIONS: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  pending: ['submitted', 'approved', 'rejected', 'requires_action'],
  submitted: ['approved', 'rejected', 'requires_action'],
  requires_action: ['resubmitted', 'approved', 'rejected'],
  resubmitted: ['approved', 'rejected', 'requires_action'],
  approved: ['resubmitted', 'rejected', 'requires_action'],
  rejected: ['approved'],
}

/** Handed in by the account, for the operator to review. */
export const IN_REVIEW: readonly ApprovalStatus[] = ['submitted', 'resubmitted']

/** Rejected entities take no part in duplicate detection and cannot be paid for. */
export function isLive(status: ApprovalStatus): boolean {
  return status !== 'rejected'
}
