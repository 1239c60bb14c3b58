// The queries of GET /v3/currency and GET /v3/network.
import type { Static } from 'typebox'
import { CurrencyFilter, CurrencyText } from '../../http/list.ts'
import { Closed, Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'

export const CurrencyQuery = Closed({
  code: Type.Optional(CurrencyFilter('Only the currency of this code.')),
})
export interface CurrencyQuery {
  readonly code?: readonly string[]
}

/** The payout types that name a network. */
export const NETWORK_TYPES = ['local', 'local_payment_network', 'wallet'] as const

export const NetworkQuery = Closed({
  type: Type.Optional(
    Literals(NETWORK_TYPES, { description: 'Only networks of this payout type.' }),
  ),
  currency: Type.Optional(CurrencyText('Only networks that carry this currency.', 'GBP')),
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      description:
        'Only networks that pay to accounts or keys of this country. A chain has no country, so ' +
        'the answer then has no chains.',
      examples: ['GB'],
    }),
  ),
})
export type NetworkQuery = Static<typeof NetworkQuery>
