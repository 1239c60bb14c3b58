// The ladder of refusals of a payout, in the one order in which they are given. A creation stops at
// the first; a dry run goes on and names all. Pure.
import type { Account } from '../account/rules.ts'
import { checkActive } from '../account/states.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { destinationTakes, makeBeneficiary } from '../beneficiary/rules.ts'
import { checkNamed } from '../entity/rules.ts'
import { refusal } from '../errors.ts'
import { type Book, bookOf, checkRoom } from '../ledger/rules.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import type { Quote } from '../quote/quote.ts'
import { totalDebit } from '../quote/rules.ts'
import { checkLimits } from '../quote/terms.ts'
import type { Routed } from '../rail/rules.ts'
import { checkDestination, checkInline } from './destination.ts'
import { likenessOfRequest, refuseDuplicate } from './likeness.ts'
import { networkOf } from './make.ts'
import type { Attempt, PayoutState } from './payout.ts'
import { findSentQuote, quoteFor } from './quote.ts'
import { depositAddressOf, findReceiver } from './receiver.ts'
import type { PayoutRequest } from './request.ts'
import { writeMt103 } from './swift.ts'
import { checkRequest } from './terms.ts'

/** What a payout that nothing refuses is made from. */
export interface Judged {
  /** The quote that the request names, or null. */
  readonly sentQuote: Quote | null
  /** The entity whose review the payout must wait for, '' for none. */
  readonly held_for: string
  readonly beneficiary: Beneficiary
  /** The one that the request names, or a new one. */
  readonly quote: Quote
  readonly routed: Routed
  /** The book that a payout to another account credits. */
  readonly receiver: Book | null
  readonly id: string
  readonly mt103: string
  /** What the payout is like, null when the account does not guard against paying twice. */
  readonly likeness: string | null
}

/** Stops at the first refusal, which it throws. */
export function judgeStrictly(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
): Judged {
  // No check is passed over, so that nothing is missing.
  return judgePayout(state, account, request, check => check()) as Judged
}

/**
 * The refusals, in the order in which they are given: fields of the request (400), account frozen
 * or closed (403), quote, entity and beneficiary not found (404), beneficiary not fit for the type
 * or lacking what is required (400; with a quote only after it), quote used, expired or different
 * (422), no route (422), no rate (422, 503), more than max_total_debit (422), more than the network
 * takes (400), receiver unknown or its balance full (422), what SWIFT cannot carry (400), like an
 * earlier payout (409), balance (422). A check that needs what another was refused for is not made.
 */
export function judgePayout(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  attempt: Attempt,
): { readonly [Name in keyof Judged]?: Judged[Name] | undefined } {
  const passes = (check: () => void) => attempt(() => check() ?? true) === true
  const isShaped = passes(() => checkRequest(request, account))
  const book = bookOf(state.books, account.account_id)
  attempt(() => checkActive(book))
  const sentQuote = attempt(() => findSentQuote(state, account, request))
  const held_for = attempt(() => checkPrincipal(state, account, request, sentQuote ?? null))
  const beneficiary = attempt(() => resolveBeneficiary(state, account, request))
  // What else the quote's type asks for, though other members are wrong.
  if (!isShaped && sentQuote) attempt(() => checkInline(request, sentQuote))
  if (!isShaped || sentQuote === undefined || beneficiary === undefined) return {}
  if (!passes(() => checkFit(beneficiary, request, sentQuote))) return {}
  const checkPlace = () => attempt(() => checkDestination(beneficiary, request, sentQuote))
  // Details sent without a quote were judged with the fields of the request.
  if (sentQuote === null && request.beneficiary !== undefined) checkPlace()
  const id = state.bookId(book, 'pot')
  const paid = { id, request, beneficiary }
  const { quote, routed } = quoteFor(state, account, paid, sentQuote, attempt)
  // A destination that differs from the quote's is told so first.
  if (sentQuote !== null) checkPlace()
  if (quote !== undefined) attempt(() => checkLimits(quote, networkOf(quote, request), 'amount'))
  const receiver = quote && attempt(() => receiverFor(state, account, beneficiary, quote))
  const message = { id, now: book.now, beneficiary }
  const mt103 = quote && attempt(() => writeMt103(state, account, request, { ...message, quote }))
  const likeness = attempt(() => checkLikeness(state, account, request, beneficiary))
  if (quote !== undefined) attempt(() => checkBalance(book, quote))
  return {
    sentQuote,
    held_for,
    beneficiary,
    quote,
    routed,
    receiver,
    id,
    mt103,
    likeness,
  }
}

/** The book of the account that is paid, which must take the money; null for other payouts. */
function receiverFor(
  state: PayoutState,
  account: Account,
  { details }: Beneficiary,
  { payout_type, destination_currency, destination_amount }: Quote,
): Book | null {
  if (payout_type !== 'service_account') return null
  const receiver = findReceiver(state, account, depositAddressOf(details), destination_currency)
  checkRoom(receiver, destination_currency, destination_amount, 'amount')
  return receiver
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
    const book = bookOf(state.books, account.account_id)
    return makeBeneficiary(book, beneficiary_details, state.bookId)
  }
  const known = state.beneficiaries.get(`${account.account_id}/${id}`)
  if (known === undefined) {
    throw refusal('beneficiary_not_found', `No beneficiary ${id} in this account.`, 'beneficiary')
  }
  return known
}

/** The beneficiary's destination must be one that the payout type reaches (§payout.destination). */
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
  if (request.allow_duplicate !== true) refuseDuplicate(state.likenesses, account, likeness, now)
  return likeness
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
