// The decision to make a payout: every refusal in its documented order, then the outcome. The books
// in the state advance, so that the next payout of a batch sees them. Pure.

import type { Account } from '../../accounts/rules.ts'
import { checkActive } from '../../accounts/states.ts'
import { rememberPayee, rememberUses } from '../../controls/limit/rules.ts'
import { type Book, bookOf, checkCovers, checkRoom } from '../../ledger/rules.ts'
import { checkInlinePayee, checkPayable } from '../../parties/beneficiary/approval.ts'
import { checkNotArchived } from '../../parties/beneficiary/archive.ts'
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import { BENEFICIARY_SEAL } from '../../parties/beneficiary/columns.ts'
import {
  checkNotErased,
  destinationTakes,
  makeBeneficiary,
} from '../../parties/beneficiary/rules.ts'
import { checkNamed } from '../../parties/entity/rules.ts'
import { QUOTE_SEAL } from '../../quotes/columns.ts'
import type { Quote } from '../../quotes/quote.ts'
import { totalDebit } from '../../quotes/rules.ts'
import { checkLimits } from '../../quotes/terms.ts'
import type { Entry } from '../../statements/balance-transaction/balance-transaction.ts'
import { recordLine } from '../../statements/balance-transaction/rules.ts'
import type { Event, EventType } from '../../statements/event/event.ts'
import { recordEvent } from '../../statements/event/rules.ts'
import { refusal } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { PAYOUT_SEAL, type WrittenPayout, writtenPayout } from '../columns.ts'
import type { Fingerprint, Intent, Payout, PayoutState, RunCheck } from '../payout.ts'
import { postDebit, postReceipt } from '../postings.ts'
import { executionOf, notBefore } from '../schedule.ts'
import { eventCause } from '../states.ts'
import { writeMt103 } from '../swift/message.ts'
import { neededApproval, requestApproval } from './approval-need.ts'
import { checkCarriage } from './carriage.ts'
import { checkDestination, checkInline, depositAddressOf, findReceiver } from './destination.ts'
import { refuseDuplicate } from './duplicate.ts'
import { checkRequest } from './fields.ts'
import { countForLimits } from './limit-use.ts'
import { type JudgedPayout, type PayoutOutcome, payoutRow } from './new-row.ts'
import { findSentQuote, quoteFor, useQuote } from './pricing.ts'
import { checkReference } from './reference.ts'

/**
 * Makes every check of a payout, in the documented order of refusals: fields of the request (400);
 * execute_at not ahead or too far (400); account frozen or closed (403); quote, entity or
 * beneficiary not found (404); beneficiary erased, archived or not approved (422); beneficiary that
 * does not fit the type or lacks a requirement (400); quote used, expired or different (422); no
 * route (422); no rate (422, 503); cost above max_total_debit (422); calendar of the route ended
 * (422); price not fixed until execute_at (400); amount above the network's limit (400); what no
 * rail of its routes can carry (400); receiver
 * unknown or its balance full (422); what SWIFT cannot carry (400); duplicate of an earlier payout
 * (409); limits (422); balance (422). If there is a quote, the requirements are checked after it. A
 * check is skipped when an earlier check has refused its input.
 */
