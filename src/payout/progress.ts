// How many steps the rail of a payout has reported, and when it is asked next. Pure.
import { type Instant, plusMilliseconds } from '../instant.ts'
import { planOrRefuse, sentOf } from '../rail/plan.ts'
import { isAsked } from '../rail/rail.ts'
import type { Advance } from './advance.ts'
import type { OpenPayout } from './payout.ts'
import type { Judged } from './report.ts'
import { askedFirst, notBefore } from './schedule.ts'
import { isFinal } from './states.ts'

/**
 * How many steps the rail has reported, and when it is asked next. After a step that did not come
 * from the rail, the rail is no longer asked: its reports would not follow on this step. But a step
 * to `processing` makes the payout due at once.
 */
export function railProgress(
  payout: OpenPayout,
  advance: Advance,
  applied: number,
  now: Instant,
  judged: Judged | undefined,
) {
  if (judged?.ask === 'as_it_was') return {}
  if (judged?.ask === 'never') return { ask_rail_at: null, claimed_until: null }
  // A review changes nothing once the hold has ended. The first of two approvals changes nothing
  // either.
  if ((advance.by === 'review' || advance.by === 'approval') && applied === 0) return {}
  if (advance.by !== 'rail') {
    return { ...resumed(payout, now), claimed_until: null }
  }
  const counted = judged?.ask === 'as_said_only' ? 0 : advance.steps.length
  const rail_steps = Math.max(payout.rail_steps, counted)
  // The account answered while the rail was asked: the payout stays due, so that the rail sees it.
  const { answers_seen = payout.answers.length } = advance
  if (answers_seen < payout.answers.length && !isFinal(payout.status)) return { rail_steps }
  const { expected_at = payout.expected_at } = advance
  const again = advance.ask_again_in_ms
  // ask_rail_at is null when the operator has moved the payout while its rail was asked.
  const moved = advance.claim !== undefined && payout.claimed_until !== advance.claim
  // The payout was woken meanwhile, or another worker asks its rail and gets a newer answer.
  if (advance.said !== undefined && moved && !isFinal(payout.status)) return { rail_steps }
  const over = isFinal(payout.status) || again === null || payout.ask_rail_at === null
  if (over) return { rail_steps, expected_at, ask_rail_at: null, claimed_until: null }
  const next = plusMilliseconds(now, again)
  // The payout was claimed again, or its account's clock was advanced: the earlier due time stands.
  if (moved && dueAt(payout.ask_rail_at, payout.claimed_until) < next) return { rail_steps }
  return { rail_steps, expected_at, ask_rail_at: next, claimed_until: null }
}

/**
 * When the rail of a payout is asked after a step that the rail has not reported. If the rail was
 * never asked about the payout, the payout waits for its release. That counts from now, or from
 * when the payout is executed, as the payout was held meanwhile.
 */
function resumed(payout: OpenPayout, now: Instant) {
  if (payout.status !== 'processing') return { ask_rail_at: null }
  const asked = isAsked(payout.rail)
  if (payout.rail_attempts > 0) return { ask_rail_at: asked ? now : null }
  const { updated_at: by_account } = payout
  const plan = planOrRefuse(payout, sentOf(payout), notBefore(payout, by_account))
  return {
    ask_rail_at: askedFirst(payout, plan, { now, by_account }),
    expected_at: payout.route === null ? null : plan.expected_at,
  }
}

/** A claimed payout is not due before its claim expires. */
function dueAt(ask_rail_at: Instant, claimed_until: Instant | null): Instant {
  return claimed_until === null || claimed_until < ask_rail_at ? ask_rail_at : claimed_until
}
