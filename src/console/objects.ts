// What the console reads of the API's objects. Numbers are text, as api.ts reads them.
import type { JsonObject } from './api.ts'

export interface Money {
  readonly amount: string
  readonly currency: string
}

export interface Balance {
  readonly available: readonly Money[]
  readonly updated_at: string
}

export interface Payout {
  readonly id: string
  readonly status: string
  readonly type: string
  readonly amount: string
  readonly currency: string
  readonly holding_currency: string
  readonly reference_id: string
  readonly quote: string
  readonly balance_transaction: string
  readonly beneficiary: string
  readonly beneficiary_details: JsonObject & { readonly name: string }
  readonly on_behalf_of: string
  readonly purpose: string
  readonly transaction_description: string
  readonly status_description: string
  readonly failure: Failure | null
  readonly rail: string
  readonly mt103: string
  readonly documents: readonly JsonObject[]
  readonly confirmation_documents: readonly JsonObject[]
  readonly metadata: JsonObject | null
  readonly created_at: string
  readonly execute_at: string | null
  readonly expected_at: string | null
}

export interface Failure {
  readonly code: string
  readonly category: string
  readonly message: string
}

export interface Quote {
  readonly id: string
  readonly payout_type: string
  readonly holding_info: Money
  readonly payout_info: Money
  readonly destination_info: Money
  readonly fee_info: {
    readonly fixed: FeePart
    readonly variable: FeePart
  }
  readonly exchange_rates: {
    readonly holding_to_payout: string
    readonly payout_to_destination: string
  }
  readonly valid_until: string
  readonly expected_at: string | null
  readonly status: string
  readonly created_at: string
}

export interface FeePart {
  readonly in_holding_currency: string
  readonly in_payout_currency: string
}

export interface Approval {
  /** The import that has made the payout; '' of others. */
  readonly payout_import: string
  readonly status: string
  readonly needed: string
  readonly given: string
  readonly digest: string
  readonly made_by: string
  readonly expires_at: string
  readonly decisions: readonly {
    readonly user: string
    readonly decision: string
    readonly reason: string
    readonly decided_at: string
  }[]
}

export type BeneficiaryApproval = Omit<Approval, 'made_by' | 'payout_import'> & {
  readonly made_by: readonly string[]
}

export interface WaitingTotal {
  readonly currency: string
  readonly payouts: string
  readonly amount: string
}

/** A batch or an import of which payouts wait. */
export interface WaitingGroup {
  readonly id: string
  readonly totals: readonly WaitingTotal[]
  readonly made_by: readonly string[]
  readonly since: string
}

export interface GroupApproval {
  readonly waiting: string
  /** Of an import: how many wait besides. */
  readonly further?: string
  readonly totals: readonly WaitingTotal[]
  readonly made_by: readonly string[]
  readonly approved_by: readonly string[]
  readonly needed: string
  readonly expires_at: string | null
  readonly digest: string
  readonly ended: readonly { readonly status: string; readonly payouts: string }[]
}

export interface Transaction {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly type: string
  readonly description: string
  readonly operation_type: string
  readonly source: string
  readonly fee_details: readonly JsonObject[]
  readonly fx_conversions: readonly JsonObject[]
  readonly net: Money
  readonly created_at: string
}

export interface Beneficiary extends JsonObject {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly status: string
  readonly email: string
  readonly destination_details: JsonObject
  readonly archived_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface Entity extends JsonObject {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly reference_id: string
  readonly approval_status: string
  readonly approval_status_description: string
  readonly created_at: string
}

export interface Event extends JsonObject {
  readonly id: string
  readonly type: string
  readonly object_id: string
  readonly sequence: string
  readonly created_at: string
  readonly data: JsonObject
  readonly previous_attributes: JsonObject
}

export interface Endpoint extends JsonObject {
  readonly id: string
  readonly url: string
  readonly status: string
  readonly disabled_reason: string
  readonly description: string
  readonly event_types: readonly string[]
  readonly created_at: string
}

export interface Delivery {
  readonly id: string
  readonly event: string
  readonly event_type: string
  readonly object_id: string
  readonly status: string
  readonly attempt_count: string
  readonly next_attempt_at: string | null
  readonly created_at: string
}
