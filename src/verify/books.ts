// Walks every book from its first journal: numbers, chain, sums, the balance after each journal,
// and the statement line that each movement of `available` makes. Knows nothing of payouts.
import { LINE_TYPES } from '../balance-transaction/columns.ts'
import type { Instant } from '../instant.ts'
import {
  EMPTY_HASH,
  hashJournal,
  type JournalLine,
  type LedgerCode,
  type Posting,
} from '../ledger/rules.ts'
import { lineFromRow, readPostings } from '../ledger/store.ts'
import { BOOKS, type BookRow, JOURNALS, type JournalRow } from './book-rows.ts'
import { bookedBy } from './bookings.ts'
import type { BadRow, Findings } from './problem.ts'
import {
  addTo,
  balanceProblem,
  bookProblem,
  journalProblem,
  type Verifying,
  words,
} from './rows.ts'
import { openStream, type RowStream } from './stream.ts'

/** What the walk has found; sums are minor units by currency over all books walked. */
export interface BooksSeen {
  accounts: number
  journals: number
  balances: number
  balance_transactions: number
  readonly inter_account: Map<string, bigint>
  readonly in_transit: Map<string, bigint>
  /** Live accounts alone: the money that is on its way to real people. */
  readonly live: { accounts: number; readonly in_transit: Map<string, bigint> }
}

const CODES: ReadonlySet<string> = new Set<LedgerCode>([
  'adjustments',
  'available',
  'fees',
  'funding',
  'fx',
  'fx_income',
  'in_transit',
  'inter_account',
  'settled',
])

/** Walks the books of one account, or of all; `tick` is called once a journal. */
export async function walkBooks(of: Verifying, tick: () => void): Promise<BooksSeen> {
  const { tx, findings } = of
  const sandboxes = await tx<{ account_id: string }[]>`
    select account_id from accounts where sandbox`
  const seen: BooksSeen = {
    accounts: 0,
    journals: 0,
    balances: 0,
    balance_transactions: 0,
    inter_account: new Map(),
    in_transit: new Map(),
    live: { accounts: 0, in_transit: new Map() },
  }
  const books = await openStream<BookRow>(of, BOOKS)
  const journals = await openStream<JournalRow>(of, JOURNALS)
  const names = new Set(sandboxes.map(row => row.account_id))
  const walking = { sandboxes: names, journals, findings, seen, tick }
  for (; books.row !== undefined; await books.next()) await walkBook(books.row, walking)
  await refuseRowsBefore(undefined, walking)
  for (const stream of [books, journals]) await stream.close()
  return seen
}

interface Walking {
  readonly sandboxes: ReadonlySet<string>
  readonly journals: RowStream<JournalRow>
  readonly findings: Findings
  readonly seen: BooksSeen
  readonly tick: () => void
}

async function walkBook(book: BookRow, walking: Walking): Promise<void> {
  const { journals, findings, seen, tick } = walking
  const { account_id } = book
  const live = !walking.sandboxes.has(account_id)
  await refuseRowsBefore(account_id, walking)
  findings.guard({ table: 'books', account_id, key: '' }, () => checkBook(book))
  const walk = new Walk(book.currencies ?? [])
  for (let row = journals.row; row?.account_id === account_id; row = journals.row) {
    walkJournal(walk, row, findings)
    addTo(seen.inter_account, walk.postings, 'inter_account')
    addTo(seen.in_transit, walk.postings, 'in_transit')
    if (live) addTo(seen.live.in_transit, walk.postings, 'in_transit')
    seen.journals += 1
    if (row.currency !== null) seen.balance_transactions += 1
    tick()
    await journals.next()
  }
  for (const wrong of walk.headsThatDiffer(book)) findings.add(wrong.problem)
  seen.accounts += 1
  if (live) seen.live.accounts += 1
  seen.balances += book.currencies?.length ?? 0
}

