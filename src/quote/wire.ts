// The shapes of quotes on the wire: request and response schemas, and the response itself.
import Type, { type Static } from 'typebox'
import { EXAMPLES } from '../http/docs.ts'
import { ListQueryOf } from '../http/list.ts'
import {
  Amount,
  Closed,
  CountryCode,
  CurrencyCode,
  Id,
  Literals,
  Minor,
  Money,
  RateNumber,
} from '../http/schema.ts'
import { type Instant, withOffset } from '../instant.ts'
import { amountToJson, rateToJson } from '../money/json.ts'
import { quoteAnswers } from './examples.ts'
import { PAYOUT_TYPES, type Quote, quoteStatus } from './rules.ts'

export const CHARGE_TYPES = ['shared', 'ours'] as const

const QUOTE_STATUSES = ['active', 'used', 'expired'] as const

export const QuoteRequest = Closed(
  {
    payout_type: Type.Optional(Literals(PAYOUT_TYPES, { default: 'local' })),
    payout_info: Closed(
      { currency: CurrencyCode, amount: Amount },
      { description: 'What is paid out; the amount that all others follow from.' },
    ),
    holding_info: Type.Optional(
      Closed(
        { currency: CurrencyCode, amount: Type.Optional(Amount) },
        { description: 'The balance that pays; an amount is an expectation that must be met.' },
      ),
    ),
    destination_info: Type.Optional(
      Closed(
        { currency: CurrencyCode, country: CountryCode, amount: Type.Optional(Amount) },
        { description: 'What arrives; an amount is an expectation that must be met.' },
      ),
    ),
    local: Type.Optional(
      Closed({
        fund_transfer_network: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      }),
    ),
    local_payment_network: Type.Optional(
      Closed({ type: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
    ),
    wallet: Type.Optional(
      Closed({ type: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
    ),
    swift: Type.Optional(Closed({ charge_type: Type.Optional(Literals(CHARGE_TYPES)) })),
    entity_id: Type.Optional(Id('ent', 'Whom the payout is made for.')),
  },
  { title: 'QuoteRequest' },
)
export type QuoteRequest = Static<typeof QuoteRequest>

const FeePart = Type.Object(
  { in_holding_currency: Minor, in_payout_currency: Minor },
  { title: 'Fee', description: 'One fee in both currencies; the holding currency is charged.' },
)

export const QuoteResponse = Type.Object(
  {
    id: Id('poq', 'Quote id.'),
    object: Type.Literal('payout_quote'),
    payout_type: Literals(PAYOUT_TYPES),
    local: Type.Object({ fund_transfer_network: Type.String() }),
    local_payment_network: Type.Object({ payment_network: Type.String() }),
    wallet: Type.Object({
      type: Type.Optional(Type.String()),
      network: Type.Optional(Type.String()),
    }),
    holding_info: Money,
    payout_info: Money,
    destination_info: Money,
    fee_info: Type.Object({ fixed: FeePart, variable: FeePart }),
    exchange_rates: Type.Object({
      holding_to_payout: RateNumber,
      payout_to_destination: RateNumber,
    }),
    valid_until: Type.String({ format: 'date-time', description: 'From this instant on: 422.' }),
    status: Literals(QUOTE_STATUSES),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'PayoutQuote',
    description: 'The fees and rates of one payout, until `valid_until` and for one use.',
    [EXAMPLES]: quoteAnswers,
  },
)

export const QuoteQuery = ListQueryOf('poq', {
  status: Literals(QUOTE_STATUSES, { description: 'As it is at the time of the request.' }),
  payout_type: Literals(PAYOUT_TYPES),
  entity_id: Id('ent', 'Whom the payout is made for.'),
})

/** The quote as service.md's table has it; `now` decides whether an unused one has expired. */
export function presentQuote(quote: Quote, now: Instant) {
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
    holding_info: money(quote.holding_currency, quote.holding_amount),
    payout_info: money(quote.payout_currency, quote.payout_amount),
    destination_info: money(quote.destination_currency, quote.destination_amount),
    fee_info: {
      fixed: feePart(quote.fixed_fee_holding, quote.fixed_fee_payout),
      variable: feePart(quote.variable_fee_holding, quote.variable_fee_payout),
    },
    exchange_rates: {
      holding_to_payout: rateToJson(quote.holding_to_payout),
      payout_to_destination: rateToJson(quote.payout_to_destination),
    },
    valid_until: withOffset(quote.valid_until),
    status: quoteStatus(quote, now),
    created_at: withOffset(quote.created_at),
    updated_at: withOffset(quote.updated_at),
  }
}

function money(currency: string, amount: bigint) {
  return { currency, amount: amountToJson(amount) }
}

function feePart(in_holding_currency: bigint, in_payout_currency: bigint) {
  return {
    in_holding_currency: amountToJson(in_holding_currency),
    in_payout_currency: amountToJson(in_payout_currency),
  }
}
