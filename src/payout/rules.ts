// Payouts as pure functions: the ladder of refusals, and the outcome when none applies. State in,
// outcome out; the books in the state are advanced so that the next payout of a batch sees them.
import type { Account } from '../account/rules.ts'
import { type Entry, type FxConversion, postEntry } from '../balance-transaction/rules.ts'
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
import { type Book, bookOf } from '../ledger/rules.ts'
import { currencyExponent } from '../money/currency.ts'
import { type Decimal, formatMajor } from '../money/decimal.ts'
import {
  checkUsable,
  makeQuote,
  type PayoutType,
  type Pricing,
  priceQuote,
  type Quote,
  totalDebit,
} from '../quote/rules.ts'
import { networkName } from '../quote/terms.ts'
import type { Failure } from '../rail/rail.ts'
import { payoutPostings } from './postings.ts'
import { depositAddressOf, findReceiver, postReceipt } from './receiver.ts'
import type { PayoutStatus } from './states.ts'
import { checkMatches, checkRequest, checkSameFee, termsWithoutQuote } from './terms.ts'
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
  readonly status: PayoutStatus
  readonly status_description: string
  readonly failure: Failure | null
  readonly rail_steps: number
  readonly ask_rail_at: Instant | null
  /** The entity whose review the payout waits for, in compliance_hold; '' when for none. */
  readonly held_for: string
  readonly created_at: Instant
  readonly updated_at: Instant
}

/** What a held payout waits for, null when it waits for nothing. */
export function holdOf({ account_id, id: payout_id, held_for: entity_id }: Payout) {
  return entity_id === '' ? null : { account_id, entity_id, payout_id }
}

