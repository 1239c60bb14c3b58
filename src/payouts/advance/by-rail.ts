// The steps that a rail reports, and what else a report does: it moves the payout to its next rail,
// or says that the rail has sent it. Pure.
import type { Book } from '../../ledger/rules.ts'
import { isOver, type PayoutAttempt } from '../../rails/attempt.ts'
import { isAsked } from '../../rails/rail.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { PAYOUT_SEAL } from '../columns.ts'
import type { OpenPayout } from '../payout.ts'
import { isGivenBack } from '../states.ts'
import type { AttemptReport, ByRail } from './advance.ts'
import { attemptFacts, type KnownAttempts } from './attempt-changes.ts'
import { judgeOverReport } from './over.ts'
import { type Judged, judgeReport } from './report.ts'

interface AttemptState extends KnownAttempts {
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
}

/** Judges a rail's report about the payout's last attempt, or about an attempt that is over. */
export function judgeRailReport(state: KnownAttempts, payout: OpenPayout, advance: ByRail): Judged {
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

/** The report's attempt, if it is over. */
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
 * The event that the rail has sent the payout. An attempt has at most one. It has none if the same
 * report has a step, whose event has these facts.
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
