// A beneficiary: who is paid, and where.
import type { Maker } from '../../accounts/maker.ts'
import type { BeneficiaryApprovalStatus } from '../../controls/approval/approval.ts'
import type { Instant } from '../../values/instant.ts'
import type { BeneficiaryRequest } from './request.ts'

/** The details as answers show them, with every member present (§payout.fields). */
export type BeneficiaryDetails = Required<BeneficiaryRequest> & {
  readonly destination: string
  /** `erased`: only the type, country and currency of its data are left (docs/privacy.md). */
  readonly status: 'active' | 'erased'
}

export interface Beneficiary {
  readonly account_id: string
  readonly id: string
  readonly details: BeneficiaryDetails
  /** The status of its approval by people. It is not part of the record, so no seal covers it. */
  readonly approval: BeneficiaryApprovalStatus
  /** When it was archived; null if it is not. It is not part of the record either. */
  readonly archived_at: Instant | null
  readonly made_by: Maker
  readonly created_at: Instant
  readonly updated_at: Instant
}
