// The model of a payout on its way: the table of states (§state.table) and the amounts by which
// the simulator decides (§rail.simulator). Pure; money is moved by whoever asks.
import type { Price, Terms } from './price.ts'

export type Status =
  | 'processing'
  | 'requires_action'
  | 'compliance_hold'
  | 'succeeded'
  | 'failed'
  | 'reversed'

/** §state.table */
export const TRANSITIONS: Readonly<Record<Status, readonly string[]>> = {
  processing: ['succeeded', 'failed', 'requires_action', 'compliance_hold'],
  requires_action: ['processing', 'succeeded', 'failed'],
  compliance_hold: ['processing', 'succeeded', 'failed'],
  succeeded: ['reversed'],
  failed: [],
  reversed: [],
}

export interface Payout {
  /** Its place in the world. */
  readonly account: number
  readonly id: string
  readonly quote: string
  /** Id of the balance transaction that took the money. */
  readonly debit: string
  readonly terms: Terms
  readonly price: Price
  readonly made_s: number
  status: Status
  /** The rail was asked about it. */
  taken: boolean
  /** How many of the rail's steps it has gone through. */
  steps: number
  /** When the rail is to be asked (again); null is never. */
  ask_s: number | null
}

/** What the service is configured with in this test: the clock of a sandbox decides what is due. */
export const RAIL_DELAY_S = 600

/** By minor units of the payout currency (§rail.simulator). */
function scriptOf(amount: bigint): readonly Status[] {
  if (amount === 100_000n) return []
  if (amount >= 200_000n && amount <= 250_000n) return ['failed']
  if (amount >= 300_000n && amount <= 350_000n) return ['compliance_hold', 'succeeded']
  if (amount >= 400_000n && amount <= 450_000n) return ['compliance_hold', 'failed']
  if (amount === 500_000n) return ['compliance_hold']
  if (amount >= 500_001n && amount <= 550_000n) return ['succeeded', 'reversed']
  return ['succeeded']
}

/**
 * The rail is asked about a payout that is due: the statuses that the payout enters, of a history of
 * which it may have gone through a part.
 */
export function settlePayout(payout: Payout, now_s: number): readonly Status[] {
  const script = scriptOf(payout.terms.amount)
  const history = script.slice(0, Math.floor((now_s - payout.made_s) / RAIL_DELAY_S))
  const entered = history.slice(payout.steps)
  payout.taken = true
  payout.steps = history.length
  const over = history.length === script.length
  payout.ask_s = over ? null : payout.made_s + (history.length + 1) * RAIL_DELAY_S
  return entered
}
