// The nouns of payouts: the payout, the state that a decision reads, and the outcome it returns.
import type { Maker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import type { ApprovalRules, KeyFacts } from '../controls/approval/approval.ts'
import type { LimitState } from '../controls/limit/limit.ts'
import type { Claiming } from '../http/idempotency/kept-reply.ts'
import type { Book } from '../ledger/rules.ts'
import type { Beneficiary, BeneficiaryDetails } from '../parties/beneficiary/beneficiary.ts'
import type { BeneficiaryRequest } from '../parties/beneficiary/request.ts'
import type { Approvals, Entity, EntityDetails } from '../parties/entity/entity.ts'
import type { PricingAt } from '../prices/price.ts'
import type { Carrier } from '../quotes/carried.ts'
import type { PayoutType, Quote, QuoteTerms } from '../quotes/quote.ts'
import type { Carriage } from '../rails/carriage.ts'
import type { Failure, RailAnswer } from '../rails/rail.ts'
import type { Route, Routed, RouteTaken } from '../rails/rules.ts'
import type { Screened, ScreeningHold } from '../screening/match.ts'
import type { UltimateDebtor } from '../values/bank-format/bank-format.ts'
import type { BookId } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import type { Decimal } from '../values/money/decimal.ts'
import type { PayoutRequest } from './request.ts'
import type { PayoutStatus } from './states.ts'

/** Members of the request that the service stores and returns, and never computes with. */
export interface Particulars {
  readonly purpose: string
  readonly transaction_description: string
  readonly reference_id: string
  readonly statement_descriptor: string
  readonly on_behalf_of: string
  /** By it the creditor finds the invoice (values/network/creditor-reference.ts). */
  readonly creditor_reference: string
  /** The entity of `on_behalf_of` at the creation, so that a repeat is the same. */
  readonly ultimate_debtor: UltimateDebtor | null
  readonly documents: NonNullable<PayoutRequest['documents']>
  readonly logistics_tracking_details: NonNullable<PayoutRequest['logistics_tracking_details']>
  readonly metadata: Readonly<Record<string, string>> | null
}

/**
 * A payout as stored. Amounts are in minor units; '' is "not set". When the payout uses a stored
 * quote, `destination_country` is '', and `basis` and `quote_validity_s` are null.
 */
export interface Payout extends Omit<Carrier<Decimal>, 'beneficiary_details' | 'on_behalf_of'> {
  /** The used quote; '' for a payout with its own terms (quotes/carried.ts). */
  readonly quote_id: string
  readonly holding_fx_id: string
  readonly payout_fx_id: string
  readonly balance_transaction_id: string
  readonly beneficiary_id: string
  readonly beneficiary_details: BeneficiaryDetails
  readonly particulars: Particulars
  /** The rail that its route names; '' for a transfer to another account. */
  readonly first_rail: string
  /** The route that was chosen; null when none is needed. */
  readonly route: RouteTaken | null
  /** The rail that has the payout now, or had it last. */
  readonly rail: string
  /** The bank's reference of the payment; '' until an operator enters it. */
  readonly rail_reference: string
  /** The person who pays the payout by hand; '' while nobody has taken it. */
  readonly taken_by: string
  readonly taken_at: Instant | null
  /** When a person moved by hand a payout that a rail had; null while the rail has it. */
  readonly taken_over_at: Instant | null
  /**
   * When the payout arrives, as planned or as its rail has reported since. Null for sandboxes, for
   * transfers, and where it is not known.
   */
  readonly expected_at: Instant | null
  /** When a reversed payout succeeded; null for every other. */
  readonly succeeded_at: Instant | null
  readonly status: PayoutStatus
  readonly status_description: string
  readonly failure: Failure | null
  readonly rail_steps: number
  /** In compliance_hold, the entity whose review the payout waits for; '' for none. */
  readonly held_for: string
  /** The metadata after the account's changes; null: unchanged, so `particulars` has it. */
  readonly metadata: Particulars['metadata']
  /** The account's answers in requires_action, oldest first. */
  readonly answers: readonly RailAnswer[]
  /** The SWIFT message, written when the payout is made; '' for other types. */
  readonly mt103: string
  /** The two keys of the imported row, separated by a space; '' when no import made the payout. */
  readonly import_keys: string
  /** Before this time, neither a rail nor a person gets the payout. Null: at once. */
  readonly execute_at: Instant | null
  readonly updated_at: Instant
}

/** A payout with its remaining work. It has a row of `open_payouts` while work remains. */
export interface OpenPayout extends Payout {
  /** When the next question to its rail is due, by the database's clock; null for never. */
  readonly ask_rail_at: Instant | null
  /** Until when a worker's claim holds, by the same clock; null when nobody has claimed it. */
  readonly claimed_until: Instant | null
  /** How often rails were asked about the payout. */
  readonly rail_attempts: number
  /** The version of the lists at which it had no open match; null: not screened, or held. */
  readonly screened: bigint | null
  readonly screening: ScreeningHold
}

/** A payout as read, and whether it has a row of `open_payouts`. */
export interface ReadPayout extends OpenPayout {
  readonly is_open: boolean
}

/** Everything that a batch of payouts may touch, read under the locks of its books. */
export interface PayoutState {
  /** The database's clock, which judges the age of rates and sets when a rail is asked. */
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`; decisions of the batch mark the quotes that they use. */
  readonly quotes: Map<string, Quote>
  readonly beneficiaries: ReadonlyMap<string, Beneficiary>
  readonly approvals: Approvals
  readonly accountsByDepositAddress: ReadonlyMap<string, Account>
  /** Earlier payouts of accounts that have a duplicate window; decisions add their own. */
  readonly fingerprints: Fingerprints
  /** The entities that payouts are made for, by `account_id/id`. */
  readonly principals: Principals
  /** The installation's BIC, '' when the operator has set none. */
  readonly sender_bic: string
  readonly pricing: PricingAt
  readonly routes: readonly Route[]
  readonly carriage: Carriage
  /** The counters of limits; decisions add their own payouts. */
  readonly limits: LimitState
  /** The rules of approvals, of the version of the prices, and the facts that they judge by. */
  readonly approving: ApprovingState
  readonly intents: ReadonlyMap<PayoutRequest, Intent>
  readonly bookId: BookId
}

/** The state that decides whether a payout needs an approval, and who its maker is. */
export interface ApprovingState {
  readonly rules: ApprovalRules
  /** By id of the key. */
  readonly keys: ReadonlyMap<string, KeyFacts>
  /** Approved payees, as `account_id/payee`, of accounts with a rule about new payees. */
  readonly payees: ReadonlySet<string>
}

/** A payout with its payee, price and route. */
export interface PricedPayout {
  readonly beneficiary: Beneficiary
  /** The quote that the request names, or a new one. */
  readonly quote: Quote
  /** The terms of the quote, with the network, charges and country that the request adds. */
  readonly paid: QuoteTerms
  readonly routed: Routed
}

/** The members of a principal in messages to banks. */
export type Principal = Pick<EntityDetails, PrincipalAddress | PrincipalNumber | 'name'> &
  Pick<Entity, 'type'>
export type Principals = ReadonlyMap<string, Principal>
type PrincipalNumber = 'registration_number' | 'national_identification_number'
export type PrincipalAddress = 'registration_address' | 'operating_address'

/** A quote that a payout has used or renewed. */
export interface UsedQuote extends Quote {
  /** The quote that replaces it; '' when the payout is made at this one. */
  readonly renewed_as: string
}

/** The fingerprint of a payout, stored while later payouts are compared with it. */
export interface Fingerprint {
  readonly account_id: string
  /** 64 hex digits. */
  readonly fingerprint: string
  readonly created_at: Instant
  readonly payout_id: string
}

/** The newest payout of each fingerprint, by `account_id/fingerprint`. */
export type Fingerprints = Map<string, Fingerprint>

/** A request to pay, and who makes it. */
export interface Asked {
  readonly account_id: string
  readonly account: Account
  readonly request: PayoutRequest
  /** Who asks for the payout, as its row and its events name the maker. */
  readonly maker: Maker
  /** The API key of the request; absent when the request has none. */
  readonly key_id?: string
  /** The person who requests the payout in their own name; absent when an account's key does. */
  readonly made_by?: string
  /** The two keys of the imported row, separated by a space. */
  readonly import_keys?: string
}

export interface Intent extends Asked {
  /** The details of the payee; undefined when the beneficiary that the request names is unknown. */
  readonly details: BeneficiaryRequest | BeneficiaryDetails | undefined
  readonly type: PayoutType
  /** The entity that the payout is for, by the request or its quote; '' for none. */
  readonly on_behalf_of: string
  /** Duplicates have the same; null when the account looks for none, or without `details`. */
  readonly fingerprint: string | null
  /** The result of screening its parties, which loading adds. */
  readonly screened: Screened
}

export interface CreatePayout extends Claiming, Asked {}

/** Runs a check that may throw a Refusal. A dry run collects the Refusal and returns undefined. */
export type RunCheck = <T>(check: () => T) => T | undefined

/** The hold of a payout: the entity whose review it waits for; null for none. */
export function holdOf({ account_id, id: payout_id, held_for: entity_id }: Payout) {
  return entity_id === '' ? null : { account_id, entity_id, payout_id }
}
