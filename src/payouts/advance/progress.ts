// How many steps the rail of a payout has reported, and when it is asked next. Pure.
import { planOrRefuse, sentOf } from '../../rails/plan.ts'
import { isAsked } from '../../rails/rail.ts'
import { DAY_MS, type Instant, plusMicros, plusMilliseconds } from '../../values/instant.ts'
import type { OpenPayout } from '../payout.ts'
import { firstAskAt, notBefore } from '../schedule.ts'
import { isFinal } from '../states.ts'
import type { Advance } from './advance.ts'
import type { Judged } from './report.ts'

/** A rail that has a payout is asked again within this time, whatever it says. */
export const MAX_ASK_AGAIN_MS = DAY_MS

/**
 * The members of the payout that its rail's progress changes. After a step of another cause, the
 * rail is no longer asked, because its reports would not follow this step. A step to `processing`
 * makes the payout due at once. `applied` is how many steps the command applies.
 */
export function railProgress(
  payout: OpenPayout,
  advance: Advance,
  applied: number,
  now: Instant,
  judged: Judged | undefined,
) {
  if (judged?.ask === 'unchanged') return {}
  if (judged?.ask === 'never') return { ask_rail_at: null, claimed_until: null }
  // Nothing changes: the hold has ended before the review, or another approval is still needed.
  if ((advance.by === 'review' || advance.by === 'approval') && applied === 0) return {}
  if (advance.by !== 'rail') {
    return { ...resumed(payout, now), claimed_until: null }
  }
  const counted = judged?.ask === 'as_reported_without_steps' ? 0 : advance.steps.length
  const rail_steps = Math.max(payout.rail_steps, counted)
  // The account answered while the rail was asked. The payout stays due, so that its rail gets the
  // answer.
  const { answers_seen = payout.answers.length } = advance
  if (answers_seen < payout.answers.length && !isFinal(payout.status)) return { rail_steps }
  const { expected_at = payout.expected_at } = advance
  const again = advance.ask_again_in_ms
  // ask_rail_at is null when the operator has moved the payout while its rail was asked.
  const moved = advance.claim !== undefined && payout.claimed_until !== advance.claim
  // The payout was woken meanwhile, or another worker asks its rail and gets a newer report.
  if (advance.report !== undefined && moved && !isFinal(payout.status)) {
    return isWoken(payout, advance.claim) ? { rail_steps, claimed_until: null } : { rail_steps }
  }
  const over = isFinal(payout.status) || again === null || payout.ask_rail_at === null
  if (over) return { rail_steps, expected_at, ask_rail_at: null, claimed_until: null }
  const next = plusMilliseconds(now, Math.min(again, MAX_ASK_AGAIN_MS))
  // The payout was claimed again, or its account's clock was advanced: the earlier due time stands.
  if (moved && dueAt(payout.ask_rail_at, payout.claimed_until) < next) return { rail_steps }
  return { rail_steps, expected_at, ask_rail_at: next, claimed_until: null }
}

/**
 * When the rail of a payout is asked after a step that the rail has not reported. A payout whose
 * rail was never asked waits for its release. The release is planned from now, or from `execute_at`
 * if that is later.
 */
function resumed(payout: OpenPayout, now: Instant) {
  if (payout.status !== 'processing') return { ask_rail_at: null }
  const is_asked = isAsked(payout.rail)
  if (payout.rail_attempts > 0) return { ask_rail_at: is_asked ? now : null }
  const { updated_at: by_account } = payout
  const plan = planOrRefuse(payout, sentOf(payout), notBefore(payout, by_account))
  return {
    ask_rail_at: firstAskAt(payout, plan, { now, by_account }),
    expected_at: payout.route === null ? null : plan.expected_at,
  }
}

/** The longest time by which wakes move a claim; another claim ends later. */
const WAKES_US = 1_000n

/**
 * Whether the payout was woken, and claimed by nobody else, while its rail was asked. The claim has
 * done its work, so the rail is asked again at once.
 */
function isWoken({ claimed_until }: OpenPayout, claim: Instant | undefined): boolean {
  if (claim === undefined || claimed_until === null) return false
  return claimed_until > claim && claimed_until < plusMicros(claim, WAKES_US)
}

/** A claimed payout is not due before its claim expires. */
function dueAt(ask_rail_at: Instant, claimed_until: Instant | null): Instant {
  return claimed_until === null || claimed_until < ask_rail_at ? ask_rail_at : claimed_until
}
