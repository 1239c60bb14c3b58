// What a step or a report changes about the attempts of its payout: it ends the last attempt, opens
// the next attempt on another rail, or opens an exception for a person. Pure.

import type { Book } from '../../ledger/rules.ts'
import type { PayeeNotice } from '../../parties/beneficiary/notice.ts'
import {
  accountReferences,
  isOver,
  type PayoutAttempt,
  type RailException,
} from '../../rails/attempt.ts'
import { isAsked } from '../../rails/rail.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { nameOf, payoutKey } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { PAYOUT_SEAL } from '../columns.ts'
import type { OpenPayout } from '../payout.ts'
import { isGivenBack } from '../states.ts'
import type { Advance, AttemptReport } from './advance.ts'
import { attemptAfter, endedBy } from './attempt.ts'
import { askAfterEnd, askOverAt, judgeOverReport } from './over.ts'
import { type Judged, judgeReport, type NewException } from './report.ts'

/** What is stored besides the payout; a later version of an attempt replaces an earlier one. */
export interface AttemptChanges {
  readonly attempts: readonly PayoutAttempt[]
  /** Those of `attempts` that have no row yet. */
  readonly opened: readonly PayoutAttempt[]
  readonly exceptions: readonly RailException[]
  readonly questions: readonly OverQuestion[]
}

/** When the rail of an attempt that is over is asked again. `before` is the time in its row. */
export interface OverQuestion
  extends Pick<PayoutAttempt, 'account_id' | 'payout_id' | 'number' | 'ask_again_at'> {
  readonly before: Instant | null
}

/** The stored attempts and exceptions of payouts, by `account_id/payout id`. */
export interface KnownAttempts {
  /** The last attempt of each payout whose attempts are stored. */
  readonly attempts: Map<string, PayoutAttempt>
  /** The attempts before the last one. */
  readonly earlier: Map<string, readonly PayoutAttempt[]>
  /** All exceptions of those payouts. */
  readonly exceptions: Map<string, readonly RailException[]>
}

interface AttemptState extends KnownAttempts {
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
}

/** Judges a rail's report about the payout's last attempt, or about an attempt that is over. */
export function judgeRailReport(
  state: KnownAttempts,
  payout: OpenPayout,
  advance: Advance,
): Judged {
  const { steps, report } = advance
  const name = nameOf(payout)
  const last = state.attempts.get(name)
  const exceptions = state.exceptions.get(name) ?? []
  const over = report && overAttempt(state, payout, report)
  if (report === undefined || over === undefined) {
    return judgeReport(payout, advance, last, exceptions)
  }
  const by_person = over.number === last?.number && payout.taken_over_at !== null
  const is_fresh = report.is_over === true
  return judgeOverReport(over, { steps, ...report }, { by_person, is_fresh }, exceptions)
}

/** The attempt that a report is about, if that attempt is over. */
function overAttempt(
  { attempts, earlier }: KnownAttempts,
  payout: OpenPayout,
  report: AttemptReport,
): PayoutAttempt | undefined {
  const name = nameOf(payout)
  const known_attempts = [...(earlier.get(name) ?? []), attempts.get(name)]
  const about = known_attempts.find(attempt => attempt?.number === report.attempt)
  if (about === undefined || !isOver(about)) return undefined
  // The last attempt was not taken, and the payout waits for its next route. The report proves that
  // again, so `judgeReport` judges it.
  return report.is_over || about !== attempts.get(name) || isGivenBack(payout) ? about : undefined
}

/** The payout on its next rail, and the event; undefined when the payout stays on its rail. */
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
  const unclaimed = { ask_rail_at, claimed_until: null, updated_at: book.now }
  const moved = { ...payout, rail, expected_at, ...unclaimed }
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
 * The event that the rail has sent the payout: when, and by which references. An attempt has at
 * most one. A step in the same report has these facts in its own event.
 */
export function sentEvent(
  state: AttemptState,
  payout: OpenPayout,
  judged: Judged,
  report: AttemptReport | undefined,
): Event | undefined {
  const last = state.attempts.get(nameOf(payout))
  const isFirst = last?.released_at === null && report?.released_at !== undefined
  if (!isFirst || report.attempt !== last.number) return undefined
  if (judged.steps.length > 0 || judged.not_taken !== null) return undefined
  const { status } = payout
  const facts = { status, by: 'rail', journals: [], ...attemptFacts(last, report) }
  return recordChange(state, payout, 'payout.sent', facts, PAYOUT_SEAL.digest(payout))
}

