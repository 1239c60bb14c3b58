// The timeline of a payout as pure functions: its states, the journals they wrote and the attempts
// to tell of them, in one order that follows time and cause. It knows what was read, not how.
import type { Event } from '../event/rules.ts'
import type { Instant } from '../instant.ts'
import type { Journal, JournalKind, Posting } from '../ledger/rules.ts'
import type { Cause, Caused } from '../payout/cause.ts'
import type { Payout } from '../payout/rules.ts'
import type { PayoutStatus } from '../payout/states.ts'
import type { Failure } from '../rail/rail.ts'
import type { Attempt, Delivery } from '../webhook/rules.ts'

/** Most states, and most attempts, of one timeline: the newest. */
export const MAX_STATES = 1_000
export const MAX_ATTEMPTS = 1_000

/** The statement line of a journal. */
export interface TimelineLine {
  readonly id: string
  readonly journal_number: bigint
  readonly balance_after: bigint
}

/** An attempt with its delivery as that stands now; `due_at` by the account's clock. */
export interface TimelineAttempt
  extends Pick<
      Delivery,
      'endpoint_id' | 'event_id' | 'event_sequence' | 'event_type' | 'status' | 'attempts'
    >,
    Omit<Attempt, 'account_id' | 'answer'> {
  readonly due_at: Instant | null
}

/** Everything that a timeline is made of, of one payout and its account alone, in no order. */
export interface TimelineSource {
  readonly payout: Payout
  readonly events: readonly Event[]
  readonly journals: readonly Journal[]
  readonly lines: readonly TimelineLine[]
  readonly attempts: readonly TimelineAttempt[]
  /** There are more states or attempts, which are older. */
  readonly truncated: boolean
}

export interface TimelineState {
  readonly kind: 'state'
  readonly at: Instant
  readonly status: PayoutStatus
  /** Null at creation. */
  readonly previous_status: PayoutStatus | null
  /** Null when the event does not say, being older than causes. */
  readonly by: Cause | null
  readonly status_description: string
  readonly failure: Failure | null
  /** The number of the account's answer that led to it, null when none did. */
  readonly answer: number | null
  readonly event_id: string
  readonly sequence: bigint
}

export interface TimelineJournal {
  readonly kind: 'journal'
  readonly at: Instant
  /** Of the state that wrote it. */
  readonly event_id: string
  readonly sequence: bigint
  readonly number: bigint
  readonly journal_kind: JournalKind
  readonly hash: string
  readonly postings: readonly Posting[]
  /** Null when no balance was moved. */
  readonly line: TimelineLine | null
}

export const OUTCOMES = ['delivered', 'will_retry', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface TimelineWebhook {
  readonly kind: 'webhook_attempt'
  readonly at: Instant
  readonly event_id: string
  readonly sequence: bigint
  readonly attempt: TimelineAttempt
  readonly outcome: Outcome
  /** Set when and only when it will be tried again. */
  readonly retry_at: Instant | null
}

export type TimelineItem = TimelineState | TimelineJournal | TimelineWebhook

/** What the event of a payout says. Those of earlier versions lack the cause and the journals. */
interface Facts extends Partial<Caused> {
  readonly status: PayoutStatus
  readonly previous_status?: PayoutStatus
  readonly failure?: Failure | null
  readonly status_description?: string
  readonly answer?: number
}

function factsOf(event: Event): Facts {
  return event.data as Facts
}

/** The journals that the events of a payout name. */
export function journalsNamed(events: readonly Event[]): bigint[] {
  return events.flatMap(event => (factsOf(event).journals ?? []).map(BigInt))
}

/** Oldest first: by time; at one time by event, and of one event its state, journals, attempts. */
export function makeTimeline(source: TimelineSource): TimelineItem[] {
  const events = source.events.toSorted((a, b) => compare(a.sequence, b.sequence))
  const items = [
    ...statesOf(events),
    ...journalsOf(events, source.journals, source.lines),
    ...source.attempts.map(webhookOf),
  ]
  const places = new Map(events.map(({ id, created_at }) => [id, created_at]))
  // Nothing stands before its cause, even where the clock of the database was set back in between.
  const placeOf = ({ at, event_id }: TimelineItem) => {
    const caused_at = places.get(event_id) ?? at
    return at < caused_at ? caused_at : at
  }
  return items.toSorted(
    (a, b) =>
      compare(placeOf(a), placeOf(b)) ||
      compare(a.sequence, b.sequence) ||
      RANKS[a.kind] - RANKS[b.kind] ||
      compare(a.at, b.at) ||
      compare(numberOf(a), numberOf(b)) ||
      compare(deliveryOf(a), deliveryOf(b)),
  )
}

const RANKS = { state: 0, journal: 1, webhook_attempt: 2 } as const

function numberOf(item: TimelineItem): bigint {
  if (item.kind === 'state') return 0n
  return item.kind === 'journal' ? item.number : BigInt(item.attempt.number)
}

function deliveryOf(item: TimelineItem): string {
  return item.kind === 'webhook_attempt' ? item.attempt.delivery_id : ''
}

function compare<T extends bigint | string>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * One state an event, but for the status that creation itself gives: a payout that is held or paid
 * at once has an event for that besides, which tells of the same state.
 */
function statesOf(events: readonly Event[]): TimelineState[] {
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
      kind: 'state',
      at: event.created_at,
      status,
      previous_status,
      by,
      status_description,
      failure,
      answer,
      event_id: event.id,
      sequence: event.sequence,
    })
  }
  return states
}

function journalsOf(
  events: readonly Event[],
  journals: readonly Journal[],
  lines: readonly TimelineLine[],
): TimelineJournal[] {
  const causes = new Map(
    events.flatMap(event => journalsNamed([event]).map(number => [number, event] as const)),
  )
  const linesByJournal = new Map(lines.map(line => [line.journal_number, line]))
  return journals.flatMap(({ number, kind: journal_kind, hash, postings, created_at: at }) => {
    const cause = causes.get(number)
    if (cause === undefined) return []
    const { id: event_id, sequence } = cause
    const line = linesByJournal.get(number) ?? null
    return [{ kind: 'journal', at, event_id, sequence, number, journal_kind, hash, postings, line }]
  })
}

/** Only the newest attempt of a delivery that is waiting for its next one will be repeated. */
function webhookOf(attempt: TimelineAttempt): TimelineWebhook {
  const { created_at: at, event_id, event_sequence: sequence, status_code } = attempt
  const succeeded = status_code !== null && status_code >= 200 && status_code < 300
  const waits = attempt.status === 'pending' && attempt.number === attempt.attempts
  const retry_at = succeeded || !waits ? null : attempt.due_at
  const failed = retry_at === null ? 'failed' : 'will_retry'
  const outcome = succeeded ? 'delivered' : failed
  return { kind: 'webhook_attempt', at, event_id, sequence, attempt, outcome, retry_at }
}
