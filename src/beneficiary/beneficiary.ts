// A beneficiary: who is paid, and where.
import type { BeneficiaryApprovalStatus } from '../approval/approval.ts'
import type { Instant } from '../instant.ts'
import type { BeneficiaryRequest } from './request.ts'

/** The details as answers show them, with every member present (§payout.fields). */
export type BeneficiaryDetails = Required<BeneficiaryRequest> & {
  readonly destination: string
  /** Erased: of its data only type, country and currency are left (docs/privacy.md). */
  readonly status: 'active' | 'erased'
}

export interface Beneficiary {
  readonly account_id: string
  readonly id: string
  readonly details: BeneficiaryDetails
  /** Beside its record: no seal has it, as it is what people say of the record. */
  readonly approval: BeneficiaryApprovalStatus
  /** Beside its record, too; null: it is not archived. */
  readonly archived_at: Instant | null
  readonly created_at: Instant
  readonly updated_at: Instant
}