/** The members of an event that describe the attempt as its rail reports it. */
export function attemptFacts(last: PayoutAttempt | undefined, report: AttemptReport | undefined) {
  if (last === undefined || report?.attempt !== last.number) return {}
  const { number, rail, uetr, rail_references, released_at, expected_at } = withReport(last, report)
  const references = accountReferences(rail_references)
  return { rail_attempt: { number, rail, uetr, references, released_at, expected_at } }
}

/** The attempts and exceptions that a command changes. Adds them to the state. */
export function attemptChanges(
  state: AttemptState,
  now: Instant,
  advance: Advance,
  { payout, judged }: { readonly payout: OpenPayout; readonly judged: Judged | undefined },
): AttemptChanges {
  const { ask_again_in_ms, claim, report } = advance
  const name = nameOf(payout)
  const last = state.attempts.get(name)
  if (last === undefined) return { attempts: [], opened: [], exceptions: [], questions: [] }
  const { not_taken = null, next = null, new_exception = null, over } = judged ?? {}
  const exceptions =
    new_exception === null ? [] : [openException(state, over?.attempt ?? last, new_exception, now)]
  if (over !== undefined) {
    const { attempt, ask } = over
    const at = ask === 'now' ? state.now : askOverAt(attempt, ask_again_in_ms, state.now)
    const questions = [questionOf(attempt, at, report?.is_over ? claim : undefined)]
    return { attempts: [], opened: [], exceptions, questions }
  }
  const isAboutLast = report === undefined || report.attempt === last.number
  const reported = isAboutLast ? withReport(last, report) : last
  const ended =
    not_taken === null || isOver(reported)
      ? endedBy(reported, payout.status, now)
      : { ...reported, ended_as: 'not_taken' as const, ended_at: now, not_taken }
  const opened = next === null ? [] : [attemptAfter(last, payout, next, now)]
  state.attempts.set(name, opened[0] ?? ended)
  if (next !== null) state.earlier.set(name, [...(state.earlier.get(name) ?? []), ended])
  const hasEnded = isOver(ended) && !isOver(last)
  const questions = hasEnded
    ? [questionOf(ended, askAfterEnd(ended, advance, state.now), undefined)]
    : []
  return { attempts: ended === last ? opened : [ended, ...opened], opened, exceptions, questions }
}

function questionOf(
  { account_id, payout_id, number, ask_again_at: due }: PayoutAttempt,
  ask_again_at: Instant | null,
  claim: Instant | undefined,
): OverQuestion {
  return { account_id, payout_id, number, ask_again_at, before: claim ?? due }
}

function openException(
  state: Pick<AttemptState, 'exceptions'>,
  attempt: PayoutAttempt,
  exception: NewException,
  now: Instant,
): RailException {
  const name = nameOf(payoutKey(attempt))
  const existing = state.exceptions.get(name) ?? []
  const opened = exceptionOf(attempt, existing.length + 1, exception, now)
  state.exceptions.set(name, [...existing, opened])
  return opened
}

/** The attempt with what its rail reports about it. */
function withReport(attempt: PayoutAttempt, report: AttemptReport | undefined): PayoutAttempt {
  const { references, released_at, expected_at } = report ?? {}
  if (!references && !released_at && !expected_at) return attempt
  return {
    ...attempt,
    rail_references: { ...attempt.rail_references, ...references },
    released_at: released_at ?? attempt.released_at,
    expected_at: expected_at ?? attempt.expected_at,
  }
}

/** The open exception of an attempt. `number` counts from 1 within the payout. */
export function exceptionOf(
  { account_id, payout_id, number: attempt, rail }: PayoutAttempt,
  number: number,
  { kind, message }: NewException,
  opened_at: Instant,
  notice: PayeeNotice | null = null,
): RailException {
  const open = { notice, opened_at, closed_at: null, closed_by: '', note: '' }
  return { account_id, payout_id, number, attempt, rail, kind, message, ...open }
}
