// The steps that an account causes: it cancels a payout, or answers one that requires its action.
// Pure.
import type { RailStep } from '../../rails/rail.ts'
import { refusal } from '../../values/errors.ts'
import { failureWith } from '../../values/failures.ts'
import type { Instant } from '../../values/instant.ts'
import { withAnswer } from '../action.ts'
import { isTaken } from '../by-hand/by-hand.ts'
import type { OpenPayout } from '../payout.ts'
import { PAYOUT_TRANSITIONS } from '../states.ts'
import type { ByAccount } from './advance.ts'
import { isHeldForMatch } from './release.ts'

/** The step of an answer; without one, of a cancellation. */
export function stepsByAccount(payout: OpenPayout, { answer, maker }: ByAccount, now: Instant) {
  const made_by = { made_by: maker }
  if (answer === undefined) return { steps: [cancellation(payout)], facts: made_by }
  const steps = [resumption(payout)]
  const answers = withAnswer(payout, answer, now)
  return { steps, facts: { answer: answers.length, ...made_by }, changes: () => ({ answers }) }
}

/**
 * Refuses a cancellation once the rail may have taken the payout (§state.cancel), and while a match
 * holds it.
 */
function cancellation(payout: OpenPayout): RailStep {
  const { id, status, rail_attempts } = payout
  const refused = (why: string) =>
    refusal('payout_not_cancellable', `Payout ${id} can no longer be cancelled: ${why}.`)
  if (!PAYOUT_TRANSITIONS[status].includes('failed')) throw refused(`it is ${status}`)
  // A worker that has claimed the payout may be asking the rail at this moment.
  if (rail_attempts > 0) throw refused('the rail has it')
  if (isTaken(payout)) throw refused('it is being paid by hand')
  if (isHeldForMatch(payout)) throw refused('it is under review')
  const message = 'Cancelled before the rail took it.'
  return { status: 'failed', failure: failureWith('PF000100', message) }
}

function resumption({ id, status }: OpenPayout): RailStep {
  if (status === 'requires_action') return { status: 'processing', failure: null }
  throw refusal('invalid_transition', `Payout ${id} requires no action: it is ${status}.`)
}
