// The commands that move an existing payout, one for each actor who can cause its steps.
import type { Maker } from '../../accounts/maker.ts'
import type { AskedDecision } from '../../controls/approval/rules.ts'
import type { NotTaken } from '../../rails/attempt.ts'
import type { RailReport, RailStep } from '../../rails/rail.ts'
import type { RouteTaken } from '../../rails/rules.ts'
import type { Screened } from '../../screening/match.ts'
import type { Instant } from '../../values/instant.ts'
import type { Person } from '../by-hand/by-hand.ts'
import type { ActionRequest } from '../request.ts'
import type { Cause } from '../states.ts'

export type Advance = ByRail | ByOperator | ByReview | ByAccount | ByApproval

interface By<Actor extends Cause> {
  readonly account_id: string
  readonly payout_id: string
  readonly by: Actor
}

export interface ByRail extends By<'rail'> {
  /**
   * The whole history of the attempt on its rail. The first `rail_steps` of the payout are already
   * applied.
   */
  readonly steps: readonly RailStep[]
  /** When the rail is to be asked again; null for never. */
  readonly ask_again_in_ms: number | null
  /** The claim under which the rail was asked. */
  readonly claim?: Instant
  /** Absent for the simulator. */
  readonly report?: AttemptReport
  /** How many answers the rail has seen; all when absent. */
  readonly answers_seen?: number
  /** When the payout arrives, as its rail reports. */
  readonly expected_at?: Instant
}

/** An operator moves the payout by new steps, whatever its rail reports. */
export interface ByOperator extends By<'operator'> {
  readonly steps: readonly RailStep[]
  /** Who moves the payout by hand. */
  readonly person?: Person
  /** The caller of a sandbox who acts as its operator. */
  readonly maker?: Maker
}

/** A review may hold the payout or end its hold. */
export interface ByReview extends By<'review'> {
  /** The result of screening; absent in a review of the payout's entity. */
  readonly screened?: Screened
}

/** The account cancels the payout, or resumes it with an answer. */
export interface ByAccount extends By<'account'> {
  readonly maker: Maker
  readonly answer?: ActionRequest
}

/** A person decides the approval of the payout, or the approval expires. */
export interface ByApproval extends By<'approval'> {
  readonly decided: AskedDecision | 'expire'
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

export interface AttemptReport
  extends Pick<RailReport, 'exception' | 'references' | 'released_at' | 'expected_at'> {
  readonly attempt: number
  /** Whether the attempt was over when its rail was asked. */
  readonly is_over?: boolean
  /**
   * Proof that the rail has not taken the attempt. `next` is the rail that gets the payout next;
   * null: no rail is left.
   */
  readonly not_taken?: NotTaken & { readonly next: NextRail | null }
}
