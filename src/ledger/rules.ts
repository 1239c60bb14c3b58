// The book of one account, as pure functions: what a journal is, how it is numbered, hashed and
// applied to balances. It knows no payout and no SQL.
import { hash as digest } from 'node:crypto'
import type { AccountState } from '../account/states.ts'
import { refusal } from '../errors.ts'
import type { GivesIds } from '../id.ts'
import type { Instant } from '../instant.ts'

/**
 * The positions of a book, from the customer's side: `available` is what the customer can spend;
 * every other code is where money went to or came from, so that each journal sums to zero per
 * currency. docs/glossary.md explains each.
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

/** A signed amount in minor units on one position in one currency; never zero. */
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

/** What a journal that moves the balance says of it on the customer's statement. */
export interface JournalLine {
  /** Of its one posting on `available`. */
  readonly currency: string
  /** Signed, without fees; with them, what the journal posts to `available`. */
  readonly amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  readonly balance_after: bigint
  /** The balance transaction that it gives or takes back; null for none. */
  readonly undoes: string | null
  /** JSON as it is stored, null for none. */
  readonly fx_conversions: string | null
  readonly metadata: string | null
}

export interface Journal {
  readonly account_id: string
  readonly number: bigint
  readonly kind: JournalKind
  /** Id of the object that caused it. */
  readonly source: string
  readonly postings: readonly Posting[]
  /** Null of a settlement, which moves no balance. */
  readonly line: JournalLine | null
  readonly created_at: Instant
  /** 64 hex digits. */
  readonly hash: string
}

/** A locked book in memory. Rules advance it; the store writes what it has become. */
export interface Book extends GivesIds {
  readonly account_id: string
  /** The account's clock, read once the book was locked: the time of whatever is written now. */
  readonly now: Instant
  /** Of its account, read once the book was locked. */
  readonly state: AccountState
  journal_count: bigint
  /** Hash of the newest journal, 64 hex digits; of an empty book, 64 zeros. */
  head_hash: string
  event_count: bigint
  /** Hash of the newest event, 64 hex digits; before the first, 64 zeros. */
  event_head: string
  /** Digests of answers that are kept, by the number of the last event of their request. */
  readonly kept: Map<bigint, string>
  /** Minor units the customer can spend, for each currency of the account. */
  readonly balances: Map<string, bigint>
  /** Currencies whose balance differs from the row that was read. */
  readonly changed: Set<string>
}

/** The book of an account; every account has one, and `load` has locked it. */
export function bookOf(books: ReadonlyMap<string, Book>, account_id: string): Book {
  const book = books.get(account_id)
  if (book === undefined) throw new Error(`account ${account_id} has no book`)
  return book
}

/**
 * The most that money coming in may raise a balance to, in minor units: half of what a bigint
 * holds. The other half is for money that comes back.
 */
const MAX_BALANCE = 2n ** 62n
const MAX_BIGINT = 2n ** 63n - 1n

/** Refuses money that would raise a balance beyond MAX_BALANCE. */
export function checkRoom(book: Book, currency: string, amount: bigint, remarks: string): void {
  if (hasRoom(book, currency, amount)) return
  const message = `No ${currency} balance takes money beyond ${MAX_BALANCE} minor units.`
  throw refusal('balance_limit_exceeded', message, remarks)
}

export function hasRoom(book: Book, currency: string, amount: bigint): boolean {
  return (book.balances.get(currency) ?? 0n) + amount <= MAX_BALANCE
}

export const EMPTY_HASH = '0'.repeat(64)

export interface JournalDraft {
  readonly kind: JournalKind
  readonly source: string
  readonly postings: readonly Posting[]
  /** What it says of the balance that it moves. */
  readonly line?: Omit<JournalLine, 'balance_after'>
}

/**
 * Numbers, hashes and applies one journal. The caller has refused what the customer may not do;
 * what is wrong here is a fault of ours, so it throws a plain Error and the batch is rolled back.
 * Only money that comes back to a balance that no bigint holds is refused, as nobody foresees it.
 */
export function postJournal(book: Book, draft: JournalDraft): Journal {
  const { kind, source } = draft
  const { account_id, now: created_at } = book
  const postings = draft.postings.filter(posting => posting.amount !== 0n)
  assertBalanced(postings)
  move(book, postings)
  const number = book.journal_count + 1n
  const line = draft.line === undefined ? null : lineAfter(book, draft.line)
  const unsigned = { account_id, number, kind, source, postings, line, created_at }
  const hash = hashJournal(book.head_hash, unsigned)
  book.journal_count = number
  book.head_hash = hash
  return { ...unsigned, hash }
}

/** A journal with a line has posted in its currency. */
function lineAfter(book: Book, line: Omit<JournalLine, 'balance_after'>): JournalLine {
  return { ...line, balance_after: book.balances.get(line.currency) as bigint }
}

/** What is posted to `available` moves the balance. */
function move(book: Book, postings: readonly Posting[]): void {
  for (const { code, currency, amount } of postings) {
    if (code !== 'available') continue
    const before = book.balances.get(currency)
    if (before === undefined) throw new Error(`book ${book.account_id} holds no ${currency}`)
    const after = before + amount
    if (after < 0n) throw new Error(`book ${book.account_id} would be overdrawn in ${currency}`)
    if (after > MAX_BIGINT) {
      const message = `The ${currency} balance would pass ${MAX_BIGINT} minor units.`
      throw refusal('balance_limit_exceeded', message)
    }
    book.balances.set(currency, after)
    book.changed.add(currency)
  }
}

/**
 * The recipe of the chain: SHA-256, in hex, of the predecessor's hash and the journal's content as
 * one line of JSON. `corridor verify` recomputes it; changing it would break every book there is.
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

/** The same journal with every sign turned: money goes back the way it came, as stored integers. */
export function mirrored(postings: readonly Posting[]): Posting[] {
  return postings.map(posting => ({ ...posting, amount: -posting.amount }))
}

/** Throws unless there are postings and they sum to zero in each currency. */
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