export function judgePayout(
  state: PayoutState,
  intent: Intent,
  tryCheck: RunCheck,
): { readonly [Name in keyof JudgedPayout]?: JudgedPayout[Name] | undefined } {
  const passes = (check: () => void) => tryCheck(() => check() ?? true) === true
  const { account, request } = intent
  const isWellFormed = passes(() => checkRequest(request, account))
  const book = bookOf(state.books, account.account_id)
  const scheduled = tryCheck(() => ({ execute_at: executionOf(request, book.now) }))
  tryCheck(() => checkActive(book))
  const sentQuote = tryCheck(() => findSentQuote(state, intent))
  const held_for = tryCheck(() => checkPrincipal(state, intent))
  const beneficiary = tryCheck(() => resolveBeneficiary(state, intent))
  // The fields are wrong. The refusal also names what the quote's type requires.
  if (!isWellFormed && sentQuote) tryCheck(() => checkInline(request, sentQuote))
  if (!isWellFormed || sentQuote === undefined || beneficiary === undefined) return {}
  if (!passes(() => checkFit(beneficiary, intent))) return {}
  // `checkRequest` has judged inline details.
  const { beneficiary: named } = request
  if (named !== undefined) tryCheck(() => checkReference(request, beneficiary.details))
  const runDestinationCheck = () =>
    tryCheck(() => checkDestination(beneficiary, request, sentQuote))
  // Without a quote, `checkRequest` has judged inline details already.
  if (sentQuote === null && named !== undefined) runDestinationCheck()
  const id = state.bookId(book, 'pot')
  const { execute_at } = scheduled ?? { execute_at: null }
  const payout = { id, beneficiary, execute_at }
  const { quote, paid, routed, plan } = quoteFor(state, intent, payout, sentQuote, tryCheck)
  // Comes after `quoteFor`, which refuses a destination that differs from the quote's.
  if (sentQuote !== null) runDestinationCheck()
  const bill = quote && paid && { beneficiary, quote, paid }
  const priced = bill && routed && { ...bill, routed }
  if (bill) tryCheck(() => checkLimits(bill.quote, bill.paid.fund_transfer_network, 'amount'))
  if (priced) tryCheck(() => checkCarriage(state, intent, priced))
  const receiver = quote && tryCheck(() => receiverFor(state, account, beneficiary, quote))
  const now = notBefore({ execute_at }, book.now)
  const mt103 = bill && tryCheck(() => writeMt103(state, intent, { ...bill, id, now }))
  tryCheck(() => checkDuplicate(state, intent, book.now))
  const counted = priced && tryCheck(() => countForLimits(state, intent, priced))
  if (quote !== undefined) tryCheck(() => checkBalance(book, quote))
  const needed = priced && neededApproval(state, intent, priced)
  const parts = { quote, paid, routed, plan, receiver, mt103, counted, needed }
  return { sentQuote, held_for, beneficiary, execute_at, id, ...parts }
}

/** The book that a payout to another account credits; null for other payouts. */
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

/** The entity whose review the payout must wait for, '' for none. */
function checkPrincipal(
  state: PayoutState,
  { account_id, request, on_behalf_of: id }: Intent,
): string {
  const remarks = request.on_behalf_of === undefined ? 'quote' : 'on_behalf_of'
  const status = checkNamed(state.approvals, account_id, id, remarks)
  return status === 'approved' ? '' : id
}

function resolveBeneficiary(
  state: PayoutState,
  { account_id, request, key_id, maker }: Intent,
): Beneficiary {
  const { beneficiary: id, beneficiary_details } = request
  if (beneficiary_details !== undefined) {
    const book = bookOf(state.books, account_id)
    const { destination_details } = beneficiary_details
    checkInlinePayee(state.approving, book, key_id ?? '', destination_details)
    return makeBeneficiary(book, beneficiary_details, state.bookId, maker)
  }
  const stored = state.beneficiaries.get(`${account_id}/${id}`)
  if (stored === undefined) {
    throw refusal('beneficiary_not_found', `No beneficiary ${id} in this account.`, 'beneficiary')
  }
  checkNotErased(stored, 'beneficiary')
  checkNotArchived(stored)
  checkPayable(stored)
  return stored
}

/** Refuses a destination that the payout type cannot reach (§payout.destination). */
function checkFit({ details }: Beneficiary, { request, type }: Intent): void {
  const destination = details.destination_details.type
  if (destinationTakes(destination, type)) return
  const remarks =
    request.beneficiary === undefined
      ? 'beneficiary_details.destination_details.type'
      : 'beneficiary'
  const message = `A payout of type ${type} cannot reach a destination of type ${destination}.`
  throw refusal('type_mismatch', message, remarks)
}

/**
 * Refuses a likely duplicate. `allow_duplicate` lets the payout pass, and later payouts are
 * compared with it as with any other.
 */
function checkDuplicate(
  state: PayoutState,
  { account, request, fingerprint }: Intent,
  now: Instant,
): void {
  if (fingerprint === null || request.allow_duplicate === true) return
  refuseDuplicate(state.fingerprints, account, fingerprint, now)
}

function checkBalance(book: Book, quote: Quote): void {
  checkCovers(book, 'The payout', quote.holding_currency, totalDebit(quote), 'amount')
}

