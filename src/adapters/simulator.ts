// The rail of sandboxes. Its report follows from the payout's amount and age (§rail.simulator). It
// stores nothing.
import {
  type Failure,
  type Rail,
  type RailPayout,
  type RailReport,
  type RailStatus,
  type RailStep,
  SIMULATOR,
} from '../rails/rail.ts'
import { failureWith } from '../values/failures.ts'

/** Amounts in minor units, both ends included. */
export const SCRIPTS: readonly {
  readonly from: bigint
  readonly to: bigint
  readonly steps: readonly RailStatus[]
}[] = [
  { from: 100_000n, to: 100_000n, steps: [] },
  { from: 200_000n, to: 250_000n, steps: ['failed'] },
  { from: 300_000n, to: 350_000n, steps: ['compliance_hold', 'succeeded'] },
  { from: 400_000n, to: 450_000n, steps: ['compliance_hold', 'failed'] },
  { from: 500_000n, to: 500_000n, steps: ['compliance_hold'] },
  { from: 500_001n, to: 550_000n, steps: ['succeeded', 'reversed'] },
]

const FAILURES: Partial<Record<RailStatus, Failure>> = {
  failed: failureWith('PF000900', 'The simulator fails payouts of this amount.'),
  reversed: failureWith('PR000900', 'The simulator reverses payouts of this amount.'),
}

/** A book's time is at most this far ahead of the clock, unless the clock was set back. */
const AHEAD_MS = 1_000

/** Steps follow each other after `delay_ms`. */
export function simulator(options: { delay_ms: number }): Rail {
  const report = (payout: RailPayout): RailReport => {
    const script = scriptFor(payout.amount)
    const begun = payout.execute_at ?? payout.created_at
    const elapsed_ms = Date.parse(payout.asked_at) - Date.parse(begun)
    const reached =
      // When the clock was set back, the wait is over.
      options.delay_ms === 0 || elapsed_ms < -AHEAD_MS
        ? script.length
        : Math.floor(elapsed_ms / options.delay_ms)
    const steps = script.slice(0, Math.max(0, reached)).map(toStep)
    const next_ms = (steps.length + 1) * options.delay_ms - elapsed_ms
    return {
      steps,
      ask_again_in_ms: steps.length === script.length ? null : Math.max(1, next_ms),
    }
  }
  const answer = (payouts: readonly RailPayout[]) => payouts.map(async payout => report(payout))
  return { name: SIMULATOR, key_lifetime_ms: null, submit: answer, inquire: answer }
}

function scriptFor(amount: bigint): readonly RailStatus[] {
  const script = SCRIPTS.find(({ from, to }) => amount >= from && amount <= to)
  return script?.steps ?? ['succeeded']
}

function toStep(status: RailStatus): RailStep {
  return { status, failure: FAILURES[status] ?? null }
}
