// What moves a payout that is there: steps, who causes them, and what a rail says besides.
import type { AskedDecision } from '../approval/rules.ts'
import type { Instant } from '../instant.ts'
import type { NotTaken } from '../rail/attempt.ts'
import type { RailReport, RailStep } from '../rail/rail.ts'
import type { RouteTaken } from '../rail/rules.ts'
import type { Screened } from '../screening/match.ts'
import type { Person } from './by-hand.ts'
import type { ActionRequest } from './request.ts'
import type { Cause } from './states.ts'

/** Steps to apply to one payout. */
export interface Advance {
  readonly account_id: string
  readonly payout_id: string
  readonly steps: readonly RailStep[]
  /**
   * Where the steps come from. `rail`: the whole history of the payout on its rail, of which the
   * first `rail_steps` are applied already. `operator`: new steps, whatever the rail reports.
   * `review`: none are given; they follow from the approval of the entity that the payout is held
   * for, or that a scheduled one is for when its time has come. `account`: none are given; with an
   * `answer` it resumes the payout, without it cancels. `approval`: none are given; they follow
   * from `act`.
   */
  readonly by: Cause
  /** When the rail is to be asked again; null for never. Read for `rail` alone. */
  readonly ask_again_in_ms: number | null
  /** The claim under which the rail was asked. Read for `rail` alone. */
  readonly claim?: Instant
  /** What the rail says besides. Read for `rail` alone; absent of the simulator. */
  readonly said?: RailWords
  /** How many answers the rail has seen; all when absent. Read for `rail` alone. */
  readonly answers_seen?: number
  /** Who moves the payout by hand. Read for `operator` alone. */
  readonly person?: Person
  /** What happens to its approval. Read for `approval` alone. */
  readonly act?: ApprovalAct
  /** What the account answers. Read for `account` alone. */
  readonly answer?: ActionRequest
  /** When the rail says that the payout arrives. Read for `rail` alone. */
  readonly expected_at?: Instant
  /** What screening says of it; the steps follow from that. Read for `review` alone. */
  readonly screened?: Screened
}

/** The rail that gets a payout next, and why. */
export interface NextRail {
  readonly rail: string
  /** Null when a person named the rail. */
  readonly route: RouteTaken | null
  /** When that rail is to be asked first; null: at once. */
  readonly release_at: Instant | null
  /** When it then arrives; null when that is not known. */
  readonly expected_at: Instant | null
}

/** What a rail says about an attempt besides its steps. */
export interface RailWords
  extends Pick<RailReport, 'exception' | 'references' | 'released_at' | 'expected_at'> {
  /** The number of the attempt that it was asked about. */
  readonly attempt: number
  /** The attempt was over when its rail was asked. */
  readonly is_over?: boolean
  /** Proof that the attempt was not taken, and who gets the payout then; null: no rail is left. */
  readonly not_taken?: NotTaken & { readonly next: NextRail | null }
}

/** What happens to an approval: a person decides, or its time is over. */
export type ApprovalAct = AskedDecision | 'expire'
