// Decides the operator's bookings on a balance: funding, withdrawals, adjustments, and their
// reversals. Each is booked once. Pure.
import { checkActive, checkOpen } from '../../accounts/states.ts'
import {
  type Book,
  checkRoom,
  type Journal,
  type JournalKind,
  type LedgerCode,
  mirrored,
  type Posting,
} from '../../ledger/rules.ts'
import { found, refusal } from '../../values/errors.ts'
import { type Key, nameOf } from '../../values/id.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { formatMajor } from '../../values/money/decimal.ts'
import type {
  BalanceTransaction,
  BalanceTransactionType,
  Entry,
  StatementLine,
} from '../balance-transaction/balance-transaction.ts'
import { postEntry, recordLine } from '../balance-transaction/rules.ts'
import type { Event } from '../event/event.ts'

export type BookingKind = 'funding' | 'withdrawal' | 'adjustment'

interface Booked {
  readonly type: BalanceTransactionType
  /** The position on the other side of the booking. */
  readonly code: LedgerCode
  readonly reversal_kind: JournalKind
  readonly reversal_type: BalanceTransactionType
}

export const BOOKINGS: Readonly<Record<BookingKind, Booked>> = {
  funding: {
    type: 'escrow',
    code: 'funding',
    reversal_kind: 'funding_reversal',
    reversal_type: 'escrow_reversal',
  },
  withdrawal: {
    type: 'withdrawal',
    code: 'funding',
    reversal_kind: 'withdrawal_reversal',
    reversal_type: 'withdrawal_reversal',
  },
  adjustment: {
    type: 'adjustment',
    code: 'adjustments',
    reversal_kind: 'adjustment_reversal',
    reversal_type: 'adjustment_reversal',
  },
}

const ALL = Object.values(BOOKINGS)
const BOOKED_TYPES = ALL.map(({ type }) => type)
export const REVERSAL_KINDS = ALL.map(({ reversal_kind }) => reversal_kind)

/** Reference, reason and person of a booking; '' is "not set". */
interface Grounds {
  /** The bank's reference, which an account has once for each kind of booking. */
  readonly reference: string
  readonly reason: string
  readonly by: string
  /** Only for funding: whether the payment with this reference is split over several accounts. */
  readonly split?: boolean
  /** Our account at a bank that the money moves on; undefined for the usual one. */
  readonly nostro?: string
}

export interface Booking extends Grounds {
  readonly kind: BookingKind
  readonly account_id: string
  readonly currency: string
  /** Minor units, not zero. A negative amount leaves the balance. */
  readonly amount: bigint
  /** The id of the escrow, withdrawal or adjustment, which is booked once. */
  readonly source: string
}

/** Sources and references of earlier bookings, each with the id of its balance transaction. */
export interface EarlierBookings {
  /** By `account_id/type/source`. */
  readonly sources: Map<string, string>
  /** By `account_id/type/reference`, folded. */
  readonly references: Map<string, string>
  /** Lines of other live accounts funded with the same reference, by `account_id/reference`. */
  readonly elsewhere: ReadonlyMap<string, Key>
}

export interface BookingOutcome {
  readonly entries: readonly [Entry]
  readonly events: readonly Event[]
  /** The balance before the booking. */
  readonly balance_before: bigint
}

/**
 * The comparable form of a bank's reference, because copies differ in case and spaces. PostgreSQL's
 * fold_reference gives the same form.
 */
export function foldedReference(reference: string): string {
  return reference.replace(/\s/g, '').replace(/[a-z]+/g, letters => letters.toUpperCase())
}

export function bookedName(account_id: string, type: string, what: string): string {
  return `${account_id}/${type}/${what}`
}

/**
 * Decides a booking. Refuses, in order: unknown account (404), frozen or closed account (403),
 * currency not held (400), source or reference used (409), balance too low or too high (422).
 */
export function decideBooking(
  books: ReadonlyMap<string, Book>,
  earlier: EarlierBookings,
  booking: Booking,
): BookingOutcome {
  const { account_id, kind, currency, amount, source, reference } = booking
  const { type, code } = BOOKINGS[kind]
  const book = checkBook(books, account_id, currency, amount)
  const sourceName = bookedName(account_id, type, source)
  if (earlier.sources.has(sourceName)) {
    const message = `${source} has funded this account already; a reversal does not free it.`
    throw refusal('source_already_used', message, 'source')
  }
  const referenceName = bookedName(account_id, type, foldedReference(reference))
  const by = reference === '' ? undefined : earlier.references.get(referenceName)
  if (by !== undefined) {
    const message = `Reference "${reference}" is booked already, as ${type} ${by}.`
    throw refusal('reference_already_used', message, 'reference')
  }
  if (kind === 'funding' && booking.split !== true) checkElsewhere(earlier, booking)
  checkBalance(book, currency, amount)
  // After this point it succeeds.
  const outcome = post(
    book,
    { kind, source, postings: bookingPostings(code, currency, amount) },
    { currency, amount, metadata: metadataOf(booking) },
  )
  const [{ line }] = outcome.entries
  earlier.sources.set(sourceName, line.id)
  if (reference !== '') earlier.references.set(referenceName, line.id)
  return outcome
}