/** After a missing or wrong journal, the walk goes on from what the next journal says. */
function walkJournal(walk: Walk, row: JournalRow, findings: Findings): void {
  // The number is null only in an edited row. Such a row comes after all others and is no head.
  const found: bigint | null = row.number
  if (found === null) {
    findings.add(journalProblem(row, 'a number', 'none').problem)
    walk.resume({ ...row, number: walk.number })
    return
  }
  const expected = walk.number + 1n
  if (row.number !== expected) {
    const missing = { ...row, number: expected }
    findings.add(journalProblem(missing, 'the next journal', `number ${row.number}`).problem)
    walk.lose()
  }
  const { account_id, number } = row
  const place = { table: 'journals', account_id, key: `number ${number}` }
  // If only its line is wrong, `step` has gone on by the postings, and there is nothing to resume.
  if (!findings.guard(place, () => walk.step(row)) && walk.number !== number) walk.resume(row)
}

function checkBook(book: BookRow): void {
  if (!book.has_account) throw bookProblem(book, 'an account', 'none')
  if (book.journal_count === null) throw bookProblem(book, 'a book', 'none')
  checkCurrencies(book)
}

/** The account must have a balance in each of its currencies, used or not, and in no other. */
function checkCurrencies({ account_id, wanted, currencies }: BookRow): void {
  const held = new Set(currencies)
  const missing = wanted?.find(currency => !held.delete(currency))
  if (missing !== undefined) {
    throw balanceProblem({ account_id, currency: missing }, 'a row', 'none')
  }
  for (const currency of held) {
    const expected = 'none, as the account has no such currency'
    throw balanceProblem({ account_id, currency }, expected, 'a row')
  }
}

/** One book as it is walked: the predecessor's hash, time and number, and every balance so far. */
class Walk {
  readonly balances: Map<string, bigint>
  /** Currencies whose balance is unknown until their next line says it. */
  readonly adrift = new Set<string>()
  /** The postings of the last journal; none when it is wrong. */
  postings: readonly Posting[] = []
  number = 0n
  /** Null after a journal that is missing. */
  hash: string | null = EMPTY_HASH
  created_at: Instant = ''

  constructor(currencies: readonly string[]) {
    this.balances = new Map(currencies.map(currency => [currency, 0n]))
  }

  /** Checks the next journal and goes to it. */
  step(row: JournalRow): void {
    if (row.created_at < this.created_at) {
      throw journalProblem(row, `a time not before ${this.created_at}`, row.created_at)
    }
    const postings = checkPostings(row)
    const [moved, ...more] = postings.filter(posting => posting.code === 'available')
    if (more.length > 0) throw journalProblem(row, 'one posting on available', words(...postings))
    const line = lineFromRow(row)
    const wrong = lineFault(row, line, moved)
    const hash = this.hash === null ? row.hash : hashJournal(this.hash, { ...row, postings, line })
    if (wrong === undefined && hash !== row.hash) {
      throw journalProblem(row, `hash ${hash}`, row.hash)
    }
    const fault = moved && this.#move(row, moved, wrong === undefined ? line : null)
    this.postings = postings
    this.number = row.number
    this.hash = row.hash
    this.created_at = row.created_at
    if (wrong !== undefined) throw wrong
    if (fault !== undefined) throw fault
  }

  /**
   * Goes to the balance after the journal. Takes it from the line if the balance before is unknown.
   */
  #move(
    row: JournalRow,
    { currency, amount }: Posting,
    line: JournalLine | null,
  ): BadRow | undefined {
    const { account_id } = row
    const before = this.balances.get(currency)
    if (before === undefined) throw balanceProblem({ account_id, currency }, 'a row', 'none')
    if (line !== null && this.adrift.delete(currency)) {
      this.balances.set(currency, line.balance_after)
      return undefined
    }
    const after = before + amount
    this.balances.set(currency, after)
    if (this.adrift.has(currency)) return undefined
    if (after < 0n) return journalProblem(row, 'a balance of zero or more', `${after} ${currency}`)
    if (line === null || line.balance_after === after) return undefined
    return journalProblem(row, `balance_after ${after}`, String(line.balance_after))
  }

  /** A journal is missing: neither the chain nor a balance is known any more. */
  lose(): void {
    this.hash = null
    for (const currency of this.balances.keys()) this.adrift.add(currency)
  }

  /**
   * Goes on after a wrong journal, which is named already: the next journal is judged by what this
   * one says.
   */
  resume({ number, hash, currency, balance_after }: JournalRow): void {
    this.lose()
    if (currency !== null && balance_after !== null && this.balances.has(currency)) {
      this.balances.set(currency, balance_after)
      this.adrift.delete(currency)
    }
    this.postings = []
    this.number = number
    this.hash = hash
  }

  /** The rows of the book and its balances that differ from what the journals came to. */
  headsThatDiffer(book: BookRow): BadRow[] {
    const wrong: BadRow[] = []
    const { account_id, journal_count, head_hash } = book
    // A missing last journal is named as a journal. A count that is too low is named as a book.
    if (journal_count !== null && journal_count > this.number) {
      const missing = { account_id, number: this.number + 1n }
      wrong.push(journalProblem(missing, `${journal_count} journals`, `${this.number}`))
      this.lose()
    } else if (journal_count !== null && journal_count < this.number) {
      wrong.push(bookProblem(book, `journal_count ${this.number}`, String(journal_count)))
    } else if (this.hash !== null && head_hash !== this.hash) {
      wrong.push(bookProblem(book, `head_hash ${this.hash}`, String(head_hash)))
    }
    for (const [i, currency] of (book.currencies ?? []).entries()) {
      const [expected, found] = [String(this.balances.get(currency)), book.available?.[i] ?? '']
      if (expected === found || this.adrift.has(currency)) continue
      wrong.push(balanceProblem({ account_id, currency }, `available ${expected}`, found))
    }
    return wrong
  }
}

