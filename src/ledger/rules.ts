// The rules of an account's book: number a journal, hash it, and apply it to the balances. Pure.
import { hash as digest } from 'node:crypto'
import type { AccountState } from '../accounts/states.ts'
import { refusal } from '../values/errors.ts'
import type { GivesIds } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { formatMajor } from '../values/money/decimal.ts'

/**
 * The positions of a book, from the customer's side. `available` is what the customer can spend;
 * every other code is where money went or came from, so that each journal sums to zero in each
 * currency. docs/glossary.md explains them.
 */
export type LedgerCode =
  | 'adjustments'
  | 'available'
  | 'fees'
  | 'funding'
  | 'fx'
  | 'fx_income'
  | 'in_transit'
  | 'inter_account'
  | 'settled'

/** A signed amount, in minor units and never zero, on one position in one currency. */
export interface Posting {
  readonly code: LedgerCode
  readonly currency: string
  readonly amount: bigint
}

/** Why a journal was written. */
export type JournalKind =
  | 'funding'
  | 'payout'
  | 'receipt'
  | 'settlement'
  | 'failure'
  | 'reversal'
  | 'withdrawal'
  | 'adjustment'
  | 'funding_reversal'
  | 'withdrawal_reversal'
  | 'adjustment_reversal'
  | 'conversion_out'
  | 'conversion_in'

/** A journal's line on the customer's statement. */
export interface JournalLine {
  /** The currency of the journal's only posting to `available`. */
  readonly currency: string
  /** Signed, without fees. The journal posts the sum of amount and signed fees to `available`. */
  readonly amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  readonly balance_after: bigint
  /** Id of the balance transaction that this line undoes; null for none. */
  readonly undoes: string | null
  /** JSON as stored; null for none. */
  readonly fx_conversions: string | null
  readonly metadata: string | null
}

export interface Journal {
  readonly account_id: string
  readonly number: bigint
  readonly kind: JournalKind
  /**
   * Id of the object that the journal is about: a payout, a booking or a conversion. As each
   * object has one debit and one credit at most, `conversion_in` has the id with prefix `cni`.
   */
  readonly source: string
  readonly postings: readonly Posting[]
  /** Null for a settlement, which moves no balance. */
  readonly line: JournalLine | null
  readonly created_at: Instant
  /** 64 hex digits. */
  readonly hash: string
}

/** A locked book in memory. Rules advance it; the store writes it back. */
export interface Book extends GivesIds {
  readonly account_id: string
  /** The account's time, read under the lock. Each row that the command writes carries it. */
  readonly now: Instant
  /** The account's state, read under the lock. */
  readonly state: AccountState
  journal_count: bigint
  /** Hash of the newest journal, 64 hex digits; zeros for an empty book. */
  head_hash: string
  event_count: bigint
  /** Hash of the newest row of events, 64 hex digits; zeros before the first. */
  event_head: string
  /** Digests of kept answers, by the sequence of their request's last event. */
  readonly kept: Map<bigint, string>
  /** Minor units that the customer can spend, by currency. */
  readonly balances: Map<string, bigint>
  /** Currencies whose balance differs from the row that was read. */
  readonly changed: Set<string>
  /** The day of UTC on which the book was locked, by its number since 1970. */
  readonly today: number
  /** How much requests of the account have written today. */
  written_rows: bigint
  written_bytes: bigint
  /** Whether a payout of the account has counted for a limit. */
  has_limit_uses: boolean
}

/** The account's book, which `load` has locked. Throws for an account without one. */
export function bookOf(books: ReadonlyMap<string, Book>, account_id: string): Book {
  const book = books.get(account_id)
  if (book === undefined) throw new Error(`account ${account_id} has no book`)
  return book
}

/**
 * The highest balance that incoming money may reach, in minor units: half of PostgreSQL's bigint
 * range. The other half is room for returned money.
 */
const MAX_BALANCE = 2n ** 62n
const MAX_BIGINT = 2n ** 63n - 1n

/**
 * Refuses money that would raise a balance beyond MAX_BALANCE. `remarks` is the amount's JSON path.
 */
export function checkRoom(book: Book, currency: string, amount: bigint, remarks: string): void {
  if (hasRoom(book, currency, amount)) return
  const message = `No ${currency} balance takes money beyond ${MAX_BALANCE} minor units.`
  throw refusal('balance_limit_exceeded', message, remarks)
}

/**
 * Refuses a debit, fees included, above the balance. `what` begins the message; `remarks` is the
 * JSON path.
 */
