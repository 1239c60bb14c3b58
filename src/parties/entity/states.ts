// The approval statuses of an entity and the one table of steps between them (§entity.approval). A
// trigger of the database has the same table; a test tries every step.

export const APPROVAL_STATUSES = [
  'pending',
  'submitted',
  'approved',
  'rejected',
  'requires_action',
  'resubmitted',
] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

export const REVIEW_RESULTS = ['approved', 'rejected', 'requires_action'] as const
export type ReviewResult = (typeof REVIEW_RESULTS)[number]

/**
 * The account submits and resubmits; the operator approves, rejects or requires action, at any
 * time. A changed record makes an approved entity resubmitted.
 */
export const APPROVAL_TRANSITIONS: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  pending: ['submitted', 'approved', 'rejected', 'requires_action'],
  submitted: ['approved', 'rejected', 'requires_action'],
  requires_action: ['resubmitted', 'approved', 'rejected'],
  resubmitted: ['approved', 'rejected', 'requires_action'],
  approved: ['resubmitted', 'rejected', 'requires_action'],
  rejected: ['approved'],
}

/** The statuses that wait for the operator's review. */
export const IN_REVIEW: readonly ApprovalStatus[] = ['submitted', 'resubmitted']

/** Rejected entities take no part in duplicate detection, and payouts for them are refused. */
export function isLive(status: ApprovalStatus): boolean {
  return status !== 'rejected'
}
