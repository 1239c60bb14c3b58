// The columns of quotes, and a quote's seal, which the event of its creation has.
import { sealOf } from '../values/digest.ts'
import type { PricedType, Quote } from './quote.ts'

export const QUOTE_KINDS = {
  account_id: 'code',
  id: 'code',
  payout_type: 'code',
  holding_currency: 'code',
  holding_amount: 'bigint',
  payout_currency: 'code',
  payout_amount: 'bigint',
  destination_currency: 'code',
  destination_country: 'code',
  destination_amount: 'bigint',
  holding_to_payout: 'decimal',
  payout_to_destination: 'decimal',
  fixed_fee_holding: 'bigint',
  fixed_fee_payout: 'bigint',
  variable_fee_holding: 'bigint',
  variable_fee_payout: 'bigint',
  fx_income_holding: 'bigint',
  fx_income_destination: 'bigint',
  basis: 'json',
  fund_transfer_network: 'text',
  payment_network: 'text',
  wallet_type: 'text',
  wallet_network: 'text',
  charge_type: 'code',
  entity_id: 'code',
  made_by: 'text',
  status: 'text',
  valid_until: 'timestamptz',
  expected_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

/** Seals every column that never changes. The payout that uses the quote proves the status. */
export const QUOTE_SEAL = sealOf<Quote<PricedType>>(QUOTE_KINDS, ['status', 'updated_at'])
