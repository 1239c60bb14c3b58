// What the rules of payouts speak of: the payout, what is loaded to decide one, and the outcome.

import type { Account } from '../account/rules.ts'
import type { Entry } from '../balance-transaction/balance-transaction.ts'
import type { Beneficiary, BeneficiaryDetails } from '../beneficiary/beneficiary.ts'
import type { EntityDetails } from '../entity/record.ts'
import type { Approvals } from '../entity/rules.ts'
import type { Event } from '../event/event.ts'
import type { BookId } from '../id.ts'
import type { Claiming } from '../idempotency/kept-reply.ts'
import type { Instant } from '../instant.ts'
import type { Book } from '../ledger/rules.ts'
import type { Decimal } from '../money/decimal.ts'
import type { PricingAt } from '../price/price.ts'
import type { Basis } from '../quote/basis.ts'
import type { PayoutType, Quote } from '../quote/quote.ts'
import type { Failure, RailAnswer } from '../rail/rail.ts'
import type { Route, RouteTaken } from '../rail/rules.ts'
import type { PayoutRequest } from './request.ts'
import type { PayoutStatus } from './states.ts'

/** What the caller sent and nobody computes with. */
export interface Particulars {
  readonly purpose: string
  readonly transaction_description: string
  readonly reference_id: string
  readonly statement_descriptor: string
  readonly on_behalf_of: string
  readonly documents: NonNullable<PayoutRequest['documents']>
  readonly logistics_tracking_details: NonNullable<PayoutRequest['logistics_tracking_details']>
  readonly metadata: Readonly<Record<string, string>> | null
}

/** A payout as stored; amounts in minor units, '' for what is not set. */
export interface Payout {
  readonly account_id: string
  readonly id: string
  /** The quote that it was made with; '' when it carries its terms itself. */
  readonly quote_id: string
  readonly type: PayoutType
  readonly amount: bigint
  readonly currency: string
  readonly holding_currency: string
  readonly holding_amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  readonly destination_currency: string
  readonly destination_amount: bigint
  readonly holding_to_payout: Decimal
  readonly payout_to_destination: Decimal
  readonly holding_fx_id: string
  readonly payout_fx_id: string
  readonly balance_transaction_id: string
  readonly beneficiary_id: string
  readonly beneficiary_details: BeneficiaryDetails
  readonly particulars: Particulars
  readonly fund_transfer_network: string
  readonly charge_type: string
  /** What the price was made for; '' when the quote has it. Here and below: quote/carried.ts. */
  readonly destination_country: string
  readonly basis: Basis | null
  /** How long the quote it carries would have been valid; null when it carries none. */
  readonly quote_validity_s: number | null
  /** The rail that it was routed to when it was made; '' for transfers to other accounts. */
  readonly rail: string
  /** The route that led to the rail; null when no route was needed. */
  readonly route: RouteTaken | null
  /** The bank's reference of the payment; '' until an operator says it. */
  readonly rail_reference: string
  /** Who pays it by hand; '' while nobody does. */
  readonly taken_by: string
  readonly taken_at: Instant | null
  readonly status: PayoutStatus
  readonly status_description: string
  readonly failure: Failure | null
  readonly rail_steps: number
  /** The entity whose review the payout waits for, in compliance_hold; '' when for none. */
  readonly held_for: string
  /** What the account has answered while the payout required action, oldest first. */
  readonly answers: readonly RailAnswer[]
  /** The message as it was when the payout was made; '' for payouts that are not by SWIFT. */
  readonly mt103: string
  /** The keys of the row of a file that it pays, parted by a blank; '' when it came otherwise. */
  readonly import_keys: string
  readonly created_at: Instant
  readonly updated_at: Instant
}

/** A payout and what is still to be done about it: while there is any, it has a row of its own. */
export interface OpenPayout extends Payout {
  /** When its rail is to be asked (again), by the database's clock; null when it is not. */
  readonly ask_rail_at: Instant | null
  /** Until when a worker asks it, by the same clock; null when none does. */
  readonly claimed_until: Instant | null
  /** How often its rail was asked. */
  readonly rail_attempts: number
}

/** A payout as it was read, and whether there is a row of what is still to be done. */
export interface ReadPayout extends OpenPayout {
  readonly is_open: boolean
}

/** Everything a batch of payouts may touch, read under the locks of its books. */
export interface PayoutState {
  /** The database's clock: what rates are as old as, and when the rail is to be asked. */
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`; a quote used by an earlier command of the batch is marked so. */
  readonly quotes: Map<string, Quote>
  readonly beneficiaries: ReadonlyMap<string, Beneficiary>
  readonly approvals: Approvals
  readonly accountsByDepositAddress: ReadonlyMap<string, Account>
  /** Of accounts that guard against paying twice; advanced by the commands of the batch. */
  readonly likenesses: Likenesses
  /** The entities that payouts by SWIFT are made for, by `account_id/id`. */
  readonly principals: Principals
  /** The installation's BIC, '' when the operator has set none. */
  readonly sender_bic: string
  readonly pricing: PricingAt
  readonly routes: readonly Route[]
  readonly bookId: BookId
}

export interface PayoutOutcome {
  readonly payout: OpenPayout
  /** The quote that renews the one named; null when that funds the payout, or none was named. */
  readonly new_quote: Quote | null
  /** The quote that the request named, which nothing else can use now. */
  readonly used_quote: UsedQuote | null
  readonly new_beneficiary: Beneficiary | null
  /** What later payouts are held against; null when the account does not guard against it. */
  readonly likeness: Likeness | null
  readonly entries: readonly Entry[]
  readonly events: readonly Event[]
}

/** Who a payout is made for: of an entity, what a message says of it. */
export type Principals = ReadonlyMap<string, Pick<EntityDetails, PrincipalAddress | 'name'>>
export type PrincipalAddress = 'registration_address' | 'operating_address'

/** A quote that a payout has used, or that one has renewed. */
export interface UsedQuote extends Quote {
  /** The quote that has taken its place, '' when it funds the payout itself. */
  readonly renewed_as: string
}

/** What a payout was like, kept while it counts against later ones. */
export interface Likeness {
  readonly account_id: string
  /** 64 hex digits. */
  readonly likeness: string
  readonly created_at: Instant
  readonly payout_id: string
}

/** The newest payout of each likeness that counts, by `account_id/likeness`. */
export type Likenesses = Map<string, Likeness>

export interface CreatePayout extends Claiming {
  readonly account: Account
  readonly request: PayoutRequest
  readonly import_keys?: string
}

/** Makes one check, which may throw a Refusal; undefined when it is refused and others follow. */
export type Attempt = <T>(check: () => T) => T | undefined

/** What a held payout waits for, null when it waits for nothing. */
export function holdOf({ account_id, id: payout_id, held_for: entity_id }: Payout) {
  return entity_id === '' ? null : { account_id, entity_id, payout_id }
}
