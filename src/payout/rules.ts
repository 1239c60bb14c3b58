// Payouts as pure functions: the ladder of refusals, and the outcome when none applies. State in,
// outcome out; the books in the state are advanced so that the next payout of a batch sees them.
import type { Account } from '../account/rules.ts'
import { checkActive } from '../account/states.ts'
import type { Entry } from '../balance-transaction/rules.ts'
import {
  type Beneficiary,
  type BeneficiaryDetails,
  destinationTakes,
  makeBeneficiary,
} from '../beneficiary/rules.ts'
import { type Approvals, checkNamed } from '../entity/rules.ts'
import { refusal } from '../errors.ts'
import { type Event, recordEvent } from '../event/rules.ts'
import { type NewId, nameOf } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, bookOf, checkRoom } from '../ledger/rules.ts'
import { currencyExponent } from '../money/currency.ts'
import { type Decimal, formatMajor } from '../money/decimal.ts'
import { type PayoutType, type PricingAt, type Quote, totalDebit } from '../quote/rules.ts'
import { checkLimits } from '../quote/terms.ts'
import type { Failure, RailAnswer } from '../rail/rail.ts'
import type { Route, RouteTaken } from '../route/rules.ts'
import { caused } from './cause.ts'
import { checkDestination } from './destination.ts'
import { checkUnlike, type Likeness, type Likenesses, likenessOfRequest } from './likeness.ts'
import { makePayout, networkOf, postDebit } from './make.ts'
import { findSentQuote, quoteFor, type UsedQuote, useQuote } from './quote.ts'
import { depositAddressOf, findReceiver, postReceipt } from './receiver.ts'
import type { PayoutStatus } from './states.ts'
import { type Principals, writeMt103 } from './swift.ts'
import { checkRequest } from './terms.ts'
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
  readonly ask_rail_at: Instant | null
  /** The entity whose review the payout waits for, in compliance_hold; '' when for none. */
  readonly held_for: string
  /** What the account has answered while the payout required action, oldest first. */
  readonly answers: readonly RailAnswer[]
  /** The message as it was when the payout was made; '' for payouts that are not by SWIFT. */
  readonly mt103: string
  readonly created_at: Instant
  readonly updated_at: Instant
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
  readonly newId: NewId
}

export interface PayoutOutcome {
  readonly payout: Payout
  /** The quote to insert, or null when an existing one was used. */
  readonly new_quote: Quote | null
  /** The quote that the request named, which nothing else can use now. */
  readonly used_quote: UsedQuote | null
  readonly new_beneficiary: Beneficiary | null
  /** What later payouts are held against; null when the account does not guard against it. */
  readonly likeness: Likeness | null
  readonly entries: readonly Entry[]
  readonly events: readonly Event[]
}

/**
 * Decides one payout. The refusals, in the order in which they are given: fields of the request
 * (400), account frozen or closed (403), quote, entity and beneficiary not found (404), beneficiary
 * not fit for the type (400), quote used, expired or different (422), no route (422), no rate (422,
 * 503), more than max_total_debit (422), receiver unknown or its balance full (422), what SWIFT
 * cannot carry (400), like an earlier payout (409), balance (422).
 */
export function decidePayout(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
): PayoutOutcome {
  checkRequest(request, account)
  const book = bookOf(state.books, account.account_id)
  checkActive(book)
  const sentQuote = findSentQuote(state, account, request)
  const held_for = checkPrincipal(state, account, request, sentQuote)
  const beneficiary = resolveBeneficiary(state, account, request)
  checkFit(beneficiary, request, sentQuote)
  if (sentQuote === null) checkDestination(beneficiary, request, null)
  const { quote, routed } = quoteFor(state, account, request, beneficiary, sentQuote)
  // A destination that differs from the quote's is told so first.
  if (sentQuote !== null) checkDestination(beneficiary, request, sentQuote)
  checkLimits(quote, networkOf(quote, request), 'amount')
  const receiver =
    quote.payout_type === 'service_account'
      ? findReceiver(
          state,
          account,
          depositAddressOf(beneficiary.details),
          quote.destination_currency,
        )
      : null
  if (receiver !== null) {
    checkRoom(receiver, quote.destination_currency, quote.destination_amount, 'amount')
  }
  const id = state.newId('pot')
  const mt103 = writeMt103(state, account, request, { id, now: book.now, beneficiary, quote })
  const likeness = checkLikeness(state, account, request, beneficiary)
  checkBalance(book, quote)
  // After this point the payout succeeds.

  // A held payout credits its receiver when it is released.
  const credited = held_for === '' ? receiver : null
  const entry = postDebit(state, book, quote, id, credited !== null)
  const receipt = credited && postReceipt(state, credited, quote, id)
  const made = { id, beneficiary, entry, held_for, mt103, routed }
  const payout = makePayout(state, quote, request, made)
  const quoteIsNew = quote !== sentQuote
  const used = sentQuote && useQuote(sentQuote, quoteIsNew ? quote.id : '', book.now)
  if (used !== null) state.quotes.set(nameOf(used), used)
  const isNew = request.beneficiary === undefined
  return {
    payout,
    new_quote: quoteIsNew ? quote : null,
    used_quote: used,
    new_beneficiary: isNew ? beneficiary : null,
    likeness: likeness === null ? null : remember(state, payout, likeness),
    entries: receipt === null ? [entry] : [entry, receipt.entry],
    events: [
      ...payoutEvents(state, book, payout, entry, quoteIsNew, isNew),
      ...(receipt === null ? [] : [receipt.event()]),
    ],
  }
}

