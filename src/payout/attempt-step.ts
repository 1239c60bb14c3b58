// What a step or a report changes about the attempts of its payout: the last attempt ends, the next
// one opens on another rail, and what needs a person becomes an exception. Pure.
import type { Event } from '../event/event.ts'
import { recordChange } from '../event/rules.ts'
import { nameOf, payoutKey } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Book } from '../ledger/rules.ts'
import { isOver, ofAccount, type PayoutAttempt, type RailException } from '../rail/attempt.ts'
import { isAsked } from '../rail/rail.ts'
import type { Advance, RailWords } from './advance.ts'
import { attemptAfter, endedBy } from './attempt.ts'
import { PAYOUT_SEAL } from './columns.ts'
import { askAfterEnd, askOverAt, judgeOverReport } from './over.ts'
import type { OpenPayout } from './payout.ts'
import { type Found, type Judged, judgeReport } from './report.ts'
import { isGivenBack } from './states.ts'

/** What is stored besides the payout; a later version of an attempt replaces an earlier one. */
export interface AttemptChanges {
  readonly attempts: readonly PayoutAttempt[]
  /** Those of `attempts` that have no row yet. */
  readonly opened: readonly PayoutAttempt[]
  readonly exceptions: readonly RailException[]
  readonly asks: readonly OverAsk[]
}

/** When the rail of an attempt that is over is asked again; `before` is the time that was read. */
export interface OverAsk
  extends Pick<PayoutAttempt, 'account_id' | 'payout_id' | 'number' | 'ask_again_at'> {
  readonly before: Instant | null
}

/** What is known of the attempts of payouts, by `account_id/payout id`. */
export interface KnownAttempts {
  /** The last attempt of each payout that keeps them. */
  readonly attempts: Map<string, PayoutAttempt>
  /** The attempts before it. */
  readonly earlier: Map<string, readonly PayoutAttempt[]>
  /** All exceptions of those payouts. */
  readonly exceptions: Map<string, readonly RailException[]>
}

interface AttemptState extends KnownAttempts {
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
}

/** What the report of a rail means for its payout. */
export function judge(state: KnownAttempts, payout: OpenPayout, advance: Advance): Judged {
  const { steps, said } = advance
  const name = nameOf(payout)
  const last = state.attempts.get(name)
  const exceptions = state.exceptions.get(name) ?? []
  const over = said && overAttempt(state, payout, said)
  if (said === undefined || over === undefined) {
    return judgeReport(payout, advance, last, exceptions)
  }
  const by_person = over.number === last?.number && payout.taken_over_at !== null
  const is_fresh = said.is_over === true
  return judgeOverReport(over, { steps, ...said }, { by_person, is_fresh }, exceptions)
}

/** The attempt that a report is about, if that attempt is over. */
function overAttempt(
  { attempts, earlier }: KnownAttempts,
  payout: OpenPayout,
  said: RailWords,
): PayoutAttempt | undefined {
  const name = nameOf(payout)
  const all = [...(earlier.get(name) ?? []), attempts.get(name)]
  const about = all.find(attempt => attempt?.number === said.attempt)
  if (about === undefined || !isOver(about)) return undefined
  // While a payout waits for its next route, a report about its last attempt proves anew that the
  // rail has not taken it.
  return said.is_over || about !== attempts.get(name) || isGivenBack(payout) ? about : undefined
}

/**
 * The payout on its next rail, with the event that tells of it; undefined when the payout stays.
 */
export function reroute(
  state: AttemptState,
  book: Book,
  payout: OpenPayout,
  { next }: Pick<Judged, 'next'>,
): { readonly payout: OpenPayout; readonly event: Event } | undefined {
  const last = state.attempts.get(nameOf(payout))
  if (next === null || last === undefined) return undefined
  const { rail, release_at, expected_at } = next
  const { status } = payout
  const ask_rail_at = isAsked(rail) ? (release_at ?? state.now) : null
  const asked = { ask_rail_at, claimed_until: null, updated_at: book.now }
  const moved = { ...payout, rail, expected_at, ...asked }
  const facts = {
    status,
    rail,
    previous_rail: last.rail,
    attempt: last.number + 1,
    expected_at,
    by: 'rail',
    journals: [],
  }
  const content = PAYOUT_SEAL.digest(moved)
  return { payout: moved, event: recordChange(state, moved, 'payout.rerouted', facts, content) }
}

