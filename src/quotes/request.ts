// The schemas of bodies and queries about quotes.
import type { Static } from 'typebox'
import { DOCUMENTED } from '../http/docs.ts'
import { IdFilter, ListQueryOf } from '../http/list.ts'
import { Several } from '../http/query.ts'
import {
  Amount,
  AmountOf,
  Closed,
  CountryCode,
  CurrencyCode,
  EntityId,
  Literals,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { PAYOUT_TYPES } from './quote.ts'

export const CHARGE_TYPES = ['shared', 'ours'] as const

export const QUOTE_STATUSES = ['active', 'used', 'expired'] as const

export const PayoutType = Literals(PAYOUT_TYPES, { title: 'PayoutType' })

const Named = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }))

export const LocalDetails = Type.Optional(Closed({ fund_transfer_network: Named }))

export const QuoteRequest = Closed(
  {
    payout_type: Type.Optional(Literals(PAYOUT_TYPES, { default: 'local' })),
    payout_info: Closed(
      { currency: CurrencyCode, amount: Type.Optional(Amount) },
      {
        description:
          'What is paid out. All other amounts are calculated from its amount, which is ' +
          'required unless `total_debit` or `destination_info.amount` is sent in its place.',
      },
    ),
    total_debit: Type.Optional(
      AmountOf(
        'In place of `payout_info.amount`: the most that may leave the balance, fees ' +
          'included, in the holding currency. The quote is for the largest payout that costs ' +
          'no more.',
      ),
    ),
    holding_info: Type.Optional(
      Closed(
        { currency: CurrencyCode, amount: Type.Optional(Amount) },
        {
          description:
            'The balance that pays. If an amount is sent, the quote must come to it; otherwise ' +
            'the quote is refused.',
        },
      ),
    ),
    destination_info: Type.Optional(
      Closed(
        { currency: CurrencyCode, country: CountryCode, amount: Type.Optional(Amount) },
        {
          description:
            'What arrives at the beneficiary. An amount beside `payout_info.amount` must be ' +
            'the one that the quote comes to; otherwise the quote is refused. An amount in ' +
            'place of `payout_info.amount` asks for the smallest payout of which that much ' +
            'arrives.',
        },
      ),
    ),
    local: LocalDetails,
    local_payment_network: Type.Optional(Closed({ type: Named })),
    wallet: Type.Optional(Closed({ type: Named })),
    swift: Type.Optional(Closed({ charge_type: Type.Optional(Literals(CHARGE_TYPES)) })),
    entity_id: Type.Optional(EntityId('The entity that the payout is made for.')),
  },
  { title: 'QuoteRequest' },
)
export type QuoteRequest = Static<typeof QuoteRequest>

export const QuoteQuery = ListQueryOf('poq', {
  status: Several(
    Literals(QUOTE_STATUSES, { description: 'The status at the time of the request.' }),
  ),
  payout_type: Several(PayoutType),
  entity_id: IdFilter('ent', 'The entity that the payout is made for.'),
})

/** Whether the answer with one quote explains it. The default is false. */
export const ExplainQuery = Closed({
  explain: Type.Optional(
    Literals(['true', 'false'], {
      description: 'Adds `explanation`: every rate, fee and rounding of the price.',
      [DOCUMENTED]: { type: 'boolean', default: false },
    }),
  ),
})
export type ExplainQuery = Static<typeof ExplainQuery>
