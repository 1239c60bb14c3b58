// The answers with quotes, and the explanations of their figures.
import type { TSchema } from 'typebox'
import { shownMaker } from '../accounts/maker.ts'
import { Id, Literals, MadeBy, Minor, Money, RateNumber, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { type Instant, withOffset } from '../values/instant.ts'
import { amountToJson, rateToJson } from '../values/money/json.ts'
import { quoteStatus } from './expiry.ts'
import { explainQuote, RATE_METHODS } from './explain.ts'
import type { Price, Quote, QuoteTerms } from './quote.ts'
import { PayoutType, QUOTE_STATUSES } from './request.ts'
import { totalDebit } from './rules.ts'

const FeePart = Type.Object(
  { in_holding_currency: Minor, in_payout_currency: Minor },
  {
    title: 'Fee',
    description: 'One fee in both currencies; the amount in the holding currency is charged.',
  },
)

export const Digits = Type.String({
  title: 'DecimalText',
  pattern: '^[0-9]+(\\.[0-9]+)?$',
  description: 'A decimal number as text, exact.',
  examples: ['7.84790132221'],
})
const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const EVALUATION = {
  formula: Type.String({
    description: 'The formula. Its names are members of the quote or of this explanation.',
  }),
  calculation: Type.String({
    description: 'The formula in numbers: * and / from left to right, amounts in minor units.',
    examples: ['1000000 / 7.84790132221'],
  }),
  unrounded: Digits,
  truncated: Type.Boolean({
    description:
      'Whether the exact result never ends: then these are its first 20 digits, not rounded.',
  }),
}

/** The members of a way between two currencies. */
const WAY = {
  method: Literals(RATE_METHODS, { description: 'How the rate book connects the two currencies.' }),
  rows: Type.Array(
    Type.Object(
      {
        base: Type.String(),
        quote: Type.String(),
        mid: Digits,
        source: Type.String(),
        as_of: Timestamp,
        inverted: Type.Boolean({
          description: 'Whether the row is used from `quote` to `base`, by dividing by `mid`.',
        }),
      },
      { title: 'RateBookRow' },
    ),
    { description: 'Rows of the rate book as they were, in the order in which they are used.' },
  ),
}

const COMPARED =
  'The way that was compared and did not decide, because it is better for the account: the ' +
  'row of the pair, or the ratio of the values of both currencies. Null when both are the same.'

/** The members of a conversion: the currencies and the rows of the rate book. */
export const RATE_ROWS = {
  from: Type.String({ description: 'Currency code.' }),
  to: Type.String({
    description: 'Currency code; the rate is the units of `to` for one unit of `from`.',
  }),
  ...WAY,
}

/** The way that lost, in the answer with an indicative rate. */
export const ComparedRows = OrNull(
  Type.Object(WAY, { title: 'ComparedRows', description: COMPARED }),
)

const ExplainedMid = Type.Object(EVALUATION, {
  title: 'ExplainedMid',
  description: 'The mid rate, before the spread.',
})

const CONVERSION = {
  ...RATE_ROWS,
  mid: ExplainedMid,
  compared_with: OrNull(
    Type.Object({ ...WAY, mid: ExplainedMid }, { title: 'ComparedWay', description: COMPARED }),
  ),
}

const ExplainedFigure = Type.Object(
  {
    figure: Type.String({ description: 'The member of the quote, or a step on the way to it.' }),
    currency: Type.String(),
    ...EVALUATION,
    rounded: Type.String({
      pattern: '^[0-9]+$',
      description: 'The rounded result, in minor units of `currency`.',
    }),
    rounding: Literals(['up', 'down', 'none']),
  },
  { title: 'ExplainedFigure' },
)

const any = (what: string) => OrNull(Type.String({ description: `${what}; null is any.` }))

const ExplainedFee = Type.Object(
  {
    payout_type: PayoutType,
    payout_currency: any('Currency code'),
    destination_country: any('Country code'),
    network: any('Network or chain'),
    charge_type: any('shared or ours'),
    fixed_amount: Digits,
    fee_currency: Type.String({
      description: 'The currency of the fixed, minimum and maximum amounts.',
    }),
    variable_bps: Type.Integer({ description: 'Basis points of holding_info.amount.' }),
    minimum_amount: OrNull(Digits),
    maximum_amount: OrNull(Digits),
  },
  { title: 'ExplainedFee', description: 'The row of the fee schedule; amounts in minor units.' },
)

const QuoteExplanation = Type.Object(
  {
    object: Type.Literal('quote_explanation'),
    currencies: Type.Array(Type.Object({ currency: Type.String(), exponent: Type.Integer() }), {
      description: 'The number of decimals of each currency.',
    }),
    rates: Type.Array(
      Type.Object(
        {
          figure: Type.String({ description: 'The member of the quote.' }),
          ...CONVERSION,
          spread_bps: Type.Integer({
            description: 'The spread that is taken off the mid rate, in hundredths of a percent.',
          }),
          ...EVALUATION,
          rounded: Digits,
          rounding: Literals(['down_12_digits', 'none']),
        },
        { title: 'ExplainedRate' },
      ),
    ),
    fee_row: OrNull(ExplainedFee),
    fee_conversion: OrNull(
      Type.Object(CONVERSION, {
        title: 'ExplainedConversion',
        description:
          'The conversion of fees into the holding currency at the mid rate; null when no fee ' +
          'was converted.',
      }),
    ),
    amounts: Type.Array(ExplainedFigure, {
      description: 'In the order in which they are calculated.',
    }),
    total_debit: ExplainedFigure,
  },
  {
    title: 'QuoteExplanation',
    description:
      'How every figure of the quote was calculated from the rates and fees of that moment. ' +
      'Numbers are text and exact.',
  },
)

/** The fees in answers with quotes and payouts. */
export const Fees = Type.Object({ fixed: FeePart, variable: FeePart }, { title: 'Fees' })

/** The members of a price in answers with a quote, a dry run or an option. */
export const PRICE = {
  holding_info: Money,
  payout_info: Money,
  destination_info: Money,
  fee_info: Fees,
  exchange_rates: Type.Object(
    { holding_to_payout: RateNumber, payout_to_destination: RateNumber },
    { title: 'ExchangeRates' },
  ),
  total_debit: Money,
}

export const QuoteResponse = Type.Object(
  {
    id: Id('poq', 'Quote id.'),
    object: Type.Literal('payout_quote'),
    payout_type: PayoutType,
    local: Type.Object({ fund_transfer_network: Type.String() }),
    local_payment_network: Type.Object({ payment_network: Type.String() }),
    wallet: Type.Object({
      type: Type.Optional(Type.String()),
      network: Type.Optional(Type.String()),
    }),
    ...PRICE,
    valid_until: Type.String({
      format: 'date-time',
      description: 'From this instant on, the quote is refused with 422.',
    }),
    expected_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'When a payout that is made together with the quote arrives at the latest, as it ' +
        'was known then; null where that is not known, and once the quote cannot be used ' +
        'any more.',
    }),
    status: Literals(QUOTE_STATUSES),
    made_by: MadeBy,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    explanation: Type.Optional(QuoteExplanation),
  },
  {
    title: 'PayoutQuote',
    description: 'The fees and rates of one payout, until `valid_until` and for one use.',
  },
)

