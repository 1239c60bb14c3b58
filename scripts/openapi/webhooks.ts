// The webhooks of openapi.json: the request to an endpoint for each event type, its signature
// headers, and the effect of the endpoint's answer.

import { EVENT_SCHEMAS } from '../../src/history/event-object/response.ts'
import { EVENTS, type EventType } from '../../src/statements/event/event.ts'
import { headerParameters, type Json } from './components.ts'

/** The summary of each event type. */
const SUMMARIES: Readonly<Record<EventType, string>> = {
  'payout_quote.created': 'A quote was made.',
  'payout.created': 'A payout was made.',
  'payout.pending_approval': 'A payout waits until people approve it.',
  'payout.approved': 'A person has approved a payout; it may need more approvals.',
  'payout.rejected': 'A person has rejected a payout.',
  'payout.processing': 'A payout is on its way.',
  'payout.requires_action': 'A payout waits for an answer of the account.',
  'payout.compliance_hold': 'A payout is held for a review.',
  'payout.succeeded': 'A payout has arrived.',
  'payout.failed': 'A payout has failed; its money is back.',
  'payout.reversed': 'A payout has come back after it had arrived; its money is back.',
  'payout.sent': 'The rail of a payout has sent it on.',
  'payout.rerouted': 'A payout goes to another rail, or to the same rail again.',
  'payout.taken': 'A person has taken a payout to pay it.',
  'payout.released': 'A person has given a payout back unpaid.',
  'payout.notified':
    'The bank asks to correct the payee of a payout, or answers its return. The payout stays as it is.',
  'payout.updated': 'The metadata of a payout was changed.',
  'payout.erased': 'The personal data of a payout is erased.',
  'entity.created': 'An entity was made.',
  'entity.updated': 'The record of an entity was changed.',
  'entity.approval_pending': 'The review of an entity has not begun.',
  'entity.approval_submitted': 'An entity was submitted for its review.',
  'entity.approval_approved': 'An entity is approved.',
  'entity.approval_rejected': 'An entity is rejected.',
  'entity.approval_requires_action': 'The review of an entity waits for the account.',
  'entity.approval_resubmitted': 'An entity was resubmitted for its review.',
  'entity.erased': 'The personal data of an entity is erased.',
  'beneficiary.created': 'A beneficiary was made.',
  'beneficiary.updated': 'A beneficiary was changed.',
  'beneficiary.pending_approval': 'A beneficiary waits until people approve it.',
  'beneficiary.approved': 'A person has approved a beneficiary; it may need more approvals.',
  'beneficiary.rejected': 'A person has rejected a beneficiary.',
  'beneficiary.archived': 'A beneficiary was archived: it cannot be paid.',
  'beneficiary.unarchived': 'A beneficiary was unarchived.',
  'beneficiary.erased': 'The personal data of a beneficiary is erased.',
  'balance_transaction.created': 'Money has moved on a balance.',
  'conversion_quote.created': 'A quote of a conversion was made.',
  'conversion.completed': 'Money of one balance was changed into another currency of the account.',
  'webhook_endpoint.test': 'A test event was requested for the endpoint, and goes only to it.',
}

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'The id of the event, the same in every attempt and replay.',
  'webhook-timestamp': 'When it was signed: Unix time in seconds.',
  'webhook-signature':
    '`v1,` and the base64 of the HMAC-SHA256 of id, time and body, joined by points; several, ' +
    'separated by spaces, while a secret is being changed.',
}

/** The parameters of all webhooks, which are components. */
export const WEBHOOK_PARAMETERS: Json = headerParameters(HEADERS)

/** The effects of an endpoint's answers, which are components. */
export const WEBHOOK_RESPONSES: Json = {
  WebhookTaken: { description: 'The event is delivered, and is not sent again.' },
  WebhookGone: {
    description: 'The endpoint is disabled; its deliveries wait until it is enabled.',
  },
  WebhookRefused: {
    description:
      'After any other answer, or 15 seconds without an answer, the event is sent again, for ' +
      'up to 24 hours.',
  },
}

const RESPONSES: Json = {
  '2XX': { $ref: '#/components/responses/WebhookTaken' },
  410: { $ref: '#/components/responses/WebhookGone' },
  default: { $ref: '#/components/responses/WebhookRefused' },
}

/** The webhooks by event type. */
export function webhooks(tag: string): Json {
  const kinds = Object.entries(EVENTS) as [keyof typeof EVENTS, readonly string[]][]
  return Object.fromEntries(
    kinds.flatMap(([kind, types]) =>
      types.map(what => [`${kind}.${what}`, { post: webhook(kind, `${kind}.${what}`, tag) }]),
    ),
  )
}

function webhook(kind: keyof typeof EVENTS, type: string, tag: string): Json {
  const { title } = EVENT_SCHEMAS[kind] as { readonly title?: string }
  const schema = {
    allOf: [
      { $ref: `#/components/schemas/${title}` },
      { properties: { type: { type: 'string', const: type } } },
    ],
  }
  return {
    operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: SUMMARIES[type as EventType],
    tags: [tag],
    parameters: Object.keys(HEADERS).map(name => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: RESPONSES,
  }
}
