// What a rail's report about an attempt means: new steps, another rail, or something that a person
// must look at. Pure.
import {
  isOpenException,
  type NotTaken,
  type PayoutAttempt,
  type RailException,
} from '../rail/attempt.ts'
import type { RailStep } from '../rail/rail.ts'
import type { Advance, NextRail } from './advance.ts'
import type { OpenPayout } from './payout.ts'
import { OPEN_STATUSES, PAYOUT_TRANSITIONS, type PayoutStatus } from './states.ts'

/** What a person must look at. */
export type Found = Pick<RailException, 'kind' | 'message'>

export interface Judged {
  readonly steps: readonly RailStep[]
  /** A new exception. */
  readonly found: Found | null
  /** The proof that the rail has not taken the attempt, which ends it. */
  readonly not_taken: NotTaken | null
  readonly next: NextRail | null
  /**
   * When the rail is asked next. `as_said`: as the report says. `as_said_only`: the same, but its
   * steps are not applied. `never`: not until a person has looked. `as_it_was`: unchanged, as the
   * report is about an attempt that is over or was claimed again.
   */
  readonly ask: 'as_said' | 'as_said_only' | 'never' | 'as_it_was'
  /** The attempt that the report is about, if it is over, and when its rail is asked again. */
  readonly over?: { readonly attempt: PayoutAttempt; readonly ask: 'as_said' | 'now' }
}

/** A report that changes nothing. */
export const NOTHING: Judged = {
  steps: [],
  found: null,
  not_taken: null,
  next: null,
  ask: 'as_it_was',
}

export function judgeReport(
  payout: OpenPayout,
  { steps: history, ask_again_in_ms, claim, said }: Advance,
  last: PayoutAttempt | undefined,
  exceptions: readonly RailException[],
): Judged {
  const steps = freshSteps(payout, history)
  if (said === undefined || last === undefined) return { ...NOTHING, steps, ask: 'as_said' }
  if (said.attempt !== last.number) return NOTHING
  if (exceptions.some(isOpenException)) return { ...NOTHING, ask: 'never' }
  const { not_taken } = said
  // A worker that has claimed the payout since may be handing it over at this moment.
  if (not_taken !== undefined && claim !== payout.claimed_until) return NOTHING
  const isNew = (found: Found) => !wasClosed(exceptions, last, found)
  const { exception } = said
  const rests = steps.length === 0 && not_taken === undefined && ask_again_in_ms === null
  // The money would be held unseen: no step follows, no rail is asked, and no exception is open.
  const is_stuck = rests && OPEN_STATUSES.includes(payout.status)
  if (exception !== undefined && (is_stuck || isNew(exception))) {
    return { ...NOTHING, found: exception, ask: 'never' }
  }
  const wrong = contradiction(payout, history, steps, not_taken)
  if (wrong !== null) {
    // If the money is settled or back, or a person has the payout, one look at the same words is
    // enough.
    if (isHeld(payout, payout.status) || isNew(wrong))
      return { ...NOTHING, found: wrong, ask: 'never' }
    return { ...NOTHING, ask: payout.taken_over_at === null ? 'as_said_only' : 'never' }
  }
  if (not_taken === undefined) {
    const status = steps.at(-1)?.status ?? payout.status
    const ends_here = ask_again_in_ms === null && claim === payout.claimed_until
    // In requires_action the payout waits for the account.
    const is_held = isHeld(payout, status) && status !== 'requires_action'
    const found = ends_here && is_held ? nothingMore(last, status) : null
    return { ...NOTHING, steps, found, ask: 'as_said' }
  }
  const { next, code, message } = not_taken
  const ended = { ...NOTHING, not_taken: { code, message }, next, ask: 'never' as const }
  if (next !== null) return ended
  const words = `Rail ${last.rail} has not taken it, and no other route is left: ${message}`
  return { ...ended, found: { kind: 'no_other_route', message: words } }
}

/** Whether the money waits for the rail's next report. */
function isHeld({ taken_over_at }: OpenPayout, status: PayoutStatus): boolean {
  return taken_over_at === null && OPEN_STATUSES.includes(status)
}

function nothingMore({ rail }: PayoutAttempt, status: PayoutStatus): Found {
  const message = `Rail ${rail} says that nothing more follows, and the payout is ${status}.`
  return { kind: 'nothing_more', message }
}

/**
 * The steps of the rail's history that are not applied yet. When an account answers, or an operator
 * returns the payout to the rail, the payout is `processing` before the rail reports that. Then
 * this report is skipped.
 */
function freshSteps(payout: OpenPayout, history: readonly RailStep[]): readonly RailStep[] {
  const fresh = history.slice(payout.rail_steps)
  const known = payout.status === 'processing' && fresh[0]?.status === 'processing'
  return known ? fresh.slice(1) : fresh
}

/**
 * Whether the rail takes back the success that it has reported. Steps are counted: without this
 * check, the step that replaces the success, such as a return, would seem to be applied already.
 */
function hasLostSuccess(payout: OpenPayout, history: readonly RailStep[]): boolean {
  const { status, rail_steps, taken_over_at } = payout
  if (status !== 'succeeded' || rail_steps === 0 || taken_over_at !== null) return false
  const applied = history.slice(0, rail_steps)
  return applied.length > 0 && !applied.some(step => step.status === 'succeeded')
}

/** What the report contradicts, so that nothing of it is applied; null for nothing. */
function contradiction(
  payout: OpenPayout,
  history: readonly RailStep[],
  steps: readonly RailStep[],
  not_taken: NotTaken | undefined,
): Found | null {
  const words = steps.map(({ status }) => status).join(', ')
  if (hasLostSuccess(payout, history)) {
    const said = history.map(({ status }) => status).join(', ')
    const message = `The payout has succeeded, and its rail now says only: ${said}.`
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

/** Whether a person has already closed the same exception of the same attempt. */
export function wasClosed(
  exceptions: readonly RailException[],
  { number }: PayoutAttempt,
  { kind, message }: Found,
): boolean {
  return exceptions.some(
    known => known.attempt === number && known.kind === kind && known.message === message,
  )
}