/**
 * The event that the rail has sent the payout: when, and by which references. It happens once an
 * attempt. A step that is reported at the same time says this itself.
 */
export function sentOn(
  state: AttemptState,
  payout: OpenPayout,
  judged: Judged,
  said: RailWords | undefined,
): Event | undefined {
  const last = state.attempts.get(nameOf(payout))
  const isFirst = last?.released_at === null && said?.released_at !== undefined
  if (!isFirst || said.attempt !== last.number) return undefined
  if (judged.steps.length > 0 || judged.not_taken !== null) return undefined
  const { status } = payout
  const facts = { status, by: 'rail', journals: [], ...attemptFacts(last, said) }
  return recordChange(state, payout, 'payout.sent', facts, PAYOUT_SEAL.digest(payout))
}

/** The members of an event that describe the attempt that a rail reports about, as reported. */
export function attemptFacts(last: PayoutAttempt | undefined, said: RailWords | undefined) {
  if (last === undefined || said?.attempt !== last.number) return {}
  const { number, rail, uetr, rail_references, released_at, expected_at } = withWords(last, said)
  const references = ofAccount(rail_references)
  return { rail_attempt: { number, rail, uetr, references, released_at, expected_at } }
}

/** The attempts and exceptions of a payout after a command. The state then has them. */
export function attemptChanges(
  state: AttemptState,
  now: Instant,
  advance: Advance,
  { payout, judged }: { readonly payout: OpenPayout; readonly judged: Judged | undefined },
): AttemptChanges {
  const { ask_again_in_ms, claim, said } = advance
  const name = nameOf(payout)
  const last = state.attempts.get(name)
  if (last === undefined) return { attempts: [], opened: [], exceptions: [], asks: [] }
  const { not_taken = null, next = null, found = null, over } = judged ?? {}
  const exceptions = found === null ? [] : [openException(state, over?.attempt ?? last, found, now)]
  if (over !== undefined) {
    const { attempt, ask } = over
    const at = ask === 'now' ? state.now : askOverAt(attempt, ask_again_in_ms, state.now)
    const asks = [askOf(attempt, at, said?.is_over ? claim : undefined)]
    return { attempts: [], opened: [], exceptions, asks }
  }
  const isAbout = said === undefined || said.attempt === last.number
  const told = isAbout ? withWords(last, said) : last
  const ended =
    not_taken === null || isOver(told)
      ? endedBy(told, payout.status, now)
      : { ...told, ended_as: 'not_taken' as const, ended_at: now, not_taken }
  const opened = next === null ? [] : [attemptAfter(last, payout, next, now)]
  state.attempts.set(name, opened[0] ?? ended)
  if (next !== null) state.earlier.set(name, [...(state.earlier.get(name) ?? []), ended])
  const ends = isOver(ended) && !isOver(last)
  const asks = ends ? [askOf(ended, askAfterEnd(ended, advance, state.now), undefined)] : []
  return { attempts: ended === last ? opened : [ended, ...opened], opened, exceptions, asks }
}

function askOf(
  { account_id, payout_id, number, ask_again_at: due }: PayoutAttempt,
  ask_again_at: Instant | null,
  claim: Instant | undefined,
): OverAsk {
  return { account_id, payout_id, number, ask_again_at, before: claim ?? due }
}

function openException(
  state: Pick<AttemptState, 'exceptions'>,
  attempt: PayoutAttempt,
  found: Found,
  now: Instant,
): RailException {
  const name = nameOf(payoutKey(attempt))
  const known = state.exceptions.get(name) ?? []
  const opened = exceptionOf(attempt, known.length + 1, found, now)
  state.exceptions.set(name, [...known, opened])
  return opened
}

/** The attempt with what its rail reports about it. */
function withWords(attempt: PayoutAttempt, said: RailWords | undefined): PayoutAttempt {
  const { references, released_at, expected_at } = said ?? {}
  if (!references && !released_at && !expected_at) return attempt
  return {
    ...attempt,
    rail_references: { ...attempt.rail_references, ...references },
    released_at: released_at ?? attempt.released_at,
    expected_at: expected_at ?? attempt.expected_at,
  }
}

export function exceptionOf(
  { account_id, payout_id, number: attempt, rail }: PayoutAttempt,
  number: number,
  { kind, message }: Found,
  opened_at: Instant,
): RailException {
  const open = { closed_at: null, closed_by: '', note: '' }
  return { account_id, payout_id, number, attempt, rail, kind, message, opened_at, ...open }
}