export function checkCovers(
  book: Book,
  what: string,
  currency: string,
  required: bigint,
  remarks: string,
): void {
  const available = book.balances.get(currency) ?? 0n
  if (available >= required) return
  const exponent = currencyExponent(currency)
  const message =
    `${what} needs ${required} ${currency} minor units including fees ` +
    `(${formatMajor(required, exponent)}) and ${available} are available ` +
    `(${formatMajor(available, exponent)}).`
  throw refusal('insufficient_balance', message, remarks)
}

/** Whether the balance stays within MAX_BALANCE after this amount in minor units. */
export function hasRoom(book: Book, currency: string, amount: bigint): boolean {
  return (book.balances.get(currency) ?? 0n) + amount <= MAX_BALANCE
}

/**
 * Refuses returned money that would overflow the bigint of its balance. `amount` is in minor units.
 */
export function checkReturn(book: Book, currency: string, amount: bigint): void {
  if ((book.balances.get(currency) ?? 0n) + amount <= MAX_BIGINT) return
  const message = `The ${currency} balance would pass ${MAX_BIGINT} minor units.`
  throw refusal('balance_limit_exceeded', message)
}

export const EMPTY_HASH = '0'.repeat(64)

export interface JournalDraft {
  readonly kind: JournalKind
  readonly source: string
  readonly postings: readonly Posting[]
  /** Absent for a settlement, which moves no balance. */
  readonly line?: Omit<JournalLine, 'balance_after'>
}

/**
 * Numbers and hashes one journal and applies it to the book. Callers have refused invalid requests
 * before, so an invalid journal is a fault: it throws a plain Error, which rolls the batch back.
 * Returned money that would overflow a bigint balance throws a Refusal instead.
 */
export function postJournal(book: Book, draft: JournalDraft): Journal {
  const { kind, source } = draft
  const { account_id, now: created_at } = book
  const postings = draft.postings.filter(posting => posting.amount !== 0n)
  assertBalanced(postings)
  applyPostings(book, postings)
  const number = book.journal_count + 1n
  const line = draft.line === undefined ? null : lineAfter(book, draft.line)
  const content = { account_id, number, kind, source, postings, line, created_at }
  const hash = hashJournal(book.head_hash, content)
  book.journal_count = number
  book.head_hash = hash
  return { ...content, hash }
}

/** The line with its `balance_after`, once the book has the journal's postings. */
function lineAfter(book: Book, line: Omit<JournalLine, 'balance_after'>): JournalLine {
  return { ...line, balance_after: book.balances.get(line.currency) as bigint }
}

/** Adds each posting on `available` to its balance. */
function applyPostings(book: Book, postings: readonly Posting[]): void {
  for (const { code, currency, amount } of postings) {
    if (code !== 'available') continue
    const before = book.balances.get(currency)
    if (before === undefined) throw new Error(`book ${book.account_id} holds no ${currency}`)
    const after = before + amount
    if (after < 0n) throw new Error(`book ${book.account_id} would be overdrawn in ${currency}`)
    checkReturn(book, currency, amount)
    book.balances.set(currency, after)
    book.changed.add(currency)
  }
}

/**
 * The chain: SHA-256, in hex, of the previous hash and the journal's content as one line of JSON.
 * `corridor verify` recomputes it; changing it would break every existing book.
 */
export function hashJournal(previous: string, journal: Omit<Journal, 'hash'>): string {
  const { account_id, number, kind, source, created_at, postings, line } = journal
  const posted = postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`)
  const content: (string | null | readonly string[])[] = [
    ...[previous, account_id, number.toString(), kind, source, created_at],
    posted,
  ]
  if (line !== null) {
    const { currency, amount, fixed_fee, variable_fee, balance_after } = line
    content.push(`${currency} ${amount} ${fixed_fee} ${variable_fee} ${balance_after}`)
    content.push(line.undoes, line.fx_conversions, line.metadata)
  }
  return digest('sha256', JSON.stringify(content), 'hex')
}

/** The postings with opposite signs. Money goes back in exactly the stored amounts. */
export function mirrored(postings: readonly Posting[]): Posting[] {
  return postings.map(posting => ({ ...posting, amount: -posting.amount }))
}

/** Throws when there is no posting, or when a currency's postings do not sum to zero. */
export function assertBalanced(postings: readonly Posting[]): void {
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of postings) {
    sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  }
  if (sums.size === 0) throw new Error('a journal without postings')
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new Error(`a journal that is off by ${sum} in ${currency}`)
  }
}