/** Everything a batch of payouts may touch, read under the locks of its books. */
export interface PayoutState {
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`; a quote used by an earlier command of the batch is marked so. */
  readonly quotes: Map<string, Quote>
  readonly beneficiaries: ReadonlyMap<string, Beneficiary>
  readonly approvals: Approvals
  readonly accountsByDepositAddress: ReadonlyMap<string, Account>
  readonly pricing: Pricing
  readonly newId: NewId
}

export interface PayoutOutcome {
  readonly payout: Payout
  /** The quote to insert, or null when an existing one was used. */
  readonly new_quote: Quote | null
  readonly used_quote: Quote | null
  readonly new_beneficiary: Beneficiary | null
  readonly entries: readonly Entry[]
  readonly events: readonly Event[]
}

/**
 * Decides one payout. The refusals, in the order in which they are given: fields of the request
 * (400), quote, entity and beneficiary not found (404), beneficiary not fit for the type (400),
 * quote used, expired or different (422), no rate (422, 503), receiver unknown (422), balance
 * (422).
 */
export function decidePayout(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
): PayoutOutcome {
  checkRequest(request, account)
  const sentQuote = request.quote === undefined ? null : findQuote(state, account, request.quote)
  const held_for = checkPrincipal(state, account, request, sentQuote)
  const beneficiary = resolveBeneficiary(state, account, request)
  checkFit(beneficiary, request, sentQuote)
  if (sentQuote !== null) {
    checkUsable(sentQuote, state.now)
    checkMatches(sentQuote, request)
    checkSameFee(sentQuote, request, beneficiary.details.destination_details, state.pricing.fees)
  }
  const quote = sentQuote ?? freshQuote(state, account, request, beneficiary)
  const receiver =
    quote.payout_type === 'service_account'
      ? findReceiver(
          state,
          account,
          depositAddressOf(beneficiary.details) ?? '',
          quote.destination_currency,
        )
      : null
  const book = bookOf(state.books, account.account_id)
  checkBalance(book, quote)
  // After this point the payout succeeds.

  // A held payout credits its receiver when it is released.
  const credited = held_for === '' ? receiver : null
  const id = state.newId('pot')
  const entry = postDebit(state, book, quote, id, credited !== null)
  const receipt = credited && postReceipt(state, credited, quote, id)
  const payout = makePayout(state, quote, request, { id, beneficiary, entry, held_for })
  state.quotes.set(nameOf(quote), { ...quote, status: 'used' })
  const isNew = request.beneficiary === undefined
  return {
    payout,
    new_quote: sentQuote === null ? quote : null,
    used_quote: sentQuote,
    new_beneficiary: isNew ? beneficiary : null,
    entries: receipt === null ? [entry] : [entry, receipt.entry],
    events: [
      ...payoutEvents(state, book, payout, sentQuote === null, isNew),
      ...(receipt === null ? [] : [receipt.event()]),
    ],
  }
}

function findQuote(state: PayoutState, account: Account, id: string): Quote {
  const quote = state.quotes.get(nameOf({ account_id: account.account_id, id }))
  if (quote === undefined) throw refusal('not_found', `No quote ${id} in this account.`, 'quote')
  return quote
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
  return status === undefined || status === 'approved' ? '' : id
}

function resolveBeneficiary(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
): Beneficiary {
  const { beneficiary: id, beneficiary_details } = request
  if (beneficiary_details !== undefined) {
    return makeBeneficiary(account.account_id, beneficiary_details, state.now, state.newId)
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

/** Without a quote the payout is priced now, and the quote recorded as used (contract 13). */
function freshQuote(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  beneficiary: Beneficiary,
): Quote {
  const terms = termsWithoutQuote(request, account, beneficiary.details.destination_details)
  const price = priceQuote(terms, state.pricing, state.now, 'amount')
  const identity = { account_id: account.account_id, id: state.newId('poq') }
  return makeQuote(identity, terms, price, 'used', state.now, state.pricing.quote_validity_s)
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

/** Principal and fees leave the balance (contract 15). */
function postDebit(
  state: PayoutState,
  book: Book,
  quote: Quote,
  id: string,
  toAccount: boolean,
): Entry {
  return postEntry(
    book,
    { kind: 'payout', source: id, postings: payoutPostings(quote, toAccount) },
    {
      type: 'payout',
      currency: quote.holding_currency,
      amount: -quote.holding_amount,
      fixed_fee: -quote.fixed_fee_holding,
      variable_fee: -quote.variable_fee_holding,
      fx_conversions: fxConversions(quote),
      description: id,
      source: id,
    },
    state.now,
    state.newId,
  )
}

/** The conversions that took place, holding side first (contract 15). */
function fxConversions(quote: Quote): FxConversion[] {
  const { holding_currency, payout_currency, destination_currency } = quote
  const paid = { amount: quote.payout_amount, currency: payout_currency }
  const conversions: FxConversion[] = []
  if (holding_currency !== payout_currency) {
    const initial = { amount: quote.holding_amount, currency: holding_currency }
    conversions.push({ exchange_rate: quote.holding_to_payout, initial, final: paid })
  }
  if (payout_currency !== destination_currency) {
    const final = { amount: quote.destination_amount, currency: destination_currency }
    conversions.push({ exchange_rate: quote.payout_to_destination, initial: paid, final })
  }
  return conversions
}

function makePayout(
  state: PayoutState,
  quote: Quote,
  request: PayoutRequest,
  made: { id: string; beneficiary: Beneficiary; entry: Entry; held_for: string },
): Payout {
  const { id, beneficiary, entry, held_for } = made
  const internal = quote.payout_type === 'service_account'
  const status = internal ? 'succeeded' : 'processing'
  const converted = (from: string, to: string) => (from === to ? '' : state.newId('fx'))
  return {
    account_id: quote.account_id,
    id,
    quote_id: quote.id,
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
    particulars: particularsOf(request, quote),
    fund_transfer_network:
      quote.fund_transfer_network ||
      networkName(request.local?.fund_transfer_network, quote.destination_currency),
    charge_type: quote.charge_type || (request.charge_type ?? ''),
    status: held_for === '' ? status : 'compliance_hold',
    status_description: held_for === '' ? '' : `Held until entity ${held_for} is reviewed.`,
    failure: null,
    rail_steps: 0,
    ask_rail_at: internal || held_for !== '' ? null : state.now,
    held_for,
    created_at: state.now,
    updated_at: state.now,
  }
}

function particularsOf(request: PayoutRequest, quote: Quote): Particulars {
  return {
    purpose: request.purpose,
    transaction_description: request.transaction_description,
    reference_id: request.reference_id ?? '',
    statement_descriptor: request.statement_descriptor ?? '',
    on_behalf_of: request.on_behalf_of ?? quote.entity_id,
    documents: request.documents ?? [],
    logistics_tracking_details: request.logistics_tracking_details ?? [],
    metadata: request.metadata ?? null,
  }
}

/** In the order in which things came to be: beneficiary, quote, payout, statement line, result. */
function payoutEvents(
  state: PayoutState,
  book: Book,
  payout: Payout,
  quoteIsNew: boolean,
  beneficiaryIsNew: boolean,
): Event[] {
  const { id, status } = payout
  const record = (type: string, object_id: string, data: object) =>
    recordEvent(book, { type, object_id, data }, state.now, state.newId)
  const events: Event[] = []
  if (beneficiaryIsNew) events.push(record('beneficiary.created', payout.beneficiary_id, {}))
  if (quoteIsNew) events.push(record('payout_quote.created', payout.quote_id, {}))
  events.push(record('payout.created', id, { status }))
  events.push(record('balance_transaction.created', payout.balance_transaction_id, {}))
  if (status !== 'processing') events.push(record(`payout.${status}`, id, { status }))
  return events
}
