// A rail: the adapter of a payout network. It reports what happened to a payout and posts nothing.
import type { BeneficiaryDetails } from '../parties/beneficiary/beneficiary.ts'
import type { UltimateDebtor } from '../values/bank-format/bank-format.ts'
import type { Instant } from '../values/instant.ts'

/** The rail of sandbox accounts, and of no others. */
export const SIMULATOR = 'simulator'

/**
 * The rail of people, which has no adapter. A payout waits until a person takes it, pays it at a
 * bank and reports the payment.
 */
export const MANUAL = 'manual'

/** The open adapters of this process that are asked now, by the rail's name. */
export type Rails = Pick<ReadonlyMap<string, Rail>, 'get' | 'has' | 'keys'>

/** Whether workers ask the rail about its payouts; '' is no rail. */
export function isAsked(rail: string): boolean {
  return rail !== '' && rail !== MANUAL
}

/** Whether workers ask the rail and it pays real money, so that its attempts are stored. */
export function isOutside(rail: string): boolean {
  return isAsked(rail) && rail !== SIMULATOR
}

/**
 * Whether a rail can take payouts of an account: the simulator takes sandboxes, others live
 * accounts.
 */
export function mayTake(rail: string, { sandbox }: { readonly sandbox: boolean }): boolean {
  return (rail === SIMULATOR) === sandbox
}

type Party = Omit<
  BeneficiaryDetails,
  'destination' | 'destination_details' | 'metadata' | 'reference_id' | 'status' | 'type'
>

/**
 * An answer of the account to a payout in requires_action: more documents, and members that replace
 * earlier ones. It never changes the beneficiary's name or destination.
 */
export interface RailAnswer {
  /** Counted from 1 within the payout. */
  readonly number: number
  readonly created_at: Instant
  readonly documents?: BeneficiaryDetails['documents']
  readonly beneficiary_details?: Partial<Omit<Party, 'name' | 'party_classification'>>
  readonly purpose?: string
  readonly transaction_description?: string
  /** For the rail's staff. */
  readonly note?: string
}

/** One payout handed to one rail, once. */
export interface Attempt {
  /**
   * `<payout id>-<number>`: the rail's idempotency key. One id is one payment. Another attempt of
   * the payout is another payment.
   */
  readonly id: string
  /** Counted from 1 within the payout. */
  readonly number: number
  readonly rail: string
  /** The unique end-to-end transaction reference of this attempt alone, a UUID of version 4. */
  readonly uetr: string
  readonly opened_at: Instant
  /** Business days from the value date to the arrival, from the route; null: it has none. */
  readonly arrival_days: number | null
}

/** A payout as a rail gets it. */
export interface RailPayout {
  readonly account_id: string
  readonly id: string
  readonly attempt: Attempt
  readonly type: string
  /** Minor units of `currency`: the payout as the customer named it. */
  readonly amount: bigint
  readonly currency: string
  /** The amount that the beneficiary receives, in minor units of `destination_currency`. */
  readonly destination_amount: bigint
  readonly destination_currency: string
  readonly fund_transfer_network: string
  readonly charge_type: string
  readonly particulars: {
    readonly purpose: string
    readonly transaction_description: string
    readonly reference_id: string
    readonly creditor_reference: string
    readonly ultimate_debtor: UltimateDebtor | null
  }
  /** The beneficiary at the payout's creation; `answers` has later changes. */
  readonly beneficiary_details: BeneficiaryDetails
  /**
   * All answers so far, oldest first. The adapter hands over the answers that the rail does not
   * have. A number always identifies the same answer of a payout, and a repeat must do no harm.
   */
  readonly answers: readonly RailAnswer[]
  readonly created_at: Instant
  /** The execution time of a scheduled payout, already past; null: it is the creation. */
  readonly execute_at: Instant | null
  /** When the rail is asked, by the account's clock, as is `created_at`. */
  readonly asked_at: Instant
  /** The status of the payout when the rail is asked. */
  readonly status: string
}

export interface Failure {
  readonly code: string
  readonly category: string
  readonly message: string
}

export type RailStatus =
  | 'processing'
  | 'succeeded'
  | 'failed'
  | 'requires_action'
  | 'compliance_hold'
  | 'reversed'

export interface RailStep {
  readonly status: RailStatus
  readonly failure: Failure | null
  /** Whether the money comes back because the payee or the account wants it. */
  readonly at_wish?: boolean
  /** The account's text in this status, such as a request for documents. */
  readonly description?: string
}

/** A rail's report about an attempt. The caller applies the new steps. */
export interface RailReport {
  /**
   * The whole history of the attempt on the rail, oldest first. Never begins with `processing`:
   * a payout that a rail takes has this status already.
   */
  readonly steps: readonly RailStep[]
  /** When to ask again; null when nothing more will happen by itself. */
  readonly ask_again_in_ms: number | null
  /**
   * Proof that the rail has not taken the attempt and never will: the next route may take the
   * payout. Neither a time-out nor an answer that may change is proof.
   */
  readonly not_taken?: {
    readonly code: string
    readonly message: string
    /**
     * When the same rail may take the payout in another attempt. It comes before other routes.
     */
    readonly again_from?: Instant
  }
  /** An exception for a person. No step follows until it is closed. */
  readonly exception?: { readonly kind: string; readonly message: string }
  /** References for the timeline: file, message id, the provider's id, the bank's reference. */
  readonly references?: Readonly<Record<string, string>>
  /** When the rail sends the payment on, and when it should arrive. */
  readonly released_at?: Instant
  readonly expected_at?: Instant
}

/** What a rail last saw of the servers that it asks, and of the wallets that it pays from. */
export interface RailMeasures {
  readonly providers: readonly {
    readonly name: string
    /** Blocks behind the highest head. */
    readonly lag: number
    /** Whether its answers do not count now. */
    readonly left_out: boolean
    /** How often it answered otherwise than those that agreed, since the rail was opened. */
    readonly other_answers: number
  }[]
  readonly balances: readonly {
    readonly wallet: string
    readonly currency: string
    /** Minor units, rounded down. */
    readonly amount: bigint
  }[]
}

/**
 * An adapter. An account's answer makes the payout `processing`, before the rail reports that step:
 * the caller then skips the rail's step. Another `requires_action` asks the account again.
 *
 * Both calls take many payouts and give a promise for each, in the same order, so that a slow
 * payout delays no other. A promise may reject or time out, which proves nothing about the payment:
 * the payout stays as it is, and the rail is asked again (§rail.unclear).
 */
export interface Rail {
  readonly name: string
  /**
   * How long the rail knows an attempt by its id, from the first hand-over; null for ever. An
   * attempt that it no longer knows is never handed over again: a person decides.
   */
  readonly key_lifetime_ms: number | null
  /** Hands attempts over; a repeat with the same attempt id must not pay twice. */
  submit(payouts: readonly RailPayout[]): readonly Promise<RailReport>[]
  /**
   * Reports on attempts that were handed over before. Undefined: the rail proves that it never got
   * the attempt.
   */
  inquire(payouts: readonly RailPayout[]): readonly Promise<RailReport | undefined>[]
  /** For metrics. Absent: nothing is measured. */
  measures?(): RailMeasures
}
