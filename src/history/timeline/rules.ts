// Makes the timeline of a payout, in one list ordered by time and cause. Pure.
import type { Maker } from '../../accounts/maker.ts'
import type { Decision } from '../../controls/approval/approval.ts'
import type { Journal, JournalKind, Posting } from '../../ledger/rules.ts'
import type { Payout } from '../../payouts/payout.ts'
import type { Cause, EventCause, PayoutStatus } from '../../payouts/states.ts'
import type { Failure } from '../../rails/rail.ts'
import type { RouteTaken } from '../../rails/rules.ts'
import { lineOf } from '../../statements/balance-transaction/columns.ts'
import type { NamedEvent } from '../../statements/event/event.ts'
import { makerIn } from '../../statements/event/rules.ts'
import type { Instant } from '../../values/instant.ts'
import type { Attempt, Delivery } from '../../webhooks/webhook.ts'
import { attemptsOf, type HandOver, type TimelineAttempt, type TimelineReview } from './attempts.ts'

/** A timeline has the newest states and webhook attempts, at most this many of each. */
export const MAX_STATES = 1_000
export const MAX_ATTEMPTS = 1_000

/** A webhook attempt with the current state of its delivery; `due_at` is by the account's clock. */
export interface WebhookAttempt
  extends Pick<
      Delivery,
      'endpoint_id' | 'event_id' | 'event_sequence' | 'event_type' | 'status' | 'attempts'
    >,
    Omit<Attempt, 'account_id' | 'answer'> {
  readonly due_at: Instant | null
}

export interface TimelineSource {
  readonly payout: Payout
  readonly events: readonly NamedEvent[]
  readonly journals: readonly Journal[]
  readonly handOver: HandOver
  readonly webhook_attempts: readonly WebhookAttempt[]
  /** Whether older states or webhook attempts were left out. */
  readonly truncated: boolean
  /** Only an archive has events up to this time. Null when all of the payout's events are here. */
  readonly archived_to: Instant | null
}

/** The event of an item: it reports the item or has caused it. */
export interface OfEvent {
  readonly at: Instant
  readonly event_id: string
  readonly sequence: bigint
}

/** The rail that the payout was routed to at creation, and why. */
export interface TimelineRoute extends OfEvent {
  readonly kind: 'route'
  readonly rail: string
  readonly route: RouteTaken | null
}

/** The payout's rail has proved that it did not take it, and the next rail gets it. */
export interface TimelineReroute extends OfEvent {
  readonly kind: 'reroute'
  readonly rail: string
  readonly previous_rail: string
  readonly attempt: number
  readonly by: Cause
}

/** A person took the payout to pay it by hand, or released it unpaid. */
export interface TimelineHandling extends OfEvent {
  readonly kind: 'handling'
  readonly action: 'taken' | 'released'
  readonly by_hand: ByHand
}

/** A person has approved or rejected the payout while it waited for approval. */
export interface TimelineApproval extends OfEvent {
  readonly kind: 'approval'
  readonly decision: Decision
  readonly by_hand: ByHand
  /** How many approvals counted with this one, and how many were needed. */
  readonly given: number
  readonly needed: number
}

/** The person who acted by hand, with the given reference and reason; '' for none. */
interface ByHand {
  readonly operator: string
  readonly reference: string
  readonly reason: string
}

export interface TimelineState extends OfEvent {
  readonly kind: 'state'
  readonly status: PayoutStatus
  /** Null at creation. */
  readonly previous_status: PayoutStatus | null
  /** Null for events that name no cause. */
  readonly by: Cause | null
  /** Who asked for it; '' for a rail, a review or a time that ran out. */
  readonly made_by: Maker
  readonly status_description: string
  readonly failure: Failure | null
  /** The number of the account's answer that caused it; null for none. */
  readonly answer: number | null
  /** Null unless a named operator took the step. */
  readonly by_hand: ByHand | null
}

/** The account has changed the metadata. */
export interface TimelineUpdate extends OfEvent {
  readonly kind: 'update'
  readonly made_by: Maker
}

export interface TimelineJournal extends OfEvent {
  readonly kind: 'journal'
  readonly number: bigint
  readonly journal_kind: JournalKind
  readonly hash: string
  readonly postings: readonly Posting[]
  /** Null when it moves no balance. */
  readonly line: { readonly id: string; readonly balance_after: bigint } | null
}

