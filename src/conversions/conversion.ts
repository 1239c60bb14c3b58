// The nouns of conversions: the quote of one, and the conversion that is made at it.
import type { Maker } from '../accounts/maker.ts'
import type { Quote, QuoteTerms } from '../quotes/quote.ts'
import type { Instant } from '../values/instant.ts'

/** What arrives is the payout amount. Nothing leaves the account, so no other term is set. */
export type ConversionTerms = QuoteTerms<'conversion'>

export type ConversionQuote = Quote<'conversion'>

/** Money of one balance that an account has changed into another of its own currencies. */
export interface Conversion {
  readonly account_id: string
  readonly id: string
  readonly quote_id: string
  /** The number of the journal that debits. The journal that credits has the next number. */
  readonly number: bigint
  readonly holding_currency: string
  readonly destination_currency: string
  readonly made_by: Maker
  readonly created_at: Instant
}

/** With the quote, which has its figures. */
export interface QuotedConversion extends Conversion {
  readonly quote: ConversionQuote
}
