// Carried quotes. A payout without a quote stores its terms in its own row, and `quotes` has no
// row. These functions compute the quote from the payout's row. Its id is the payout's with another
// prefix. Pure.
import type { Maker } from '../accounts/maker.ts'
import type { DestinationDetails } from '../parties/beneficiary/request.ts'
import { withPrefix } from '../values/id.ts'
import { type Instant, plusMilliseconds, secondsBetween } from '../values/instant.ts'
import { chainName, findChain } from '../values/network/chain.ts'
import { foldedNetwork } from '../values/network/payment.ts'
import { type Basis, sourcesOf } from './basis.ts'
import type { Price, Quote, QuoteTerms } from './quote.ts'
import { feesInPayoutCurrency, marginOf } from './rules.ts'

/** The terms that no other column of the payout has; empty for a payout with a quote of its own. */
interface CarriedTerms {
  readonly destination_country: string
  readonly basis: Basis | null
  /** Seconds from the payout's `created_at` to the quote's `valid_until`. */
  readonly quote_validity_s: number | null
}

/** The terms to store with a payout that carries this quote; empty for null. */
export function carriedTerms(quote: Quote | null): CarriedTerms {
  if (quote === null) return { destination_country: '', basis: null, quote_validity_s: null }
  const { destination_country, basis, created_at, valid_until } = quote
  return { destination_country, basis, quote_validity_s: secondsBetween(created_at, valid_until) }
}

/** The id of a payout's quote, whether the payout names it or carries it. */
export function quoteIdOf(payout: { readonly id: string; readonly quote_id: string }): string {
  return payout.quote_id === '' ? withPrefix(payout.id, 'poq') : payout.quote_id
}

/** The payout's columns with its carried quote. */
export interface Carrier<Rate> extends CarriedTerms {
  readonly account_id: string
  readonly id: string
  readonly type: QuoteTerms['payout_type']
  readonly amount: bigint
  readonly currency: string
  readonly holding_currency: string
  readonly holding_amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  readonly destination_currency: string
  readonly destination_amount: bigint
  readonly holding_to_payout: Rate
  readonly payout_to_destination: Rate
  readonly beneficiary_details: { readonly destination_details: DestinationDetails }
  readonly on_behalf_of: string
  readonly fund_transfer_network: string
  readonly charge_type: string
  readonly made_by: Maker
  readonly created_at: Instant
}

export const CARRIER_COLUMNS = [
  'account_id',
  'id',
  'type',
  'amount',
  'currency',
  'holding_currency',
  'holding_amount',
  'fixed_fee',
  'variable_fee',
  'destination_currency',
  'destination_amount',
  'holding_to_payout',
  'payout_to_destination',
  'beneficiary_details',
  'on_behalf_of',
  'fund_transfer_network',
  'charge_type',
  'destination_country',
  'basis',
  'quote_validity_s',
  'made_by',
  'created_at',
] as const satisfies readonly (keyof Carrier<string>)[]

export function carriedQuoteTerms(payout: Carrier<unknown>): QuoteTerms {
  const { wallet, local_payment_network } = payout.beneficiary_details.destination_details
  const wallet_type = chainName(wallet?.type ?? '')
  return {
    payout_type: payout.type,
    holding_currency: payout.holding_currency,
    payout_currency: payout.currency,
    payout_amount: payout.amount,
    destination_currency: payout.destination_currency,
    destination_country: payout.destination_country,
    fund_transfer_network: payout.fund_transfer_network,
    payment_network: foldedNetwork(local_payment_network?.type ?? ''),
    wallet_type,
    wallet_network: findChain(wallet_type)?.network ?? '',
    charge_type: payout.charge_type,
    entity_id: payout.on_behalf_of,
  }
}

/** The figures of the payout's row, by their names in a quote. */
export function carriedFigures<Rate>(payout: Carrier<Rate>) {
  return {
    holding_amount: payout.holding_amount,
    destination_amount: payout.destination_amount,
    holding_to_payout: payout.holding_to_payout,
    payout_to_destination: payout.payout_to_destination,
    fixed_fee_holding: payout.fixed_fee,
    variable_fee_holding: payout.variable_fee,
  }
}

/** A payout's carried quote, which is `used` from the start. Throws without stored terms. */
export function carriedQuote(payout: Carrier<Price['holding_to_payout']>): Quote {
  const { account_id, id, basis, quote_validity_s, made_by, created_at } = payout
  if (basis === null || quote_validity_s === null) throw new Error(`payout ${id} carries no terms`)
  const terms = carriedQuoteTerms(payout)
  const figures = carriedFigures(payout)
  return {
    account_id,
    id: withPrefix(id, 'poq'),
    ...terms,
    ...figures,
    ...feesInPayoutCurrency({ ...terms, ...figures }),
    ...marginOf({ ...terms, ...figures }, sourcesOf(basis, terms).rates),
    basis,
    status: 'used',
    valid_until: plusMilliseconds(created_at, quote_validity_s * 1000),
    expected_at: null,
    made_by,
    created_at,
    updated_at: created_at,
  }
}