/**
 * The entity whose review the payout must wait for, '' for none. The payout is made for the entity
 * it names, or for the one its quote names.
 */
function checkPrincipal(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  quote: Quote | null,
): string {
  const id = request.on_behalf_of ?? quote?.entity_id ?? ''
  const remarks = request.on_behalf_of === undefined ? 'quote' : 'on_behalf_of'
  const status = checkNamed(state.approvals, account.account_id, id, remarks)
  return status === 'approved' ? '' : id
}

function resolveBeneficiary(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
): Beneficiary {
  const { beneficiary: id, beneficiary_details } = request
  if (beneficiary_details !== undefined) {
    return makeBeneficiary(
      account.account_id,
      beneficiary_details,
      bookOf(state.books, account.account_id).now,
      state.newId,
    )
  }
  const known = state.beneficiaries.get(`${account.account_id}/${id}`)
  if (known === undefined) {
    throw refusal('beneficiary_not_found', `No beneficiary ${id} in this account.`, 'beneficiary')
  }
  return known
}

/** The beneficiary's destination must be one that the payout type reaches (contract 12). */
function checkFit(beneficiary: Beneficiary, request: PayoutRequest, quote: Quote | null): void {
  const type = request.type ?? quote?.payout_type ?? 'local'
  const destination = beneficiary.details.destination_details.type
  if (destinationTakes(destination, type)) return
  const remarks =
    request.beneficiary === undefined
      ? 'beneficiary_details.destination_details.type'
      : 'beneficiary'
  const message = `A payout of type ${type} cannot reach a destination of type ${destination}.`
  throw refusal('type_mismatch', message, remarks)
}

/**
 * What the payout is like, null when the account's window is off. `allow_duplicate` says that it is
 * another payment; later ones are held against it all the same.
 */
function checkLikeness(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  { details }: Beneficiary,
): string | null {
  if (account.duplicate_window_s === 0) return null
  const likeness = likenessOfRequest(request, details)
  const { now } = bookOf(state.books, account.account_id)
  if (request.allow_duplicate !== true) checkUnlike(state.likenesses, account, likeness, now)
  return likeness
}

function remember({ likenesses }: PayoutState, payout: Payout, likeness: string): Likeness {
  const { account_id, id: payout_id, created_at } = payout
  const made = { account_id, likeness, created_at, payout_id }
  likenesses.set(nameOf({ account_id, id: likeness }), made)
  return made
}

function checkBalance(book: Book, quote: Quote): void {
  const { holding_currency } = quote
  const required = totalDebit(quote)
  const available = book.balances.get(holding_currency) ?? 0n
  if (available >= required) return
  const exponent = currencyExponent(holding_currency)
  const message =
    `The payout needs ${required} ${holding_currency} minor units including fees ` +
    `(${formatMajor(required, exponent)}) and ${available} are available ` +
    `(${formatMajor(available, exponent)}).`
  throw refusal('insufficient_balance', message, 'amount')
}

/** In the order in which things came to be: beneficiary, quote, payout, statement line, result. */
function payoutEvents(
  state: PayoutState,
  book: Book,
  payout: Payout,
  debit: Entry,
  quoteIsNew: boolean,
  beneficiaryIsNew: boolean,
): Event[] {
  const { account_id, id, status, status_description } = payout
  const record = (type: string, object_id: string, data: object) =>
    recordEvent(book, { type, object_id, data }, state.newId)
  const events: Event[] = []
  if (beneficiaryIsNew) events.push(record('beneficiary.created', payout.beneficiary_id, {}))
  if (quoteIsNew) events.push(record('payout_quote.created', payout.quote_id, {}))
  const debited = caused('account', account_id, [debit.journal])
  events.push(record('payout.created', id, { status, ...debited }))
  events.push(record('balance_transaction.created', payout.balance_transaction_id, {}))
  if (status !== 'processing') {
    const facts = { status, status_description, ...debited, journals: [] }
    events.push(record(`payout.${status}`, id, facts))
  }
  return events
}
