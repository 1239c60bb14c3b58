// Payouts as pure functions: the outcome of a payout that nothing refuses. State in, outcome out;
// the books in the state are advanced so that the next payout of a batch sees them.
import type { Account } from '../account/rules.ts'
import { type Entry, recordLine } from '../balance-transaction/rules.ts'
import { BENEFICIARY_SEAL } from '../beneficiary/columns.ts'
import type { Beneficiary, BeneficiaryDetails } from '../beneficiary/rules.ts'
import type { Approvals } from '../entity/rules.ts'
import { type Event, recordEvent } from '../event/rules.ts'
import { type BookId, nameOf } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import type { Decimal } from '../money/decimal.ts'
import type { Basis } from '../quote/basis.ts'
import { QUOTE_SEAL } from '../quote/columns.ts'
import type { PayoutType, PricingAt, Quote } from '../quote/rules.ts'
import type { Failure, RailAnswer } from '../rail/rail.ts'
import type { Route, RouteTaken } from '../route/rules.ts'
import { caused } from './cause.ts'
import { PAYOUT_SEAL } from './columns.ts'
import { judgeStrictly } from './ladder.ts'
import type { Likeness, Likenesses } from './likeness.ts'
import { makePayout, postDebit } from './make.ts'
import { type UsedQuote, useQuote } from './quote.ts'
import { postReceipt } from './receiver.ts'
import type { PayoutStatus } from './states.ts'
import type { Principals } from './swift.ts'
import type { PayoutRequest } from './wire.ts'

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

/** What a held payout waits for, null when it waits for nothing. */
export function holdOf({ account_id, id: payout_id, held_for: entity_id }: Payout) {
  return entity_id === '' ? null : { account_id, entity_id, payout_id }
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

/** Decides one payout. Refuses as the ladder says (ladder.ts). */
export function decidePayout(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  import_keys = '',
): PayoutOutcome {
  const book = bookOf(state.books, account.account_id)
  const judged = judgeStrictly(state, account, request)
  const { sentQuote, held_for, beneficiary, quote, routed, receiver, id, mt103, likeness } = judged
  // After this point the payout succeeds.

  // A held payout credits its receiver when it is released.
  const credited = held_for === '' ? receiver : null
  const entry = postDebit(book, quote, id, credited !== null)
  const receipt = credited && postReceipt(credited, quote, id)
  const carried = sentQuote === null
  const facts = { id, beneficiary, entry, held_for, mt103, import_keys, routed, carried }
  const payout = makePayout(state, quote, request, facts)
  const renewing = sentQuote !== null && quote !== sentQuote ? quote : null
  const used = sentQuote && useQuote(sentQuote, renewing?.id ?? '', book.now)
  if (used !== null) state.quotes.set(nameOf(used), used)
  const made = {
    quote: carried ? quote : renewing,
    carried,
    beneficiary: request.beneficiary === undefined ? beneficiary : null,
  }
  return {
    payout,
    new_quote: renewing,
    used_quote: used,
    new_beneficiary: made.beneficiary,
    likeness: likeness === null ? null : remember(state, payout, likeness),
    entries: receipt === null ? [entry] : [entry, receipt.entry],
    events: [
      ...payoutEvents(book, payout, entry, made),
      ...(receipt === null ? [] : [receipt.event()]),
    ],
  }
}

function remember({ likenesses }: PayoutState, payout: Payout, likeness: string): Likeness {
  const { account_id, id: payout_id, created_at } = payout
  const made = { account_id, likeness, created_at, payout_id }
  likenesses.set(nameOf({ account_id, id: likeness }), made)
  return made
}

/** In the order in which things came to be: beneficiary, quote, payout, statement line, result. */
function payoutEvents(
  book: Book,
  payout: Payout,
  debit: Entry,
  {
    quote,
    carried,
    beneficiary,
  }: {
    readonly quote: Quote | null
    readonly carried: boolean
    readonly beneficiary: Beneficiary | null
  },
): Event[] {
  const { account_id, id, status, status_description } = payout
  const record = (type: string, object_id: string, data: object, content?: string) =>
    recordEvent(book, { type, object_id, data, content })
  const events: Event[] = []
  if (beneficiary !== null) {
    const content = BENEFICIARY_SEAL.digest(beneficiary)
    events.push(record('beneficiary.created', beneficiary.id, {}, content))
  }
  if (quote !== null) {
    // What a payout carries is sealed with the payout.
    const content = carried ? undefined : QUOTE_SEAL.digest(quote)
    events.push(record('payout_quote.created', quote.id, {}, content))
  }
  const debited = caused('account', account_id, [debit.journal])
  const content = PAYOUT_SEAL.digest(payout)
  events.push(record('payout.created', id, { status, ...debited }, content))
  events.push(recordLine(book, debit.line))
  if (status !== 'processing') {
    const facts = { status, status_description, ...debited, journals: [] }
    events.push(record(`payout.${status}`, id, facts, content))
  }
  return events
}