/** Two or more postings on known codes, none zero, summing to zero in each currency. */
function checkPostings(row: JournalRow): Posting[] {
  const postings = readPostings(row)
  if (postings === undefined) {
    throw journalProblem(
      row,
      'three lists of one length',
      `${row.codes} / ${row.currencies} / ${row.amounts}`,
    )
  }
  if (!Object.hasOwn(LINE_TYPES, row.kind)) throw journalProblem(row, 'a known kind', row.kind)
  if (postings.length < 2) throw journalProblem(row, 'two postings or more', words(...postings))
  for (const posting of postings) {
    if (!CODES.has(posting.code)) throw journalProblem(row, 'known codes', words(posting))
    if (posting.amount === 0n) throw journalProblem(row, 'no posting of zero', words(posting))
    let sum = 0n
    for (const { currency, amount } of postings) if (currency === posting.currency) sum += amount
    if (sum !== 0n) throw journalProblem(row, `a sum of zero ${posting.currency}`, `${sum}`)
  }
  return postings
}

/**
 * The line must say what the journal has moved. A journal that moves nothing has no line. The line
 * is judged before the hash, because its problem says more.
 */
function lineFault(
  row: JournalRow,
  line: JournalLine | null,
  moved: Posting | undefined,
): BadRow | undefined {
  const type = LINE_TYPES[row.kind]
  if (line === null || !row.line_is_whole) {
    if (moved === undefined && type === null && row.line_is_whole) return undefined
    const wanted = moved ? `a balance transaction of ${words(moved)}` : 'no balance transaction'
    return journalProblem(row, wanted, row.line_is_whole ? 'none' : 'a part of one')
  }
  if (moved === undefined || type === null) {
    return journalProblem(row, 'no balance transaction', `one of a ${row.kind}`)
  }
  const { currency, amount, fixed_fee, variable_fee } = line
  const found = `${currency} ${amount + fixed_fee + variable_fee}`
  const expected = `${moved.currency} ${moved.amount}`
  if (found !== expected) return journalProblem(row, `amount and fees of ${expected}`, found)
  const booked = bookedBy(row, moved)
  if (booked === undefined) return undefined
  const [posted, was] = [words(...booked.postings), words(...(readPostings(row) ?? []))]
  if (was !== posted) return journalProblem(row, posted, was)
  if ((line.undoes !== null) === booked.undoes) return undefined
  const what = booked.undoes
    ? 'a balance transaction that it takes back'
    : 'none that it takes back'
  return journalProblem(row, what, line.undoes ?? 'none')
}

/**
 * Names rows of accounts that come before this one: they belong to no book. `account_id` is
 * undefined after the last book.
 */
async function refuseRowsBefore(
  account_id: string | undefined,
  { journals, findings }: Walking,
): Promise<void> {
  const early = (row: { account_id: string }) =>
    account_id === undefined || row.account_id < account_id
  for (; journals.row !== undefined && early(journals.row); await journals.next()) {
    findings.add(journalProblem(journals.row, 'a book of this account', 'none').problem)
  }
}