/** Decides one payout; refuses in the order of `judgePayout`. */
export function decidePayout(state: PayoutState, intent: Intent): PayoutOutcome {
  const { request, screened, fingerprint } = intent
  const book = bookOf(state.books, intent.account_id)
  // A check that throws ends the creation, so every member is set.
  const judged = judgePayout(state, intent, check => check()) as JudgedPayout
  const { sentQuote, held_for, beneficiary, quote, receiver, id, counted, needed } = judged
  // From here on, nothing refuses the payout.

  // A held payout credits its receiver only when it is released.
  const pays_now =
    needed === null && held_for === '' && screened.matches.length === 0 && screened.version !== null
  const credited = pays_now ? receiver : null
  const entry = postDebit(book, quote, id, credited !== null)
  const receipt = credited && postReceipt(credited, quote, id)
  const carried = sentQuote === null
  rememberUses(state.limits, counted.uses, book.now)
  rememberPayee(state.limits, counted.new_payee)
  const payout = payoutRow(state, intent, { ...judged, entry, carried })
  const row = writtenPayout(payout)
  const renewing = sentQuote !== null && quote !== sentQuote ? quote : null
  const used = sentQuote && useQuote(sentQuote, renewing?.id ?? '', book.now)
  if (used !== null) state.quotes.set(nameOf(used), used)
  const new_objects = {
    quote: carried ? quote : renewing,
    carried,
    beneficiary: request.beneficiary === undefined ? beneficiary : null,
  }
  return {
    payout,
    row,
    approval:
      needed === null ? null : requestApproval(state, row, beneficiary.details, needed, intent),
    new_quote: renewing,
    used_quote: used,
    ...counted,
    new_beneficiary: new_objects.beneficiary,
    fingerprint: remember(state, payout, fingerprint),
    matches: screened.matches,
    entries: receipt === null ? [entry] : [entry, receipt.entry],
    events: [
      ...payoutEvents(book, row, entry, new_objects),
      ...(receipt === null ? [] : [receipt.event()]),
    ],
  }
}

/**
 * Keeps the fingerprint for the next payouts of the batch. Returns its row; null without a
 * duplicate window.
 */
function remember(
  { fingerprints }: PayoutState,
  { account_id, id: payout_id, created_at }: Payout,
  fingerprint: string | null,
): Fingerprint | null {
  if (fingerprint === null) return null
  const made = { account_id, fingerprint, created_at, payout_id }
  fingerprints.set(nameOf({ account_id, id: fingerprint }), made)
  return made
}

/** The objects that are made together with a payout. A carried quote has no row of its own. */
interface NewObjects {
  readonly quote: Quote | null
  readonly carried: boolean
  readonly beneficiary: Beneficiary | null
}

/**
 * The events of a new payout, in order: beneficiary, quote, payout, statement line, and the
 * payout's state unless that is `processing`.
 */
function payoutEvents(
  book: Book,
  row: WrittenPayout,
  debit: Entry,
  { quote, carried, beneficiary }: NewObjects,
): Event[] {
  const { account_id, id, status, status_description, made_by } = row
  const record = (type: EventType, object_id: string, data: object, content?: string) =>
    recordEvent(book, { type, object_id, data, content })
  const events: Event[] = []
  if (beneficiary !== null) {
    const content = BENEFICIARY_SEAL.digest(beneficiary)
    events.push(record('beneficiary.created', beneficiary.id, {}, content))
  }
  if (quote !== null) {
    // The seal of the payout covers a carried quote.
    const content = carried ? undefined : QUOTE_SEAL.digest(quote)
    events.push(record('payout_quote.created', quote.id, {}, content))
  }
  const debited = eventCause('account', account_id, [debit.journal])
  const content = PAYOUT_SEAL.digestRow(row)
  const held = status_description !== '' && { status_description }
  events.push(record('payout.created', id, { status, ...debited, ...held }, content))
  events.push(recordLine(book, debit.line))
  if (status !== 'processing') {
    const facts = { status, status_description, ...debited, journals: [], made_by }
    events.push(record(`payout.${status}`, id, facts, content))
  }
  return events
}
