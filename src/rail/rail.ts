// The interface of a payout network's adapter. A rail moves no ledger; it says what happened.
import type { BeneficiaryDetails } from '../beneficiary/beneficiary.ts'
import type { Instant } from '../instant.ts'

/** The rail of sandbox accounts, and of no others. */
export const SIMULATOR = 'simulator'

/**
 * The rail of people: no adapter, since nobody is asked. A person takes the payout, pays it at a
 * bank and says so; until then it waits.
 */
export const MANUAL = 'manual'

/** The rails that come with the service and that a route can name. */
export const ROUTABLE_RAILS: readonly string[] = [MANUAL]

/** The adapters that this process asks, by name. */
export type Rails = ReadonlyMap<string, Rail>

/** Whether anybody asks the rail what becomes of a payout; '' is no rail. */
export function isAsked(rail: string): boolean {
  return rail !== '' && rail !== MANUAL
}

/** Sandbox accounts go to the simulator and nowhere else; live accounts never go there. */
export function mayTake(rail: string, { sandbox }: { readonly sandbox: boolean }): boolean {
  return (rail === SIMULATOR) === sandbox
}

type Party = Omit<BeneficiaryDetails, 'destination' | 'destination_details' | 'status' | 'type'>

/**
 * What the account has answered while the payout required action: documents to be added, and
 * members that take the place of those before. Never the beneficiary's name or destination.
 */
export interface RailAnswer {
  /** From 1, in the order in which they came. */
  readonly number: number
  readonly created_at: Instant
  readonly documents?: BeneficiaryDetails['documents']
  readonly beneficiary_details?: Partial<Omit<Party, 'name' | 'party_classification'>>
  readonly purpose?: string
  readonly transaction_description?: string
  /** For people. */
  readonly note?: string
}

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
  /** As the payout was made; the answers say what has come since. */
  readonly beneficiary_details: BeneficiaryDetails
  /**
   * All so far, oldest first. With each question the adapter hands over those that the rail has not
   * seen: the same number of a payout is always the same answer, so that none need be handed over
   * twice, and a repeat must do no harm.
   */
  readonly answers: readonly RailAnswer[]
  readonly created_at: Instant
  /** When this is asked, by the same clock as `created_at`: the account's. */
  readonly asked_at: Instant
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
  /** What the account is told while the payout is in this status, such as what is asked of it. */
  readonly description?: string
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
 * A payout that was answered is `processing` here before the rail knows; a step of the rail that
 * says no more than that is taken as said. One `requires_action` more asks again.
 *
 * Both calls may reject or time out, which says nothing about the payment: the payout stays as it
 * is and the rail is asked again (§rail.unclear).
 */
export interface Rail {
  readonly name: string
  /** Hands the payout over; a repeat with the same id must not pay twice. */
  submit(payout: RailPayout): Promise<RailReport>
  /** What became of a payout handed over before; undefined when the rail never saw it. */
  inquire(payout: RailPayout): Promise<RailReport | undefined>
}