/** Refuses a reference that has funded another account, unless the payment is split. */
function checkElsewhere({ elsewhere }: EarlierBookings, { account_id, reference }: Booking): void {
  const other = elsewhere.get(`${account_id}/${reference}`)
  if (other === undefined) return
  const message =
    `Reference "${reference}" has funded account ${other.account_id} already, as ${other.id}; ` +
    'say split if one payment is split over accounts.'
  throw refusal('reference_already_used', message, 'reference')
}

export interface Reversal {
  readonly account_id: string
  readonly id: string
  readonly reason: string
  readonly by: string
}

/** The balance transactions to reverse, with their journals, by `account_id/id`. */
export type Reversible = ReadonlyMap<string, { line: BalanceTransaction; journal: Journal }>

/**
 * Decides a reversal. Refuses: unknown line (404), not a booking (422), reversed before (409), and
 * as above.
 */
export function decideReversal(
  state: { readonly books: ReadonlyMap<string, Book>; readonly reversible: Reversible },
  earlier: Pick<EarlierBookings, 'sources'>,
  { account_id, id, reason, by }: Reversal,
): BookingOutcome {
  const { line, journal } = found(state.reversible.get(nameOf({ account_id, id })))
  const booked = BOOKINGS[journal.kind as BookingKind]
  if (booked?.type !== line.type) {
    const message = `${id} is of type ${line.type}; reversed are ${BOOKED_TYPES.join(', ')}.`
    throw refusal('not_reversible', message)
  }
  const { reversal_kind, reversal_type } = booked
  const amount = -line.amount
  const { currency } = line
  const book = checkBook(state.books, account_id, currency, amount)
  const name = bookedName(account_id, reversal_type, id)
  const reversed_by = earlier.sources.get(name)
  if (reversed_by !== undefined) {
    throw refusal('already_reversed', `${id} is reversed already, by ${reversed_by}.`)
  }
  checkBalance(book, currency, amount)
  // After this point it succeeds.
  const { reference = '', nostro = '' } = line.metadata
  const metadata = metadataOf({ reference, reason, by, nostro })
  const outcome = post(
    book,
    { kind: reversal_kind, source: journal.source, postings: mirrored(journal.postings) },
    { currency, amount, undoes: id, metadata },
  )
  earlier.sources.set(name, outcome.entries[0].line.id)
  return outcome
}

/** The postings of a booking: the balance moves by `amount`, the other position by its opposite. */
export function bookingPostings(code: LedgerCode, currency: string, amount: bigint): Posting[] {
  return [
    { code, currency, amount: -amount },
    { code: 'available', currency, amount },
  ]
}

/** The book of a booking. A frozen account can receive money; a closed one cannot. */
function checkBook(
  books: ReadonlyMap<string, Book>,
  account_id: string,
  currency: string,
  amount: bigint,
): Book {
  const book = books.get(account_id)
  if (book === undefined) throw refusal('not_found', `No account ${account_id}.`)
  const check = amount < 0n ? checkActive : checkOpen
  check(book)
  if (book.balances.has(currency)) return book
  const held = [...book.balances.keys()].join(', ')
  const message = `The account holds no ${currency} balance; it holds ${held}.`
  throw refusal('holding_currency_not_found', message, 'currency')
}

function checkBalance(book: Book, currency: string, amount: bigint): void {
  const available = book.balances.get(currency) ?? 0n
  const after = available + amount
  if (after < 0n) {
    const exponent = currencyExponent(currency)
    const message =
      `This takes ${formatMajor(-amount, exponent)} ${currency} from the balance, and ` +
      `${formatMajor(available, exponent)} are available.`
    throw refusal('insufficient_balance', message, 'amount')
  }
  if (amount > 0n) checkRoom(book, currency, amount, 'amount')
}

function post(
  book: Book,
  draft: { readonly kind: JournalKind; readonly source: string; readonly postings: Posting[] },
  line: Pick<StatementLine, 'currency' | 'amount' | 'undoes' | 'metadata'>,
): BookingOutcome {
  const balance_before = book.balances.get(line.currency) ?? 0n
  const full_line = { ...line, fixed_fee: 0n, variable_fee: 0n, fx_conversions: [] }
  const entry = postEntry(book, draft, full_line)
  return { entries: [entry], events: [recordLine(book, entry.line)], balance_before }
}

function metadataOf({
  reference,
  reason,
  by,
  split,
  nostro = '',
}: Grounds): BalanceTransaction['metadata'] {
  return {
    ...(reference !== '' && { reference }),
    ...(reason !== '' && { reason }),
    ...(by !== '' && { by }),
    ...(split === true && { split: 'true' }),
    ...(nostro !== '' && { nostro }),
  }
}
