// The answers with conversions and their quotes.
import { shownMaker } from '../accounts/maker.ts'
import { Id, Literals, MadeBy, Minor, Money, RateNumber, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { quoteStatus } from '../quotes/expiry.ts'
import { QUOTE_STATUSES } from '../quotes/request.ts'
import { money } from '../quotes/response.ts'
import { totalDebit } from '../quotes/rules.ts'
import { numberedId } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { amountToJson, rateToJson } from '../values/money/json.ts'
import type { ConversionQuote, QuotedConversion } from './conversion.ts'

const FeePart = Type.Object({ in_holding_currency: Minor }, { title: 'ConversionFee' })

/** The members of a price in answers with a quote or a conversion. */
const PRICE = {
  holding_info: Money,
  destination_info: Money,
  fee_info: Type.Object({ fixed: FeePart, variable: FeePart }, { title: 'ConversionFees' }),
  exchange_rate: RateNumber,
  total_debit: Money,
}

export const ConversionQuoteResponse = Type.Object(
  {
    id: Id('coq', 'Quote id.'),
    object: Type.Literal('conversion_quote'),
    ...PRICE,
    valid_until: Type.String({
      format: 'date-time',
      description: 'From this instant on, the quote is refused with 422.',
    }),
    status: Literals(QUOTE_STATUSES),
    made_by: MadeBy,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'ConversionQuote',
    description:
      'The rate and the fees of one conversion between two balances of the account. ' +
      '`total_debit` leaves the one, `destination_info.amount` arrives in the other. ' +
      '`exchange_rate` is units of the destination currency for one unit of the holding currency.',
  },
)

export const ConversionResponse = Type.Object(
  {
    id: Id('cnv', 'Conversion id.'),
    object: Type.Literal('conversion'),
    status: Type.Literal('completed'),
    quote: Id('coq', 'The quote that it was made at.'),
    ...PRICE,
    balance_transactions: Type.Object(
      {
        debit: Id('btr', 'The line of the holding currency.'),
        credit: Id('btr', 'The line of the destination currency.'),
      },
      { title: 'ConversionLines' },
    ),
    made_by: MadeBy,
    created_at: Timestamp,
  },
  {
    title: 'Conversion',
    description:
      'Money of one balance of the account, changed into another of its currencies. It is final ' +
      'from the start.',
  },
)

/** The answer with a quote. `now` decides whether the quote has expired. */
export function presentConversionQuote(quote: ConversionQuote, now: Instant) {
  return {
    id: quote.id,
    object: 'conversion_quote',
    ...presentPrice(quote),
    valid_until: quote.valid_until,
    status: quoteStatus(quote, now),
    made_by: shownMaker(quote.made_by),
    created_at: quote.created_at,
    updated_at: quote.updated_at,
  }
}

/** The quote as it was when it was made. */
export function presentNewConversionQuote(quote: ConversionQuote) {
  const { created_at } = quote
  return presentConversionQuote({ ...quote, status: 'active', updated_at: created_at }, created_at)
}

export function presentConversion({ quote, ...conversion }: QuotedConversion) {
  return {
    id: conversion.id,
    object: 'conversion',
    status: 'completed',
    quote: conversion.quote_id,
    ...presentPrice(quote),
    balance_transactions: {
      debit: numberedId('btr', conversion, conversion.number),
      credit: numberedId('btr', conversion, conversion.number + 1n),
    },
    made_by: shownMaker(conversion.made_by),
    created_at: conversion.created_at,
  }
}

function presentPrice(quote: ConversionQuote) {
  return {
    holding_info: money(quote.holding_currency, quote.holding_amount),
    destination_info: money(quote.destination_currency, quote.destination_amount),
    fee_info: {
      fixed: { in_holding_currency: amountToJson(quote.fixed_fee_holding) },
      variable: { in_holding_currency: amountToJson(quote.variable_fee_holding) },
    },
    exchange_rate: rateToJson(quote.holding_to_payout),
    total_debit: money(quote.holding_currency, totalDebit(quote)),
  }
}
