// The field tables of the specification as data: every field of each resource and its type.
import type { Shape } from './check.ts'

const AMOUNT_IN = { currency: 'string', amount: 'integer' } as const
const FEE = { in_holding_currency: 'integer', in_payout_currency: 'integer' } as const
const FEES = { fixed: FEE, variable: FEE } as const

export const QUOTE: Shape = {
  // Fields that Corridor adds to the table's.
  expected_at: 'string or null',
  made_by: 'string',
  total_debit: AMOUNT_IN,
  id: 'string',
  object: 'string',
  payout_type: 'string',
  local: { fund_transfer_network: 'string' },
  local_payment_network: { payment_network: 'string' },
  wallet: 'object',
  holding_info: AMOUNT_IN,
  payout_info: AMOUNT_IN,
  destination_info: AMOUNT_IN,
  fee_info: FEES,
  exchange_rates: { holding_to_payout: 'number', payout_to_destination: 'number' },
  valid_until: 'string',
  status: 'string',
  created_at: 'string',
  updated_at: 'string',
}

export const BENEFICIARY_DETAILS: Shape = {
  address: 'object',
  date_of_birth: 'string',
  destination: 'string',
  destination_details: 'object',
  documents: 'array',
  email: 'string',
  metadata: 'object',
  name: 'string',
  name_local: 'string',
  national_identification_number: 'string',
  party_classification: 'string',
  phone: 'object',
  reference_id: 'string',
  registration_number: 'string',
  status: 'string',
  tax_id: 'string',
  type: 'string',
}

export const PAYOUT: Shape = {
  // Fields that Corridor adds to the table's.
  execute_at: 'string or null',
  expected_at: 'string or null',
  made_by: 'string',
  fee_info: FEES,
  rail: 'string',
  total_debit: AMOUNT_IN,
  updated_at: 'string',
  id: 'string',
  object: 'string',
  amount: 'integer',
  currency: 'string',
  holding_currency: 'string',
  balance_transaction: 'string',
  beneficiary: 'string',
  beneficiary_details: BENEFICIARY_DETAILS,
  charge_type: 'string',
  confirmation_documents: 'array',
  documents: 'array',
  created_at: 'string',
  holding_fx_quote: 'string',
  holding_fx_transaction: 'object',
  payout_fx_transaction: 'object',
  local: { fund_transfer_network: 'string' },
  logistics_tracking_details: 'array',
  metadata: 'object or null',
  mt103: 'string',
  on_behalf_of: 'string',
  purpose: 'string',
  quote: 'string',
  reference_id: 'string',
  creditor_reference: 'string',
  statement_descriptor: 'string',
  status: 'string',
  status_description: 'string',
  failure: 'object or null',
  tracking_details: { tracking_number: 'string', tracking_type: 'string' },
  transaction_description: 'string',
  type: 'string',
}

export const FX_TRANSACTION: Shape = {
  id: 'string',
  object: 'string',
  exchange_rate: 'number',
  initial: AMOUNT_IN,
  final: AMOUNT_IN,
}

export const BALANCE_TRANSACTION: Shape = {
  id: 'string',
  object: 'string',
  amount: 'integer',
  currency: 'string',
  created_at: 'string',
  description: 'string',
  fee_details: 'array',
  fx_conversions: 'array',
  net: AMOUNT_IN,
  balance_after: 'string',
  metadata: 'object',
  operation_type: 'string',
  source: 'string',
  type: 'string',
}

/** In the order in which the service shows them; first those that the duplicate rules compare. */
export const ENTITY: Shape = {
  id: 'string',
  object: 'string',
  type: 'string',
  name: 'string',
  email: 'string',
  phone: 'object',
  description: 'string',
  vertical: 'string',
  on_behalf_of: 'string',
  national_identification_number: 'object',
  registration_number: 'string',
  registration_date: 'string',
  registration_address: 'object',
  operating_address: 'object',
  tax_id: 'string',
  purpose_of_use: 'string',
  relationship: 'string',
  representatives: 'array',
  documents: 'array',
  reference_id: 'string',
  metadata: 'object or null',
  approval_status: 'string',
  approval_status_description: 'string',
  approval_history: 'array',
  made_by: 'string',
  created_at: 'string',
  updated_at: 'string',
}

/** Quotes carry a numeric offset; payouts and balance transactions end in Z (§quote.times). */
export const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/
export const IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Ids have 24 characters with a three-letter prefix (§request.ids). */
export function idOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-9a-z]{20}$`)
}
