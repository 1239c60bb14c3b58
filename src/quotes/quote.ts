// The nouns of quotes: terms, price and quote.
import type { Maker } from '../accounts/maker.ts'
import type { Instant } from '../values/instant.ts'
import type { Decimal } from '../values/money/decimal.ts'
import type { Basis } from './basis.ts'

export const PAYOUT_TYPES = [
  'swift',
  'local',
  'local_payment_network',
  'wallet',
  'service_account',
] as const
export type PayoutType = (typeof PAYOUT_TYPES)[number]

/** What a price is for: a payout, or a conversion between two balances of one account. */
export const PRICED_TYPES = [...PAYOUT_TYPES, 'conversion'] as const
export type PricedType = (typeof PRICED_TYPES)[number]

/** Everything that a price depends on, with every default applied. '' means "not set". */
export interface QuoteTerms<Type extends PricedType = PayoutType> {
  readonly payout_type: Type
  readonly holding_currency: string
  readonly payout_currency: string
  /** Minor units of the payout currency. */
  readonly payout_amount: bigint
  readonly destination_currency: string
  readonly destination_country: string
  readonly fund_transfer_network: string
  readonly payment_network: string
  readonly wallet_type: string
  readonly wallet_network: string
  readonly charge_type: string
  readonly entity_id: string
}

/** The price of terms. Amounts are minor units. */
export interface Price {
  readonly holding_amount: bigint
  readonly destination_amount: bigint
  readonly holding_to_payout: Decimal
  readonly payout_to_destination: Decimal
  readonly fixed_fee_holding: bigint
  readonly fixed_fee_payout: bigint
  readonly variable_fee_holding: bigint
  readonly variable_fee_payout: bigint
  /** The margin of the exchange from the holding currency, in its minor units. */
  readonly fx_income_holding: bigint
  /** The margin of the exchange into the destination currency, in its minor units. */
  readonly fx_income_destination: bigint
  /** The rates, fee and spreads that made the price. */
  readonly basis: Basis
}

export interface Quote<Type extends PricedType = PayoutType> extends QuoteTerms<Type>, Price {
  readonly account_id: string
  readonly id: string
  readonly status: 'active' | 'used'
  readonly valid_until: Instant
  /**
   * When a payout made together with the quote arrives, by the routes at that time. Null for an
   * unknown arrival, a carried quote and a renewal.
   */
  readonly expected_at: Instant | null
  readonly made_by: Maker
  readonly created_at: Instant
  readonly updated_at: Instant
}

/** The amount that a request fixes instead of the payout amount, in minor units. */
export interface FixedAmount {
  /** The JSON path of the amount. */
  readonly path: 'total_debit' | 'destination_info.amount'
  readonly amount: bigint
}
