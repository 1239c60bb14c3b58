// The columns of payouts and of their states, and the digest of a payout that its events carry.
import { sealOf } from '../seal.ts'
import type { Payout } from './rules.ts'

/** What a payout is made with, and stays. */
export const PAYOUT_KINDS = {
  account_id: 'text',
  id: 'text',
  quote_id: 'text',
  type: 'text',
  amount: 'bigint',
  currency: 'text',
  holding_currency: 'text',
  holding_amount: 'bigint',
  fixed_fee: 'bigint',
  variable_fee: 'bigint',
  destination_currency: 'text',
  destination_amount: 'bigint',
  holding_to_payout: 'decimal',
  payout_to_destination: 'decimal',
  holding_fx_id: 'text',
  payout_fx_id: 'text',
  balance_transaction_id: 'text',
  beneficiary_id: 'text',
  beneficiary_details: 'json',
  particulars: 'json',
  fund_transfer_network: 'text',
  charge_type: 'text',
  destination_country: 'text',
  basis: 'json',
  quote_validity_s: 'integer',
  rail: 'text',
  route: 'json',
  mt103: 'text',
  import_keys: 'text',
  created_at: 'timestamptz',
} as const

/** How it stands: of `open_payouts`, and of `payout_outcomes` when it is over. */
export const STATE_KINDS = {
  status: 'text',
  status_description: 'text',
  failure: 'json',
  rail_steps: 'integer',
  held_for: 'text',
  answers: 'json',
  rail_reference: 'text',
  taken_by: 'text',
  taken_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

/**
 * All that a step of the payout leaves for good. How far the rail was asked changes between steps,
 * and is held against them by `corridor verify`.
 */
export const PAYOUT_SEAL = sealOf<Payout>({ ...PAYOUT_KINDS, ...STATE_KINDS }, ['rail_steps'])