/** The answer with a quote (§quote.shape). `now` decides whether the quote has expired. */
export function presentQuote(quote: Quote, now: Instant) {
  const status = quoteStatus(quote, now)
  const expected_at = status === 'active' ? quote.expected_at : null
  return {
    id: quote.id,
    object: 'payout_quote',
    payout_type: quote.payout_type,
    local: { fund_transfer_network: quote.fund_transfer_network },
    local_payment_network: { payment_network: quote.payment_network },
    wallet:
      quote.payout_type === 'wallet'
        ? { type: quote.wallet_type, network: quote.wallet_network }
        : {},
    ...presentPrice(quote),
    valid_until: withOffset(quote.valid_until),
    expected_at: expected_at && withOffset(expected_at),
    status,
    made_by: shownMaker(quote.made_by),
    created_at: withOffset(quote.created_at),
    updated_at: withOffset(quote.updated_at),
  }
}

export function presentPrice(quote: QuoteTerms & Omit<Price, 'basis'>) {
  return {
    holding_info: money(quote.holding_currency, quote.holding_amount),
    payout_info: money(quote.payout_currency, quote.payout_amount),
    destination_info: money(quote.destination_currency, quote.destination_amount),
    fee_info: presentFees(quote),
    exchange_rates: {
      holding_to_payout: rateToJson(quote.holding_to_payout),
      payout_to_destination: rateToJson(quote.payout_to_destination),
    },
    total_debit: money(quote.holding_currency, totalDebit(quote)),
  }
}

export function presentFees(
  fees: Pick<
    Price,
    'fixed_fee_holding' | 'fixed_fee_payout' | 'variable_fee_holding' | 'variable_fee_payout'
  >,
) {
  return {
    fixed: feePart(fees.fixed_fee_holding, fees.fixed_fee_payout),
    variable: feePart(fees.variable_fee_holding, fees.variable_fee_payout),
  }
}

export function presentExplained(quote: Quote, now: Instant) {
  return { ...presentQuote(quote, now), explanation: explainQuote(quote) }
}

export function money(currency: string, amount: bigint) {
  return { currency, amount: amountToJson(amount) }
}

function feePart(in_holding_currency: bigint, in_payout_currency: bigint) {
  return {
    in_holding_currency: amountToJson(in_holding_currency),
    in_payout_currency: amountToJson(in_payout_currency),
  }
}
