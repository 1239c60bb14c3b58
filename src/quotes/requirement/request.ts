// The query of GET /v3/payout/requirements.
import type { Static } from 'typebox'
import { Closed, Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { PAYOUT_TYPES } from '../quote.ts'

export const RequirementsQuery = Closed({
  type: Type.Optional(Literals(PAYOUT_TYPES, { default: 'local' })),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3,4}$',
      description: 'The currency that arrives; required for local payouts.',
      examples: ['GBP'],
    }),
  ),
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'The country of the account; not for wallets and service accounts.',
      examples: ['GB'],
    }),
  ),
  network: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The local network, the local payment network or the chain.',
      examples: ['faster_payments'],
    }),
  ),
})
export type RequirementsQuery = Static<typeof RequirementsQuery>
