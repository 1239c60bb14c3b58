// What a command changes about the attempts of its payout: it ends the last attempt, opens the next
// one on another rail, or opens an exception for a person. Pure.
import type { PayeeNotice } from '../../parties/beneficiary/notice.ts'
import {
  accountReferences,
  isOver,
  type PayoutAttempt,
  type RailException,
} from '../../rails/attempt.ts'
import { nameOf, payoutKey } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { OpenPayout } from '../payout.ts'
import type { AttemptReport, ByRail } from './advance.ts'
import { attemptAfter, endedBy } from './attempt.ts'
import { askAfterEnd, askOverAt } from './over.ts'
import type { Judged, NewException } from './report.ts'

/** Rows beside the payout. A later version of an attempt replaces an earlier one. */
export interface AttemptChanges {
  readonly attempts: readonly PayoutAttempt[]
  /** The attempts without a row yet. */
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

/** Works out the changed attempts and exceptions, and adds them to the state. */
export function attemptChanges(
  state: KnownAttempts & { readonly now: Instant },
  now: Instant,
  payout: OpenPayout,
  by_rail: ByRail | undefined,
  judged: Judged | undefined,
): AttemptChanges {
  const { ask_again_in_ms, claim, report } = by_rail ?? {}
  const name = nameOf(payout)
  const last = state.attempts.get(name)
  if (last === undefined) return { attempts: [], opened: [], exceptions: [], questions: [] }
  const { not_taken = null, next = null, new_exception = null, over } = judged ?? {}
  const exceptions =
    new_exception === null ? [] : [openException(state, over?.attempt ?? last, new_exception, now)]
  if (over !== undefined) {
    const { attempt, ask } = over
    const at = ask === 'now' ? state.now : askOverAt(attempt, ask_again_in_ms ?? null, state.now)
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
    ? [questionOf(ended, askAfterEnd(ended, ask_again_in_ms, state.now), undefined)]
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
  state: Pick<KnownAttempts, 'exceptions'>,
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

/** The members of an event about the attempt, by its rail's report. */
export function attemptFacts(last: PayoutAttempt | undefined, report: AttemptReport | undefined) {
  if (last === undefined || report?.attempt !== last.number) return {}
  const { number, rail, uetr, rail_references, released_at, expected_at } = withReport(last, report)
  const references = accountReferences(rail_references)
  return { rail_attempt: { number, rail, uetr, references, released_at, expected_at } }
}

/** The attempt with the facts of its rail's report. */
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