export const OUTCOMES = ['delivered', 'will_retry', 'failed'] as const
export interface TimelineWebhook extends OfEvent {
  readonly kind: 'webhook_attempt'
  readonly attempt: WebhookAttempt
  readonly outcome: (typeof OUTCOMES)[number]
  /** Set if and only if the outcome is `will_retry`. */
  readonly retry_at: Instant | null
}

export type TimelineItem =
  | TimelineState
  | TimelineRoute
  | TimelineAttempt
  | TimelineReview
  | TimelineReroute
  | TimelineHandling
  | TimelineApproval
  | TimelineUpdate
  | TimelineJournal
  | TimelineWebhook

/** The data of a payout's event. */
interface Facts extends Partial<EventCause>, Partial<ByHand> {
  readonly status: PayoutStatus
  readonly previous_status?: PayoutStatus
  readonly failure?: Failure | null
  readonly status_description?: string
  readonly answer?: number
  readonly rail?: string
  readonly previous_rail?: string
  readonly attempt?: number
  readonly approval?: { readonly given: number; readonly needed: number }
}

function factsOf(event: NamedEvent): Facts {
  return event.data as Facts
}

function eventOf({ id: event_id, sequence, created_at: at }: NamedEvent): OfEvent {
  return { at, event_id, sequence }
}

export function journalsNamed(events: readonly NamedEvent[]): bigint[] {
  return events.flatMap(event => (factsOf(event).journals ?? []).map(BigInt))
}

/**
 * Oldest first. Items of one time are in the order of their events, items of one event in that of
 * RANKS. An item without an event follows the last event before it.
 */
export function makeTimeline(source: TimelineSource): TimelineItem[] {
  const events = source.events.toSorted((a, b) => compare(a.sequence, b.sequence))
  const { payout, handOver } = source
  const items = [
    ...statesOf(
      events.filter(({ type }) => !NO_STATES.has(type)),
      payout,
    ),
    ...routeOf(payout, events[0]),
    ...attemptsOf(payout, handOver),
    ...handOver.exceptions.map(it => ({
      kind: 'review' as const,
      at: it.opened_at,
      exception: it,
    })),
    ...events.flatMap(rerouteOf),
    ...events.flatMap(handlingOf),
    ...events.flatMap(approvalOf),
    ...events.flatMap(updateOf),
    ...journalsOf(events, source.journals),
    ...source.webhook_attempts.map(webhookOf),
  ]
  const event_times = new Map(events.map(({ id, created_at }) => [id, created_at]))
  // No item precedes its event, even when the database's clock was set back in between.
  const timeOf = (item: TimelineItem) => {
    const caused_at = ('event_id' in item ? event_times.get(item.event_id) : undefined) ?? item.at
    return item.at < caused_at ? caused_at : item.at
  }
  const sequenceOf = (item: TimelineItem) => {
    if ('sequence' in item) return item.sequence
    return events.findLast(({ created_at }) => created_at <= item.at)?.sequence ?? 0n
  }
  return items.toSorted(
    (a, b) =>
      compare(timeOf(a), timeOf(b)) ||
      compare(sequenceOf(a), sequenceOf(b)) ||
      RANKS[a.kind] - RANKS[b.kind] ||
      compare(a.at, b.at) ||
      compare(numberOf(a), numberOf(b)) ||
      compare(deliveryOf(a), deliveryOf(b)),
  )
}

const RANKS = {
  state: 0,
  reroute: 0,
  route: 1,
  handling: 1,
  approval: 1,
  update: 1,
  attempt: 2,
  review: 3,
  journal: 4,
  webhook_attempt: 5,
} as const

function numberOf(item: TimelineItem): bigint {
  switch (item.kind) {
    case 'journal':
      return item.number
    case 'attempt':
      return BigInt(item.number)
    case 'review':
      return BigInt(item.exception.number)
    case 'webhook_attempt':
      return BigInt(item.attempt.number)
    default:
      return 0n
  }
}

function deliveryOf(item: TimelineItem): string {
  return item.kind === 'webhook_attempt' ? item.attempt.delivery_id : ''
}

