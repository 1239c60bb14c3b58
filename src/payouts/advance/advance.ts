// The commands that move an existing payout: its steps, who causes them, and what its rail reports.
import type { AskedDecision } from '../../controls/approval/rules.ts'
import type { NotTaken } from '../../rails/attempt.ts'
import type { RailReport, RailStep } from '../../rails/rail.ts'
import type { RouteTaken } from '../../rails/rules.ts'
import type { Screened } from '../../screening/match.ts'
import type { Instant } from '../../values/instant.ts'
import type { Person } from '../by-hand/by-hand.ts'
import type { ActionRequest } from '../request.ts'
import type { Cause } from '../states.ts'

/** Steps to apply to one payout. */
export interface Advance {
  readonly account_id: string
  readonly payout_id: string
  readonly steps: readonly RailStep[]
  /**
   * Who causes the steps. `rail`: `steps` is the whole history of the payout on its rail; the first
   * `rail_steps` are already applied. `operator`: `steps` are new, whatever the rail reports.
   * `review`: `steps` is empty, and the steps follow from `screened`, or without it from the
   * approval of the payout's entity. `account`: `steps` is empty. With an `answer` the account
   * resumes the payout; without one it cancels the payout. `approval`: `steps` is empty, and the
   * steps follow from `act`.
   */
  readonly by: Cause
  /** When the rail is to be asked again; null for never. Read for `rail` alone. */
  readonly ask_again_in_ms: number | null
  /** The claim under which the rail was asked. Read for `rail` alone. */
  readonly claim?: Instant
  /**
   * What the rail reports about the attempt besides its steps. Read for `rail` alone; absent for
   * the simulator.
   */
  readonly report?: AttemptReport
  /** How many answers the rail has seen; all when absent. Read for `rail` alone. */
  readonly answers_seen?: number
  /** Who moves the payout by hand. Read for `operator` alone. */
  readonly person?: Person
  /** What happens to the payout's approval. Read for `approval` alone. */
  readonly act?: ApprovalAct
  /** What the account answers. Read for `account` alone. */
  readonly answer?: ActionRequest
  /** When the payout arrives, as its rail reports. Read for `rail` alone. */
  readonly expected_at?: Instant
  /** The result of screening the payout. Read for `review` alone. */
  readonly screened?: Screened
}

/** The rail that gets a payout next, and why. */
export interface NextRail {
  readonly rail: string
  /** Null when a person named the rail. */
  readonly route: RouteTaken | null
  /** When the rail is asked first; null: at once. */
  readonly release_at: Instant | null
  /** When the payout arrives by this rail; null when that is not known. */
  readonly expected_at: Instant | null
}

/** What a rail reports about an attempt besides its steps. */
export interface AttemptReport
  extends Pick<RailReport, 'exception' | 'references' | 'released_at' | 'expected_at'> {
  /** The number of the attempt that the rail was asked about. */
  readonly attempt: number
  /** Whether the attempt was over when its rail was asked. */
  readonly is_over?: boolean
  /**
   * Proof that the rail has not taken the attempt. `next` is the rail that gets the payout next;
   * null: no rail is left.
   */
  readonly not_taken?: NotTaken & { readonly next: NextRail | null }
}

/** What happens to an approval: a person decides it, or it expires. */
export type ApprovalAct = AskedDecision | 'expire'
