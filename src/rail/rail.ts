// The interface of a payout network's adapter. A rail moves no ledger; it says what happened.
import type { BeneficiaryDetails } from '../beneficiary/rules.ts'
import type { Instant } from '../instant.ts'

/** What a rail is told. The payout id is its idempotency key: the same id is the same payment. */
export interface RailPayout {
  readonly id: string
  readonly type: string
  /** Minor units of `currency`: the payout as the customer named it. */
  readonly amount: bigint
  readonly currency: string
  /** Minor units of `destination_currency`: what the beneficiary receives. */
  readonly destination_amount: bigint
  readonly destination_currency: string
  readonly fund_transfer_network: string
  readonly charge_type: string
  readonly beneficiary_details: BeneficiaryDetails
  readonly created_at: Instant
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

/** One step of a payout on the rail. */
export interface RailStep {
  readonly status: RailStatus
  readonly failure: Failure | null
}

/**
 * The whole history of a payout on the rail, oldest first; the caller applies what is new to it.
 */
export interface RailReport {
  readonly steps: readonly RailStep[]
  /** When to ask again; null when nothing more will happen by itself. */
  readonly ask_again_in_ms: number | null
}

/**
 * Both calls may reject or time out, which says nothing about the payment: the payout stays as it
 * is and the rail is asked again (contract 18).
 */
export interface Rail {
  readonly name: string
  /** Hands the payout over; a repeat with the same id must not pay twice. */
  submit(payout: RailPayout): Promise<RailReport>
  /** What became of a payout handed over before; undefined when the rail never saw it. */
  inquire(payout: RailPayout): Promise<RailReport | undefined>
}
