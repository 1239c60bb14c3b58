// The results of the checks of a new payout, and the row that is made from them. Pure.
import type { NeededApproval } from '../approval/approval.ts'
import type { Entry } from '../balance-transaction/balance-transaction.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { nameOf } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import type { LimitUses } from '../limit/limit.ts'
import { carriedTerms } from '../quote/carried.ts'
import type { Quote } from '../quote/quote.ts'
import type { Plan } from '../rail/plan.ts'
import type { Routed } from '../rail/rules.ts'
import type { Screened, ScreeningHold } from '../screening/match.ts'
import type { OpenPayout, Particulars, PayoutState } from './payout.ts'
import { networkOf } from './pricing.ts'
import { debtorOf, referenceOf } from './reference.ts'
import type { PayoutRequest } from './request.ts'
import { type Clocks, firstAskAt } from './schedule.ts'
import type { PayoutStatus } from './states.ts'

/** The values of these members until a rail, a person or the account acts on the payout. */
export const UNTOUCHED = {
  claimed_until: null,
  rail_attempts: 0,
  rail_reference: '',
  taken_by: '',
  taken_at: null,
  taken_over_at: null,
  succeeded_at: null,
  failure: null,
  rail_steps: 0,
  answers: [],
  metadata: null,
}

/** The results of the checks of a payout that no check refuses. */
export interface JudgedPayout {
  /** The quote that the request names, or null. */
  readonly sentQuote: Quote | null
  /** The entity whose review the payout must wait for, '' for none. */
  readonly held_for: string
  readonly beneficiary: Beneficiary
  /** When the payout is executed; null: at once. */
  readonly execute_at: Instant | null
  /** The quote that the request names, or a new one. */
  readonly quote: Quote
  readonly routed: Routed
  readonly plan: Plan
  /** The book that a payout to another account credits. */
  readonly receiver: Book | null
  readonly id: string
  readonly mt103: string
  /** Null when the account has no duplicate window. */
  readonly likeness: string | null
  /** The payout's uses of the limits of its account. */
  readonly counted: LimitUses
  /** The approval that the payout must wait for; null for none. */
  readonly needed: NeededApproval | null
}

interface ScreenedPayout extends JudgedPayout {
  readonly screened: Screened
}

/** The row of a payout whose debit is posted. */
export function payoutRow(
  state: Pick<PayoutState, 'now' | 'books' | 'bookId' | 'principals'>,
  request: PayoutRequest,
  made: ScreenedPayout & {
    readonly entry: Entry
    readonly import_keys: string
    /** Whether the payout carries the quote, which then has no row. */
    readonly carried: boolean
  },
): OpenPayout {
  const { id, quote, beneficiary, entry, held_for, mt103, import_keys, routed, carried } = made
  const now = entry.line.created_at
  const book = bookOf(state.books, quote.account_id)
  const converted = (from: string, to: string) => (from === to ? '' : state.bookId(book, 'fx'))
  return {
    account_id: quote.account_id,
    id,
    quote_id: carried ? '' : quote.id,
    type: quote.payout_type,
    amount: quote.payout_amount,
    currency: quote.payout_currency,
    holding_currency: quote.holding_currency,
    holding_amount: quote.holding_amount,
    fixed_fee: quote.fixed_fee_holding,
    variable_fee: quote.variable_fee_holding,
    destination_currency: quote.destination_currency,
    destination_amount: quote.destination_amount,
    holding_to_payout: quote.holding_to_payout,
    payout_to_destination: quote.payout_to_destination,
    holding_fx_id: converted(quote.holding_currency, quote.payout_currency),
    payout_fx_id: converted(quote.payout_currency, quote.destination_currency),
    balance_transaction_id: entry.line.id,
    beneficiary_id: beneficiary.id,
    beneficiary_details: beneficiary.details,
    particulars: particularsOf(state, request, quote),
    fund_transfer_network: networkOf(quote, request),
    charge_type: quote.charge_type || (request.charge_type ?? ''),
    ...carriedTerms(carried ? quote : null),
    first_rail: routed.rail,
    ...routed,
    ...UNTOUCHED,
    ...holdMembers(made, { now: state.now, by_account: now }),
    // A payout that needs an approval is not held for its entity yet: the approval decides that.
    held_for: made.needed === null ? held_for : '',
    mt103,
    import_keys,
    execute_at: made.execute_at,
    created_at: now,
    updated_at: now,
  }
}

/**
 * The members that depend on whether the payout is held: for its approval, for the review of its
 * entity, or by screening.
 */
function holdMembers(
  { held_for, screened, needed, execute_at, quote, routed, plan }: ScreenedPayout,
  clocks: Clocks,
) {
  const is_transfer = quote.payout_type === 'service_account'
  const screening = holdByScreening(screened, is_transfer)
  const is_held = needed !== null || held_for !== '' || screening !== ''
  const unheld_status = is_transfer ? 'succeeded' : 'processing'
  const held_status = needed === null ? 'compliance_hold' : 'pending_approval'
  const status: PayoutStatus = is_held ? held_status : unheld_status
  return {
    status,
    status_description: needed === null ? descriptionOf(held_for, is_held) : approvalWords(needed),
    ask_rail_at: is_held ? null : firstAskAt({ rail: routed.rail, execute_at }, plan, clocks),
    expected_at: routed.route === null ? null : plan.expected_at,
    screened: screening === '' ? screened.version : null,
    screening,
  }
}

/**
 * The hold of a new payout by screening. A match holds any payout. A missing screening holds only a
 * transfer, because every other payout waits for it before a rail gets it.
 */
function holdByScreening({ version, matches }: Screened, is_transfer: boolean): ScreeningHold {
  if (matches.length > 0) return 'open'
  return is_transfer && version === null ? 'waits' : ''
}

/** The status description that hides from the account which check holds the payout. */
export const NEUTRAL_DESCRIPTION = 'Held for review.'

function approvalWords({ approvers }: NeededApproval): string {
  const people = approvers === 1 ? 'one person approves' : `${approvers} people approve`
  return `Waits until ${people} it.`
}

/** The status description of a payout that an entity's review or screening holds; else ''. */
export function descriptionOf(held_for: string, is_held: boolean): string {
  if (held_for !== '') return `Held until entity ${held_for} is reviewed.`
  return is_held ? NEUTRAL_DESCRIPTION : ''
}

function particularsOf(
  { principals }: Pick<PayoutState, 'principals'>,
  request: PayoutRequest,
  quote: Quote,
): Particulars {
  const { account_id } = quote
  const on_behalf_of = request.on_behalf_of ?? quote.entity_id
  return {
    purpose: request.purpose,
    transaction_description: request.transaction_description ?? '',
    reference_id: request.reference_id ?? '',
    statement_descriptor: request.statement_descriptor ?? '',
    on_behalf_of,
    creditor_reference: referenceOf(request),
    ultimate_debtor: debtorOf(principals.get(nameOf({ account_id, id: on_behalf_of }))),
    documents: request.documents ?? [],
    logistics_tracking_details: request.logistics_tracking_details ?? [],
    metadata: request.metadata ?? null,
  }
}
