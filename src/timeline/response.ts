// Answers about the timeline of a payout.

import { DECISIONS } from '../approval/approval.ts'
import { Id, integerOrNull, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Posting } from '../ledger/rules.ts'
import { amountToJson } from '../money/json.ts'
import { PayoutStatus } from '../payout/request.ts'
import { FailureResponse } from '../payout/response.ts'
import { CAUSES, PAYOUT_STATUSES } from '../payout/states.ts'
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
import { isUnderReview } from './attempts.ts'
import {
  MAX_ATTEMPTS,
  MAX_STATES,
  makeTimeline,
  OUTCOMES,
  type TimelineItem,
  type TimelineJournal,
  type TimelineSource,
  type TimelineWebhook,
} from './rules.ts'

const ByHandResponse = Type.Object(
  {
    operator: Type.String({ description: 'The name of the person.' }),
    reference: Type.String({ description: 'The bank’s reference of the payment, if it was said.' }),
    reason: Type.String({ description: 'Why, if it was said.' }),
  },
  { title: 'ByHand', description: 'Who did it by hand, and what they said of it.' },
)

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
        'Who caused it: the account, the rail, the operator, the review of the entity the ' +
        'payout was made for, or its approval. Null for steps of versions that did not write it ' +
        'down.',
    }),
    status_description: Type.String({ description: 'As the payout had it then.' }),
    failure: Type.Union([FailureResponse, Type.Null()]),
    answer: integerOrNull({
      description:
        'Which answer of the account led to it, from 1: see POST /v3/payout/{id}/action. Null ' +
        'when none did.',
    }),
    by_hand: Type.Union([ByHandResponse, Type.Null()], {
      description: 'Of steps that an operator took by name; else null.',
    }),
    ...OF_EVENT,
  },
  { title: 'TimelineState', description: 'The payout came to be in this status.' },
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
  { title: 'TimelineHandling', description: 'A payout that people pay passed from hand to hand.' },
)

const ApprovalItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('approval'),
    decision: Literals(DECISIONS),
    by_hand: ByHandResponse,
    given: Type.Integer({ minimum: 0, description: 'How many approvals counted then.' }),
    needed: Type.Integer({ minimum: 1, description: 'How many it needs.' }),
    ...OF_EVENT,
  },
  { title: 'TimelineApproval', description: 'A person has approved or rejected the payout.' },
)

const PostingResponse = Type.Object(
  {
    code: Type.String({ description: 'The position of the book, such as `available`.' }),
    currency: Type.String(),
    amount: Type.Integer({ description: 'Signed minor units.' }),
  },
  { title: 'Posting' },
)

const JournalItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('journal'),
    event: Id('evt', 'The event of the state that wrote it.'),
    journal_number: Type.Integer({ minimum: 1, description: 'From 1 in the book, without gaps.' }),
    journal_kind: Literals(['payout', 'settlement', 'failure', 'reversal'] as const),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'In the chain of the book.' }),
    postings: Type.Array(PostingResponse, { description: 'Zero in sum, in each currency.' }),
    balance_transaction: textOrNull({
      description: 'Its line of the statement; null when it moves no balance.',
    }),
    balance_after: textOrNull({
      description: 'The balance it left, in minor units, as text.',
    }),
  },
  { title: 'TimelineJournal', description: 'What a state moved in the book of the account.' },
)

const WebhookItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('webhook_attempt'),
    endpoint: Id('whe', 'Where it was sent.'),
    delivery: Id('whd', 'Of which delivery.'),
    event: Id('evt', 'What it told of.'),
    event_type: Type.String({ examples: ['payout.succeeded'] }),
    attempt: Type.Integer({ minimum: 1, description: 'Its number in the delivery.' }),
    status_code: integerOrNull({
      description: 'The HTTP status of the answer; null when there was none.',
    }),
    error: Type.String({ description: 'Why there was no answer; empty when there was one.' }),
    outcome: Literals(OUTCOMES, {
      description: 'A failed attempt that was repeated since is `failed`.',
    }),
    retry_at: textOrNull({
      format: 'date-time',
      description: 'With `will_retry`: when, if the endpoint is enabled then.',
    }),
    duration_ms: Type.Integer({ minimum: 0 }),
  },
  { title: 'TimelineWebhookAttempt', description: 'An attempt to tell an endpoint, as it ended.' },
)

export const TimelineResponse = Type.Object(
  {
    object: Type.Literal('payout_timeline'),
    payout: Id('pot', 'Payout id.'),
    status: Literals(PAYOUT_STATUSES, { description: 'As the payout is now.' }),
    truncated: Type.Boolean({
      description:
        `Whether older states or webhook attempts were left out: the newest ${MAX_STATES} states ` +
        `and ${MAX_ATTEMPTS} webhook attempts are kept.`,
    }),
    archived_to: textOrNull({
      format: 'date-time',
      description:
        'Events up to this time are in an archive of the operator, and what they told of is ' +
        'missing here. Null: all of the payout’s are here.',
    }),
    under_review: Type.Boolean({
      description:
        'Whether the operator looks at what the rail has said: until that is over nothing moves.',
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
          JournalItem,
          WebhookItem,
        ],
        { title: 'TimelineItem' },
      ),
      {
        description:
          'Oldest first; of one time each state, the route, the attempt, its journals, its ' +
          'webhook attempts.',
      },
    ),
  },
  {
    title: 'PayoutTimeline',
    description: 'What became of a payout, and why.',
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
    under_review: isUnderReview(handOver),
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
    default:
      return withEvent(item)
  }
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
