// Answers about the timeline of a payout.
import { type Maker, OPERATOR, shownMaker } from '../../accounts/maker.ts'
import { DECISIONS } from '../../controls/approval/approval.ts'
import { Id, integerOrNull, Literals, Timestamp, textOrNull } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import type { Posting } from '../../ledger/rules.ts'
import { PayoutStatus } from '../../payouts/request.ts'
import { FailureResponse } from '../../payouts/response.ts'
import { CAUSES, PAYOUT_STATUSES } from '../../payouts/states.ts'
import { isHolding } from '../../rails/attempt.ts'
import { amountToJson } from '../../values/money/json.ts'
import {
  AttemptItem,
  OF_EVENT,
  presentAttempt,
  presentReview,
  presentRoute,
  type Reader,
  RerouteItem,
  ReviewItem,
  RouteItem,
  withEvent,
} from './attempt-response.ts'
import {
  MAX_ATTEMPTS,
  MAX_STATES,
  makeTimeline,
  OUTCOMES,
  type TimelineHandling,
  type TimelineItem,
  type TimelineJournal,
  type TimelineSource,
  type TimelineState,
  type TimelineWebhook,
} from './rules.ts'

const ByHandResponse = Type.Object(
  {
    operator: Type.String({
      description:
        'The name of a person of the account; `operator` for the people who run the ' +
        'installation.',
    }),
    reference: Type.String({
      description: 'The bank’s reference of the payment, if the person gave one.',
    }),
    reason: Type.String({ description: 'The reason, if the person gave one.' }),
  },
  { title: 'ByHand', description: 'The person who acted by hand, and what the person stated.' },
)

const ASKED_BY = Type.String({
  description:
    'Who asked for it, as `made_by` of a payout; empty where nobody did: for a rail, a review, ' +
    'and an approval that ran out of time.',
})

const StateItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('state'),
    status: PayoutStatus,
    previous_status: textOrNull({
      enum: [...PAYOUT_STATUSES, null],
      description: 'Null at creation.',
    }),
    by: textOrNull({
      enum: [...CAUSES, null],
      description:
        'Who caused the state: the account, the rail, the operator, the review of the ' +
        'entity the payout was made for, or its approval. Null for states that an early ' +
        'version recorded without it.',
    }),
    made_by: ASKED_BY,
    status_description: Type.String({
      description: 'The `status_description` that the payout had then.',
    }),
    failure: Type.Union([FailureResponse, Type.Null()]),
    answer: integerOrNull({
      description:
        'The number of the answer of the account that led to the state, from 1: see POST ' +
        '/v3/payout/{id}/action. Null when none did.',
    }),
    by_hand: Type.Union([ByHandResponse, Type.Null()], {
      description: 'For states that an operator set by hand: who did it. Null otherwise.',
    }),
    ...OF_EVENT,
  },
  { title: 'TimelineState', description: 'The payout entered this status.' },
)

const HandlingItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('handling'),
    action: Literals(['taken', 'released'] as const, {
      description:
        'A person has taken the payout to pay it, after which it cannot be cancelled, or has ' +
        'given it back without paying it.',
    }),
    by_hand: ByHandResponse,
    ...OF_EVENT,
  },
  {
    title: 'TimelineHandling',
    description: 'A person took the payout to pay it by hand, or gave it back.',
  },
)

const ApprovalItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('approval'),
    decision: Literals(DECISIONS),
    by_hand: ByHandResponse,
    given: Type.Integer({ minimum: 0, description: 'How many approvals counted then.' }),
    needed: Type.Integer({ minimum: 1, description: 'How many approvals the payout needs.' }),
    ...OF_EVENT,
  },
  { title: 'TimelineApproval', description: 'A person has approved or rejected the payout.' },
)

const UpdateItem = Type.Object(
  { at: Timestamp, kind: Type.Literal('update'), made_by: ASKED_BY, ...OF_EVENT },
  { title: 'TimelineUpdate', description: 'The account has changed the metadata of the payout.' },
)

const PostingResponse = Type.Object(
  {
    code: Type.String({ description: 'The position in the book, such as `available`.' }),
    currency: Type.String(),
    amount: Type.Integer({ description: 'Signed minor units.' }),
  },
  { title: 'Posting' },
)

const JournalItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('journal'),
    event: Id('evt', 'The event of the state that wrote the journal.'),
    journal_number: Type.Integer({
      minimum: 1,
      description: 'The number of the journal in the book: from 1, without gaps.',
    }),
    journal_kind: Literals(['payout', 'settlement', 'failure', 'reversal'] as const),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The hash of the journal in the chain of the book.',
    }),
    postings: Type.Array(PostingResponse, {
      description: 'The postings; their sum is zero in each currency.',
    }),
    balance_transaction: textOrNull({
      description:
        'The line of the statement for this journal; null when the journal moves no balance.',
    }),
    balance_after: textOrNull({
      description: 'The balance after the journal, in minor units, as text.',
    }),
  },
  { title: 'TimelineJournal', description: 'What a state moved in the book of the account.' },
)

const WebhookItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('webhook_attempt'),
    endpoint: Id('whe', 'The endpoint that the event was sent to.'),
    delivery: Id('whd', 'The delivery that the attempt belongs to.'),
    event: Id('evt', 'The event that was sent.'),
    event_type: Type.String({ examples: ['payout.succeeded'] }),
    attempt: Type.Integer({
      minimum: 1,
      description: 'The number of the attempt in the delivery.',
    }),
    status_code: integerOrNull({
      description: 'The HTTP status of the answer; null when there was none.',
    }),
    error: Type.String({ description: 'Why there was no answer; empty when there was one.' }),
    outcome: Literals(OUTCOMES, {
      description:
        'The result of the attempt. An attempt that failed and was repeated since is ' +
        '`failed`.',
    }),
    retry_at: textOrNull({
      format: 'date-time',
      description: 'With `will_retry`: when the next attempt is, if the endpoint is enabled then.',
    }),
    duration_ms: Type.Integer({ minimum: 0 }),
  },
  {
    title: 'TimelineWebhookAttempt',
    description: 'An attempt to send an event to an endpoint, and its result.',
  },
)

export const TimelineResponse = Type.Object(
  {
    object: Type.Literal('payout_timeline'),
    payout: Id('pot', 'Payout id.'),
    status: Literals(PAYOUT_STATUSES, { description: 'The present status of the payout.' }),
    truncated: Type.Boolean({
      description:
        `Whether older states or webhook attempts were left out: the newest ${MAX_STATES} states ` +
        `and ${MAX_ATTEMPTS} webhook attempts are kept.`,
    }),
    archived_to: textOrNull({
      format: 'date-time',
      description:
        'Events up to this time are in an archive of the operator, and what they recorded ' +
        'is missing here. Null: all events of the payout are here.',
    }),
    under_review: Type.Boolean({
      description:
        'Whether the operator reviews what the rail has reported. Until the review ends, ' +
        'the payout does not move.',
    }),
    items: Type.Array(
      Type.Union(
        [
          StateItem,
          RouteItem,
          AttemptItem,
          ReviewItem,
          RerouteItem,
          HandlingItem,
          ApprovalItem,
          UpdateItem,
          JournalItem,
          WebhookItem,
        ],
        { title: 'TimelineItem' },
      ),
      {
        description:
          'Oldest first. Items of the same time are in this order: the state, the route, ' +
          'the attempt, its journals, its webhook attempts.',
      },
    ),
  },
  {
    title: 'PayoutTimeline',
    description: 'What happened to a payout, and why.',
  },
)

/** The timeline as this reader may see it. */
export function presentTimeline(source: TimelineSource, reader: Reader) {
  const { payout, truncated, archived_to, handOver } = source
  return {
    object: 'payout_timeline',
    payout: payout.id,
    status: payout.status,
    truncated,
    archived_to,
    under_review: handOver.exceptions.some(isHolding),
    items: makeTimeline(source).map(item => presentItem(item, reader)),
  }
}

function presentItem(item: TimelineItem, reader: Reader) {
  switch (item.kind) {
    case 'route':
      return presentRoute(item)
    case 'attempt':
      return presentAttempt(item, reader)
    case 'review':
      return presentReview(item, reader)
    case 'journal':
      return presentJournal(item)
    case 'webhook_attempt':
      return presentWebhook(item)
    case 'state':
      return withEvent({
        ...withMaker(item, reader),
        by_hand: item.by_hand && byHand(item, reader),
      })
    case 'update':
      return withEvent(withMaker(item, reader))
    case 'handling':
      return withEvent({ ...item, by_hand: byHand(item, reader) })
    default:
      return withEvent(item)
  }
}

function withMaker<Item extends { readonly made_by: Maker }>(item: Item, reader: Reader): Item {
  return reader === 'operator' ? item : { ...item, made_by: shownMaker(item.made_by) }
}

/** An account sees the names of its own people, who decide approvals, and of no others. */
function byHand(item: TimelineState | TimelineHandling, reader: Reader) {
  const { by_hand } = item
  const is_own = item.kind === 'state' && item.by === 'approval'
  return reader === 'operator' || is_own ? by_hand : { ...by_hand, operator: OPERATOR }
}

function presentJournal({ at, kind, event_id, number, journal_kind, ...item }: TimelineJournal) {
  return {
    at,
    kind,
    event: event_id,
    journal_number: Number(number),
    journal_kind,
    hash: item.hash,
    postings: item.postings.map(presentPosting),
    balance_transaction: item.line?.id ?? null,
    balance_after: item.line?.balance_after.toString() ?? null,
  }
}

function presentPosting({ code, currency, amount }: Posting) {
  return { code, currency, amount: amountToJson(amount) }
}

function presentWebhook({ at, kind, event_id, attempt, outcome, retry_at }: TimelineWebhook) {
  return {
    at,
    kind,
    endpoint: attempt.endpoint_id,
    delivery: attempt.delivery_id,
    event: event_id,
    event_type: attempt.event_type,
    attempt: attempt.number,
    status_code: attempt.status_code,
    error: attempt.error,
    outcome,
    retry_at,
    duration_ms: attempt.duration_ms,
  }
}
