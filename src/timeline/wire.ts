// The shape of a payout's timeline on the wire.
import Type from 'typebox'
import { EXAMPLES } from '../http/docs.ts'
import { Id, Literals, Timestamp } from '../http/schema.ts'
import type { Posting } from '../ledger/rules.ts'
import { amountToJson } from '../money/json.ts'
import { CAUSES } from '../payout/cause.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'
import { FailureResponse } from '../payout/wire.ts'
import { timelineAnswers } from './examples.ts'
import {
  MAX_ATTEMPTS,
  MAX_STATES,
  makeTimeline,
  OUTCOMES,
  type TimelineItem,
  type TimelineJournal,
  type TimelineSource,
  type TimelineState,
  type TimelineWebhook,
} from './rules.ts'

const StateItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('state'),
    status: Literals(PAYOUT_STATUSES),
    previous_status: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...PAYOUT_STATUSES, null],
      description: 'Null at creation.',
    }),
    by: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...CAUSES, null],
      description:
        'Who caused it: the account, the rail, the operator, or the review of the entity the ' +
        'payout was made for. Null for steps of versions that did not write it down.',
    }),
    status_description: Type.String({ description: 'As the payout had it then.' }),
    failure: Type.Union([FailureResponse, Type.Null()]),
    answer: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Which answer of the account led to it, from 1: see POST /v3/payout/{id}/action. Null ' +
        'when none did.',
    }),
    event: Id('evt', 'The event that tells of it.'),
    sequence: Type.Integer({ minimum: 1, description: 'The number of that event.' }),
  },
  { title: 'TimelineState', description: 'The payout came to be in this status.' },
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
    balance_transaction: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Its line of the statement; null when it moves no balance.',
    }),
    balance_after: Type.Unsafe<string | null>({
      type: ['string', 'null'],
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
    status_code: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The HTTP status of the answer; null when there was none.',
    }),
    error: Type.String({ description: 'Why there was no answer; empty when there was one.' }),
    outcome: Literals(OUTCOMES, {
      description: 'A failed attempt that was repeated since is `failed`.',
    }),
    retry_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
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
        `Whether older states or attempts were left out: the newest ${MAX_STATES} states and ` +
        `${MAX_ATTEMPTS} attempts are kept.`,
    }),
    items: Type.Array(Type.Union([StateItem, JournalItem, WebhookItem]), {
      description: 'Oldest first; of one time each state, its journals, its attempts.',
    }),
  },
  {
    title: 'PayoutTimeline',
    description: 'What became of a payout, and why.',
    [EXAMPLES]: timelineAnswers,
  },
)

export function presentTimeline(source: TimelineSource) {
  const { payout, truncated } = source
  return {
    object: 'payout_timeline',
    payout: payout.id,
    status: payout.status,
    truncated,
    items: makeTimeline(source).map(presentItem),
  }
}

function presentItem(item: TimelineItem) {
  switch (item.kind) {
    case 'state':
      return presentState(item)
    case 'journal':
      return presentJournal(item)
    case 'webhook_attempt':
      return presentWebhook(item)
  }
}

function presentState({ at, kind, event_id, sequence, ...state }: TimelineState) {
  const { status, previous_status, by, status_description, failure, answer } = state
  const facts = { status, previous_status, by, status_description, failure, answer }
  return { at, kind, ...facts, event: event_id, sequence: Number(sequence) }
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
