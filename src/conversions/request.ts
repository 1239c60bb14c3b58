// The schemas of bodies and queries about conversions. Their members have the names of payout
// quotes.
import type { Static } from 'typebox'
import { CurrencyFilter, ListQueryOf } from '../http/list.ts'
import { Amount, AmountOf, Closed, CurrencyCode, Id } from '../http/schema.ts'
import { Type } from '../http/type.ts'

export const ConversionQuoteRequest = Closed(
  {
    holding_info: Closed({ currency: CurrencyCode }, { description: 'The balance to take from.' }),
    destination_info: Closed(
      { currency: CurrencyCode, amount: Type.Optional(Amount) },
      {
        description:
          'The balance to add to. An amount asks for exactly that much. It is required unless ' +
          '`total_debit` is sent in its place.',
      },
    ),
    total_debit: Type.Optional(
      AmountOf(
        'In place of `destination_info.amount`: the most that may leave the balance, fees ' +
          'included, in the holding currency. The quote is for the largest amount that costs no ' +
          'more.',
      ),
    ),
  },
  { title: 'ConversionQuoteRequest' },
)
export type ConversionQuoteRequest = Static<typeof ConversionQuoteRequest>

export const ConversionRequest = Closed(
  { quote: Id('coq', 'The quote whose rate and fees apply.') },
  { title: 'ConversionRequest' },
)
export type ConversionRequest = Static<typeof ConversionRequest>

export const ConversionQuery = ListQueryOf('cnv', {
  holding_currency: CurrencyFilter('The currency that was converted.'),
  destination_currency: CurrencyFilter('The currency that it was converted into.'),
})