function compare<T extends bigint | string>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** One state for each event. A payout held or paid at creation has two events of one state. */
function statesOf(events: readonly NamedEvent[], payout: Payout): TimelineState[] {
  const states: TimelineState[] = []
  for (const event of events) {
    const { status, previous_status = null, failure = null, by = null } = factsOf(event)
    const { status_description = '', answer = null } = factsOf(event)
    const last = states.at(-1)
    if (last?.previous_status === null && previous_status === null) {
      states.splice(-1, 1, { ...last, status_description })
      continue
    }
    states.push({
      ...eventOf(event),
      kind: 'state',
      status,
      previous_status,
      by,
      made_by: (previous_status === null ? payout.made_by : makerIn(event)) ?? '',
      status_description,
      failure,
      answer,
      by_hand: byHandOf(event),
    })
  }
  return states
}

function byHandOf(event: NamedEvent): ByHand | null {
  const { operator, reference = '', reason = '' } = factsOf(event)
  return operator === undefined ? null : { operator, reference, reason }
}

/** None without a rail, as of service_account, and none when the creation was left out. */
function routeOf(
  { first_rail: rail, route }: Payout,
  created: NamedEvent | undefined,
): TimelineRoute[] {
  if (rail === '' || created?.type !== 'payout.created') return []
  return [{ ...eventOf(created), kind: 'route', rail, route }]
}

const REROUTED = 'payout.rerouted'

function rerouteOf(event: NamedEvent): TimelineReroute[] {
  const { rail, previous_rail, attempt, by } = factsOf(event)
  if (event.type !== REROUTED || !rail || !previous_rail || !attempt || !by) return []
  return [{ kind: 'reroute', ...eventOf(event), rail, previous_rail, attempt, by }]
}

/** Actions by event type. */
const HANDLED: Readonly<Record<string, TimelineHandling['action']>> = {
  'payout.taken': 'taken',
  'payout.released': 'released',
}

/** Decisions by event type. */
const DECIDED: Readonly<Record<string, Decision>> = {
  'payout.approved': 'approve',
  'payout.rejected': 'reject',
}

const UPDATED = 'payout.updated'

/** Events after which a payout stays in its status. */
const NO_STATES: ReadonlySet<string> = new Set([
  ...Object.keys(HANDLED),
  ...Object.keys(DECIDED),
  REROUTED,
  'payout.sent',
  'payout.notified',
  UPDATED,
  'payout.erased',
])

function updateOf(event: NamedEvent): TimelineUpdate[] {
  if (event.type !== UPDATED) return []
  return [{ kind: 'update', ...eventOf(event), made_by: makerIn(event) ?? '' }]
}

function approvalOf(event: NamedEvent): TimelineApproval[] {
  const decision = DECIDED[event.type]
  const by_hand = byHandOf(event)
  const { approval } = factsOf(event)
  if (decision === undefined || by_hand === null || approval === undefined) return []
  const { given, needed } = approval
  return [{ kind: 'approval', ...eventOf(event), decision, by_hand, given, needed }]
}

function handlingOf(event: NamedEvent): TimelineHandling[] {
  const action = HANDLED[event.type]
  const by_hand = byHandOf(event)
  if (action === undefined || by_hand === null) return []
  return [{ ...eventOf(event), kind: 'handling', action, by_hand }]
}

function journalsOf(
  events: readonly NamedEvent[],
  journals: readonly Journal[],
): TimelineJournal[] {
  const causes = new Map(
    events.flatMap(event => journalsNamed([event]).map(number => [number, event] as const)),
  )
  return journals.flatMap(journal => {
    const { number, kind: journal_kind, hash, postings, created_at: at } = journal
    const cause = causes.get(number)
    if (cause === undefined) return []
    const { id: event_id, sequence } = cause
    const line = lineOf(journal) ?? null
    return [{ kind: 'journal', at, event_id, sequence, number, journal_kind, hash, postings, line }]
  })
}

/** Only the newest attempt of a pending delivery is retried. */
function webhookOf(attempt: WebhookAttempt): TimelineWebhook {
  const { created_at: at, event_id, event_sequence: sequence, status_code } = attempt
  const succeeded = status_code !== null && status_code >= 200 && status_code < 300
  const waits = attempt.status === 'pending' && attempt.number === attempt.attempts
  const retry_at = succeeded || !waits ? null : attempt.due_at
  const failed = retry_at === null ? 'failed' : 'will_retry'
  const outcome = succeeded ? 'delivered' : failed
  return { kind: 'webhook_attempt', at, event_id, sequence, attempt, outcome, retry_at }
}
