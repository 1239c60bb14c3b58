// What a rail's report about an attempt means: new steps, another rail, or an exception that a
// person must look at. Pure.
import {
  holdsBack,
  isHolding,
  isOpenException,
  type NotTaken,
  type PayoutAttempt,
  type RailException,
} from '../../rails/attempt.ts'
import type { RailStep } from '../../rails/rail.ts'
import type { OpenPayout } from '../payout.ts'
import { OPEN_STATUSES, PAYOUT_TRANSITIONS, type PayoutStatus } from '../states.ts'
import type { ByRail, NextRail } from './advance.ts'

/** The kind and message of an exception to open. */
export type NewException = Pick<RailException, 'kind' | 'message'>

export interface Judged {
  /** The steps to apply. */
  readonly steps: readonly RailStep[]
  readonly new_exception: NewException | null
  /** The proof that the rail has not taken the attempt, which ends it. */
  readonly not_taken: NotTaken | null
  /** The rail that gets the payout next; null: the payout stays. */
  readonly next: NextRail | null
  /**
   * When the rail is asked next. `as_reported`: at the time in the report.
   * `as_reported_without_steps`: the same, but the steps of the report do not count as applied.
   * `never`: not before a person has closed the exception, or `next` has the payout. `unchanged`:
   * at the time in the row, because the report is about an attempt that is over or was claimed
   * again.
   */
  readonly ask: 'as_reported' | 'as_reported_without_steps' | 'never' | 'unchanged'
  /** The attempt that the report is about, if it is over, and when its rail is asked again. */
  readonly over?: { readonly attempt: PayoutAttempt; readonly ask: 'as_reported' | 'now' }
}

/** The judgement of a report that changes nothing. */
export const NO_CHANGE: Judged = {
  steps: [],
  new_exception: null,
  not_taken: null,
  next: null,
  ask: 'unchanged',
}

/**
 * Judges a report about the last attempt. `steps` in `ByRail` is the attempt's whole history on its
 * rail. `exceptions` are all exceptions of the payout. An exception that holds nothing back opens
 * beside any other result, one of its kind at a time.
 */
export function judgeReport(
  payout: OpenPayout,
  advance: ByRail,
  last: PayoutAttempt | undefined,
  exceptions: readonly RailException[],
): Judged {
  const { exception: beside, ...rest } = advance.report ?? {}
  if (last === undefined || beside === undefined || holdsBack(beside)) {
    return judgeSteps(payout, advance, last, exceptions)
  }
  const report = rest as NonNullable<ByRail['report']>
  const judged = judgeSteps(payout, { ...advance, report }, last, exceptions)
  const is_open = exceptions.some(one => isOpenException(one) && one.kind === beside.kind)
  const is_new = !is_open && !isKnownException(exceptions, last, beside)
  const is_about = report.attempt === last.number && !exceptions.some(isHolding)
  if (!is_new || !is_about || judged.new_exception !== null) return judged
  return { ...judged, new_exception: beside }
}

function judgeSteps(
  payout: OpenPayout,
  { steps: history, ask_again_in_ms, claim, report }: ByRail,
  last: PayoutAttempt | undefined,
  exceptions: readonly RailException[],
): Judged {
  const steps = freshSteps(payout, history)
  if (report === undefined || last === undefined) return { ...NO_CHANGE, steps, ask: 'as_reported' }
  if (report.attempt !== last.number) return NO_CHANGE
  if (exceptions.some(isHolding)) return { ...NO_CHANGE, ask: 'never' }
  const { not_taken } = report
  // A worker that has claimed the payout since may be handing it over at this moment.
  if (not_taken !== undefined && claim !== payout.claimed_until) return NO_CHANGE
  const isNew = (one: NewException) => !isKnownException(exceptions, last, one)
  const { exception } = report
  const isSilent = steps.length === 0 && not_taken === undefined && ask_again_in_ms === null
  // Without an exception nobody would look at the payout: no step follows and no rail is asked.
  const is_stuck = isSilent && OPEN_STATUSES.includes(payout.status)
  if (exception !== undefined && (is_stuck || isNew(exception))) {
    return { ...NO_CHANGE, new_exception: exception, ask: 'never' }
  }
  const wrong = contradiction(payout, history, steps, not_taken)
  if (wrong !== null) {
    // If the money is settled or back, or a person has moved the payout, the same contradiction
    // opens one exception only.
    if (waitsForRail(payout, payout.status) || isNew(wrong))
      return { ...NO_CHANGE, new_exception: wrong, ask: 'never' }
    return {
      ...NO_CHANGE,
      ask: payout.taken_over_at === null ? 'as_reported_without_steps' : 'never',
    }
  }
  if (not_taken === undefined) {
    const status = steps.at(-1)?.status ?? payout.status
    const is_last = ask_again_in_ms === null && claim === payout.claimed_until
    // In requires_action the payout waits for the account.
    const waits = waitsForRail(payout, status) && status !== 'requires_action'
    const new_exception = is_last && waits ? nothingMore(last, status) : null
    return { ...NO_CHANGE, steps, new_exception, ask: 'as_reported' }
  }
  const { next, code, message } = not_taken
  const ended = { ...NO_CHANGE, not_taken: { code, message }, next, ask: 'never' as const }
  if (next !== null) return ended
  const words = `Rail ${last.rail} has not taken it, and no other route is left: ${message}`
  return { ...ended, new_exception: { kind: 'no_other_route', message: words } }
}

