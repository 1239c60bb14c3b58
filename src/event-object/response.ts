// Events as callers see them: each type with its object.
import { BalanceTransactionResponse } from '../balance-transaction/response.ts'
import { BeneficiaryResponse } from '../beneficiary/response.ts'
import { EntityResponse } from '../entity/response.ts'
import { EVENTS } from '../event/event.ts'
import { EventOf } from '../event/response.ts'
import { Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { PayoutResponse } from '../payout/response.ts'
import { CAUSES } from '../payout/states.ts'
import { QuoteResponse } from '../quote/response.ts'
import { WebhookEndpointEvent } from '../webhook/response.ts'

const OPERATOR = Type.String({ description: 'The name of the person who did it by hand.' })

const ERASURE = {
  erased_rows: Type.Integer({ minimum: 0, description: 'How many rows an erasure has changed.' }),
  digest: Type.String({ description: 'SHA-256 of these rows, in hex digits.' }),
}

const Approval = Type.Object(
  {
    digest: Type.String({ description: 'SHA-256 of what was to be approved, in hex digits.' }),
    given: Type.Optional(Type.Integer({ minimum: 0, description: 'How many have approved.' })),
    needed: Type.Integer({ minimum: 1, description: 'How many must.' }),
    expires_at: Type.Optional(Timestamp),
  },
  { title: 'ApprovalTold' },
)

const OrNull = Type.Union([Timestamp, Type.Null()])

const RailAttempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    rail: Type.String(),
    uetr: Type.String(),
    references: Type.Record(Type.String(), Type.String()),
    released_at: OrNull,
    expected_at: OrNull,
  },
  { title: 'RailAttemptTold', description: 'The attempt, as far as its rail had said.' },
)

const PayoutEvent = EventOf('payout', 'PayoutEvent', PayoutResponse, {
  by: Type.Unsafe<string>({
    type: 'string',
    enum: [...CAUSES],
    description:
      'Who caused it: the account, the rail, the operator, the review of its entity, or those ' +
      'who approve it.',
  }),
  operator: OPERATOR,
  reason: Type.String({ description: 'Why, as the person said.' }),
  reference: Type.String({ description: 'The bank’s reference, as the person said.' }),
  journals: Type.Array(Type.Integer({ minimum: 1 }), {
    description:
      'Numbers of the journals that it wrote in the book of the account, which ' +
      'GET /v3/payout/{id}/timeline shows.',
  }),
  answer: Type.Integer({ minimum: 1, description: 'Which answer of the account led to it.' }),
  rail: Type.String({ description: 'Of payout.rerouted: the rail that gets it.' }),
  previous_rail: Type.String({ description: 'Of payout.rerouted: the rail that had it.' }),
  attempt: Type.Integer({ minimum: 1, description: 'Of payout.rerouted: the new attempt.' }),
  rail_attempt: RailAttempt,
  approval: Approval,
})

const QuoteEvent = EventOf('payout_quote', 'PayoutQuoteEvent', QuoteResponse)
const EntityEvent = EventOf('entity', 'EntityEvent', EntityResponse, ERASURE)
const BeneficiaryEvent = EventOf('beneficiary', 'BeneficiaryEvent', BeneficiaryResponse, {
  operator: OPERATOR,
  approval: Approval,
  ...ERASURE,
})
const LineEvent = EventOf(
  'balance_transaction',
  'BalanceTransactionEvent',
  BalanceTransactionResponse,
)

/** The schema of the events of each kind of object. */
export const EVENT_SCHEMAS = {
  payout_quote: QuoteEvent,
  payout: PayoutEvent,
  entity: EntityEvent,
  beneficiary: BeneficiaryEvent,
  balance_transaction: LineEvent,
  webhook_endpoint: WebhookEndpointEvent,
} as const satisfies Record<keyof typeof EVENTS, unknown>

const MAPPING = Object.entries(EVENTS).flatMap(([kind, types]) => {
  const { title } = EVENT_SCHEMAS[kind as keyof typeof EVENTS] as { readonly title?: string }
  return types.map(type => [`${kind}.${type}`, `#/components/schemas/${title}`] as const)
})

export const EventResponse = Type.Unsafe<object>({
  title: 'AccountEvent',
  description:
    'One change of state, written in the transaction of the change. More types may come: pass ' +
    'over those that you do not know.',
  oneOf: Object.values(EVENT_SCHEMAS),
  discriminator: { propertyName: 'type', mapping: Object.fromEntries(MAPPING) },
})
