// The results of the checks of a new payout, and the row that is made from them. Pure.
import type { NeededApproval, PayoutApproval } from '../../controls/approval/approval.ts'
import type { KnownPayee, LimitUses, Use } from '../../controls/limit/limit.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import { carriedTerms } from '../../quotes/carried.ts'
import type { Quote } from '../../quotes/quote.ts'
import type { Plan } from '../../rails/plan.ts'
import type { Match, Screened, ScreeningHold } from '../../screening/match.ts'
import type { Entry } from '../../statements/balance-transaction/balance-transaction.ts'
import type { Event } from '../../statements/event/event.ts'
import type { Instant } from '../../values/instant.ts'
import type { WrittenPayout } from '../columns.ts'
import type {
  Fingerprint,
  Intent,
  OpenPayout,
  PayoutState,
  PricedPayout,
  UsedQuote,
} from '../payout.ts'
import { type Clocks, firstAskAt } from '../schedule.ts'
import type { PayoutStatus } from '../states.ts'
import { particularsOf } from './reference.ts'

/** The values of these members until a rail, a person or the account acts on the payout. */
const UNTOUCHED = {
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

export interface PayoutOutcome {
  readonly payout: OpenPayout
  /** The payout in the form of its row. */
  readonly row: WrittenPayout
  /** The approval that the payout waits for first; null for none. */
  readonly approval: PayoutApproval | null
  /** The quote that renews an expired one; null when nothing is renewed. */
  readonly new_quote: Quote | null
  /** The quote that the request named, now used. */
  readonly used_quote: UsedQuote | null
  readonly new_beneficiary: Beneficiary | null
  /**
   * What is stored to compare later payouts with. Null when the account has no duplicate window.
   * Null also for the first payout of a reference, which the reference finds.
   */
  readonly fingerprint: Fingerprint | null
  /** The payout's uses of the limits of its account. */
  readonly uses: readonly Use[]
  /** The payee, if the account has a limit for new payees and has not paid this payee before. */
  readonly new_payee: KnownPayee | null
  /** The matches of the payout's parties, which hold the payout. */
  readonly matches: readonly Match[]
  readonly entries: readonly Entry[]
  readonly events: readonly Event[]
}

/** The results of the checks of a payout that no check refuses. */
export interface JudgedPayout extends PricedPayout {
  /** The quote that the request names, or null. */
  readonly sentQuote: Quote | null
  /** The entity whose review the payout must wait for, '' for none. */
  readonly held_for: string
  /** When the payout is executed; null: at once. */
  readonly execute_at: Instant | null
  readonly plan: Plan
  /** The book that a payout to another account credits. */
  readonly receiver: Book | null
  readonly id: string
  readonly mt103: string
  /** The payout's uses of the limits of its account. */
  readonly counted: LimitUses
  /** The approval that the payout must wait for; null for none. */
  readonly needed: NeededApproval | null
}

/** The row of a payout whose debit is posted. */
export function payoutRow(
  state: Pick<PayoutState, 'now' | 'books' | 'bookId' | 'principals'>,
  intent: Intent,
  made: JudgedPayout & {
    readonly entry: Entry
    /** Whether the payout carries the quote, which then has no row. */
    readonly carried: boolean
  },
): OpenPayout {
  const { id, quote, paid, beneficiary, entry, held_for, mt103, routed, carried } = made
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
    particulars: particularsOf(state, intent),
    fund_transfer_network: paid.fund_transfer_network,
    charge_type: paid.charge_type,
    ...carriedTerms(carried ? quote : null),
    first_rail: routed.rail,
    ...routed,
    ...UNTOUCHED,
    ...holdMembers(intent, made, { now: state.now, by_account: now }),
    // A payout that needs an approval is not held for its entity yet: the approval decides that.
    held_for: made.needed === null ? held_for : '',
    mt103,
    import_keys: intent.import_keys ?? '',
    made_by: intent.maker,
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
  { screened }: Intent,
  { held_for, needed, execute_at, quote, routed, plan }: JudgedPayout,
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