/** Whether the payout waits for its rail's next report. */
function waitsForRail({ taken_over_at }: OpenPayout, status: PayoutStatus): boolean {
  return taken_over_at === null && OPEN_STATUSES.includes(status)
}

function nothingMore({ rail }: PayoutAttempt, status: PayoutStatus): NewException {
  const message = `Rail ${rail} says that nothing more follows, and the payout is ${status}.`
  return { kind: 'nothing_more', message }
}

/**
 * The steps of the rail's history that are not applied yet. After an account's answer or an
 * operator's return, the payout is `processing` before its rail reports it. So the rail's step to
 * `processing` is skipped.
 */
function freshSteps(payout: OpenPayout, history: readonly RailStep[]): readonly RailStep[] {
  const fresh = history.slice(payout.rail_steps)
  const is_applied = payout.status === 'processing' && fresh[0]?.status === 'processing'
  return is_applied ? fresh.slice(1) : fresh
}

/**
 * Whether the rail's history no longer has the success that was applied. `rail_steps` counts steps:
 * without this check, the step in the place of the success, such as a return, would count as
 * applied.
 */
function hasLostSuccess(payout: OpenPayout, history: readonly RailStep[]): boolean {
  const { status, rail_steps, taken_over_at } = payout
  if (status !== 'succeeded' || rail_steps === 0 || taken_over_at !== null) return false
  const counted = history.slice(0, rail_steps)
  return counted.length > 0 && !counted.some(step => step.status === 'succeeded')
}

/** How the report contradicts the payout, so that nothing of it is applied; null if it does not. */
function contradiction(
  payout: OpenPayout,
  history: readonly RailStep[],
  steps: readonly RailStep[],
  not_taken: NotTaken | undefined,
): NewException | null {
  const words = steps.map(({ status }) => status).join(', ')
  if (hasLostSuccess(payout, history)) {
    const statuses = history.map(({ status }) => status).join(', ')
    const message = `The payout has succeeded, and its rail now says only: ${statuses}.`
    return { kind: 'history_changed', message }
  }
  if (payout.taken_over_at !== null && (steps.length > 0 || not_taken !== undefined)) {
    const what = not_taken === undefined ? words : `that it was not taken: ${not_taken.message}`
    const message = `A person moved the payout; its rail says ${what}`
    return { kind: 'said_after_person', message }
  }
  if (not_taken !== undefined && (payout.status !== 'processing' || payout.rail_steps > 0)) {
    const message = `The payout is ${payout.status}, and its rail says: ${not_taken.message}`
    return { kind: 'not_taken_after_steps', message }
  }
  if (not_taken !== undefined && steps.length > 0) {
    const message = `The rail says ${words}, and that the payout was not taken.`
    return { kind: 'not_taken_after_steps', message }
  }
  let { status } = payout
  for (const step of steps) {
    if (!PAYOUT_TRANSITIONS[status].includes(step.status)) {
      const message = `The payout cannot go from ${status} to ${step.status}, as its rail says.`
      return { kind: 'impossible_step', message }
    }
    status = step.status
  }
  return null
}

/**
 * Whether the attempt has had this exception before. While it is open, callers return earlier, so a
 * person has closed it.
 */
export function isKnownException(
  exceptions: readonly RailException[],
  { number }: PayoutAttempt,
  { kind, message }: NewException,
): boolean {
  return exceptions.some(
    known => known.attempt === number && known.kind === kind && known.message === message,
  )
}
