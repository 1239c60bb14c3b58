// Events as callers see them: each type with its object.
import { ConversionQuoteResponse, ConversionResponse } from '../../conversions/response.ts'
import { Id, Literals, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { BeneficiaryResponse } from '../../parties/beneficiary/response.ts'
import { EntityResponse } from '../../parties/entity/response.ts'
import { PayoutResponse } from '../../payouts/response.ts'
import { CAUSES } from '../../payouts/states.ts'
import { KEPT_DAYS } from '../../quotes/expired-store.ts'
import { QuoteResponse } from '../../quotes/response.ts'
import { NOTICES } from '../../rails/attempt.ts'
import { BalanceTransactionResponse } from '../../statements/balance-transaction/response.ts'
import { EVENTS } from '../../statements/event/event.ts'
import { EventOf } from '../../statements/event/response.ts'
import type { IdPrefix } from '../../values/id.ts'
import { WebhookEndpointEvent } from '../../webhooks/response.ts'

const ERASURE = {
  erased_rows: Type.Integer({ minimum: 0, description: 'How many rows an erasure has changed.' }),
  digest: Type.String({
    description: 'SHA-256 of the rows that the erasure has changed, in hex digits.',
  }),
}

const Approval = Type.Object(
  {
    digest: Type.String({ description: 'SHA-256 of what was to be approved, in hex digits.' }),
    given: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many people have approved.' }),
    ),
    needed: Type.Integer({ minimum: 1, description: 'How many people must approve.' }),
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
  { title: 'RailAttemptTold', description: 'The attempt, as far as its rail had reported.' },
)

const BankNotice = Type.Object(
  {
    kind: Literals(NOTICES, {
      description:
        'The bank asks to correct the payee before the next payout, or answers a return.',
    }),
    code: Type.String({ description: 'The code of the bank, such as C01.' }),
  },
  {
    title: 'BankNotice',
    description:
      'For `payout.notified`. The timeline of the payout has the words of the bank, such as ' +
      'the right account number.',
  },
)

const AcceptedNotice = Type.Object(
  {
    payout: Id('pot', 'The payout that the bank notified of.'),
    number: Type.Integer({ minimum: 1, description: 'The number of the notice in the payout.' }),
    code: Type.String({ description: 'The code of the bank, such as C01.' }),
  },
  {
    title: 'AcceptedNotice',
    description: 'For `beneficiary.updated`: the notice of a bank that the account has accepted.',
  },
)

const PayoutEvent = EventOf('payout', 'PayoutEvent', PayoutResponse, {
  by: Type.Unsafe<string>({
    type: 'string',
    enum: [...CAUSES],
    description:
      'Who caused the change: the account, the rail, the operator, the review of its ' +
      'entity, or the people who approve the payout.',
  }),
  reason: Type.String({ description: 'The reason that the person gave.' }),
  reference: Type.String({ description: 'The bank’s reference that the person gave.' }),
  journals: Type.Array(Type.Integer({ minimum: 1 }), {
    description:
      'Numbers of the journals that the change wrote in the book of the account, which GET ' +
      '/v3/payout/{id}/timeline shows.',
  }),
  answer: Type.Integer({
    minimum: 1,
    description: 'The number of the answer of the account that led to the change.',
  }),
  rail: Type.String({ description: 'For `payout.rerouted`: the rail that gets the payout.' }),
  previous_rail: Type.String({
    description: 'For `payout.rerouted`: the rail that had the payout.',
  }),
  attempt: Type.Integer({
    minimum: 1,
    description: 'For `payout.rerouted`: the number of the new attempt.',
  }),
  rail_attempt: RailAttempt,
  notice: BankNotice,
  approval: Approval,
})

const deleted = (prefix: IdPrefix, kind: string, title: string) =>
  Type.Object(
    { id: Id(prefix, 'Quote id.'), object: Type.Literal(kind), deleted: Type.Literal(true) },
    { title, description: `An unused quote, deleted ${KEPT_DAYS} days after it expired.` },
  )

const QuoteEvent = EventOf(
  'payout_quote',
  'PayoutQuoteEvent',
  Type.Union([QuoteResponse, deleted('poq', 'payout_quote', 'PayoutQuoteDeleted')]),
)
const ConversionQuoteEvent = EventOf(
  'conversion_quote',
  'ConversionQuoteEvent',
  Type.Union([
    ConversionQuoteResponse,
    deleted('coq', 'conversion_quote', 'ConversionQuoteDeleted'),
  ]),
)
const ConversionEvent = EventOf('conversion', 'ConversionEvent', ConversionResponse)
const EntityEvent = EventOf('entity', 'EntityEvent', EntityResponse, ERASURE)
const BeneficiaryEvent = EventOf('beneficiary', 'BeneficiaryEvent', BeneficiaryResponse, {
  notice: AcceptedNotice,
  approval: Approval,
  ...ERASURE,
})
const LineEvent = EventOf(
  'balance_transaction',
  'BalanceTransactionEvent',
  BalanceTransactionResponse,
)

export const EVENT_SCHEMAS = {
  payout_quote: QuoteEvent,
  payout: PayoutEvent,
  entity: EntityEvent,
  beneficiary: BeneficiaryEvent,
  balance_transaction: LineEvent,
  conversion_quote: ConversionQuoteEvent,
  conversion: ConversionEvent,
  webhook_endpoint: WebhookEndpointEvent,
} as const satisfies Record<keyof typeof EVENTS, unknown>

const MAPPING = Object.entries(EVENTS).flatMap(([kind, types]) => {
  const { title } = EVENT_SCHEMAS[kind as keyof typeof EVENTS] as { readonly title?: string }
  return types.map(type => [`${kind}.${type}`, `#/components/schemas/${title}`] as const)
})

export const EventResponse = Type.Unsafe<object>({
  title: 'AccountEvent',
  description:
    'One change of state, written in the transaction of the change. More types may be ' +
    'added: ignore types that you do not know.',
  oneOf: Object.values(EVENT_SCHEMAS),
  discriminator: { propertyName: 'type', mapping: Object.fromEntries(MAPPING) },
})
