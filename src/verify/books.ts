// Walks every book from its first journal: numbers, hash chain, sums, balances and lines. Knows no
// payouts.
import { listCorrections } from '../ledger/clock-store.ts'
import {
  EMPTY_HASH,
  hashJournal,
  type JournalLine,
  type LedgerCode,
  type Posting,
} from '../ledger/rules.ts'
import { lineFromRow, readPostings } from '../ledger/store.ts'
import { LINE_TYPES } from '../statements/balance-transaction/columns.ts'
import type { Instant } from '../values/instant.ts'
import { BOOKS, type BookRow, JOURNALS, type JournalRow } from './book-rows.ts'
import { bookedBy } from './bookings.ts'
import type { BadRow, Findings } from './problem.ts'
import {
  addTo,
  balanceProblem,
  bookProblem,
  journalProblem,
  otherPostings,
  postingsText,
  type Verification,
} from './rows.ts'
import { openStream, type RowStream } from './stream.ts'

/** Sums are in minor units by currency, over all walked books. */
export interface BookTotals {
  accounts: number
  journals: number
  balances: number
  balance_transactions: number
  readonly inter_account: Map<string, bigint>
  readonly in_transit: Map<string, bigint>
  /** Of live accounts only, whose balances are money. */
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

/** Calls `tick` once for each journal. */
export async function walkBooks(run: Verification, tick: () => void): Promise<BookTotals> {
  const { tx, findings } = run
  const sandboxes = await tx<{ account_id: string }[]>`
    select account_id from accounts where sandbox`
  const totals: BookTotals = {
    accounts: 0,
    journals: 0,
    balances: 0,
    balance_transactions: 0,
    inter_account: new Map(),
    in_transit: new Map(),
    live: { accounts: 0, in_transit: new Map() },
  }
  const books = await openStream<BookRow>(run, BOOKS)
  const journals = await openStream<JournalRow>(run, JOURNALS)
  const names = new Set(sandboxes.map(row => row.account_id))
  const corrections = await listCorrections(tx)
  const context = { sandboxes: names, journals, findings, totals, tick, corrections }
  for (; books.row !== undefined; await books.next()) await walkBook(books.row, context)
  await reportRowsBefore(undefined, context)
  for (const stream of [books, journals]) await stream.close()
  return totals
}

/** A time that an operator has confirmed, and the newest time before it. */
export type Correction = Awaited<ReturnType<typeof listCorrections>>[number]

interface WalkContext {
  readonly sandboxes: ReadonlySet<string>
  readonly journals: RowStream<JournalRow>
  readonly findings: Findings
  readonly totals: BookTotals
  readonly tick: () => void
  readonly corrections: readonly Correction[]
}

async function walkBook(book: BookRow, context: WalkContext): Promise<void> {
  const { journals, findings, totals, tick } = context
  const { account_id } = book
  const live = !context.sandboxes.has(account_id)
  await reportRowsBefore(account_id, context)
  findings.guard({ table: 'books', account_id, key: '' }, () => checkBook(book))
  const walk = new Walk(book.currencies ?? [], context.corrections)
  for (let row = journals.row; row?.account_id === account_id; row = journals.row) {
    walkJournal(walk, row, findings)
    addTo(totals.inter_account, walk.postings, 'inter_account')
    addTo(totals.in_transit, walk.postings, 'in_transit')
    if (live) addTo(totals.live.in_transit, walk.postings, 'in_transit')
    totals.journals += 1
    if (row.currency !== null) totals.balance_transactions += 1
    tick()
    await journals.next()
  }
  for (const wrong of walk.wrongHeads(book)) findings.add(wrong.problem)
  totals.accounts += 1
  if (live) totals.live.accounts += 1
  totals.balances += book.currencies?.length ?? 0
}

/** After a missing or wrong journal, the walk goes on with the next one's content. */
export function walkJournal(walk: Walk, row: JournalRow, findings: Findings): void {
  // Only an edited row has a null number. It comes after all others and is no head.
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
    walk.forget()
  }
  const { account_id, number } = row
  const place = { table: 'journals', account_id, key: `number ${number}` }
  // If only the line is wrong, `step` has advanced by the postings, and the walk need not resume.
  if (!findings.guard(place, () => walk.step(row)) && walk.number !== number) walk.resume(row)
}

export function checkBook(book: BookRow): void {
  if (!book.has_account) throw bookProblem(book, 'an account', 'none')
  if (book.journal_count === null) throw bookProblem(book, 'a book', 'none')
  checkCurrencies(book)
}

/** One row in each of the account's currencies, and in no other. */
function checkCurrencies({ account_id, wanted, currencies }: BookRow): void {
  const extra = new Set(currencies)
  const missing = wanted?.find(currency => !extra.delete(currency))
  if (missing !== undefined) {
    throw balanceProblem({ account_id, currency: missing }, 'a row', 'none')
  }
  for (const currency of extra) {
    const expected = 'none, as the account has no such currency'
    throw balanceProblem({ account_id, currency }, expected, 'a row')
  }
}

/** The walk of one book, up to its last journal so far. */
export class Walk {
  readonly balances: Map<string, bigint>
  /** Currencies whose balance is unknown until their next line. */
  readonly unknownBalances = new Set<string>()
  /** The postings of the journal; none for a wrong journal. */
  postings: readonly Posting[] = []
  number = 0n
  /** Null after a missing journal. */
  hash: string | null = EMPTY_HASH
  created_at: Instant = ''

  readonly #corrections: readonly Correction[]

  constructor(currencies: readonly string[], corrections: readonly Correction[]) {
    this.#corrections = corrections
    this.balances = new Map(currencies.map(currency => [currency, 0n]))
  }

  /** Whether somebody has corrected the clock between the previous journal and this one. */
  #isCorrected(created_at: Instant): boolean {
    return this.#corrections.some(
      ({ set_from, set_to }) => set_to <= created_at && this.created_at <= set_from,
    )
  }

  /** Advances to the journal. Throws BadRow. */
  step(row: JournalRow): void {
    if (row.created_at < this.created_at && !this.#isCorrected(row.created_at)) {
      throw journalProblem(row, `a time not before ${this.created_at}`, row.created_at)
    }
    const postings = checkPostings(row)
    const [moved, ...more] = postings.filter(posting => posting.code === 'available')
    if (more.length > 0)
      throw journalProblem(row, 'one posting on available', postingsText(...postings))
    const line = lineFromRow(row)
    const wrong = lineProblem(row, line, moved)
    const hash = this.hash === null ? row.hash : hashJournal(this.hash, { ...row, postings, line })
    if (wrong === undefined && hash !== row.hash) {
      throw journalProblem(row, `hash ${hash}`, row.hash)
    }
    const fault = moved && this.#applyPosting(row, moved, wrong === undefined ? line : null)
    this.postings = postings
    this.number = row.number
    this.hash = row.hash
    this.created_at = row.created_at
    if (wrong !== undefined) throw wrong
    if (fault !== undefined) throw fault
  }

  /** Takes an unknown balance from the line. Returns the problem of a wrong balance. */
  #applyPosting(row: JournalRow, { currency, amount }: Posting, line: JournalLine | null) {
    const { account_id } = row
    const before = this.balances.get(currency)
    if (before === undefined) throw balanceProblem({ account_id, currency }, 'a row', 'none')
    if (line !== null && this.unknownBalances.delete(currency)) {
      this.balances.set(currency, line.balance_after)
      return undefined
    }
    const after = before + amount
    this.balances.set(currency, after)
    if (this.unknownBalances.has(currency)) return undefined
    if (after < 0n) return journalProblem(row, 'a balance of zero or more', `${after} ${currency}`)
    if (line === null || line.balance_after === after) return undefined
    return journalProblem(row, `balance_after ${after}`, String(line.balance_after))
  }

  /** After a missing journal, the next hash and balances cannot be proved. */
  forget(): void {
    this.hash = null
    for (const currency of this.balances.keys()) this.unknownBalances.add(currency)
  }

  /** The reported journal's hash and balance count for the next one. */
  resume({ number, hash, currency, balance_after }: JournalRow): void {
    this.forget()
    if (currency !== null && balance_after !== null && this.balances.has(currency)) {
      this.balances.set(currency, balance_after)
      this.unknownBalances.delete(currency)
    }
    this.postings = []
    this.number = number
    this.hash = hash
  }

  /** A head or a balance may differ from the journals. */
  wrongHeads(book: BookRow): BadRow[] {
    const wrong: BadRow[] = []
    const { account_id, journal_count, head_hash } = book
    // A missing last journal is a problem of journals. A count below it is a problem of the book.
    if (journal_count !== null && journal_count > this.number) {
      const missing = { account_id, number: this.number + 1n }
      wrong.push(journalProblem(missing, `${journal_count} journals`, `${this.number}`))
      this.forget()
    } else if (journal_count !== null && journal_count < this.number) {
      wrong.push(bookProblem(book, `journal_count ${this.number}`, String(journal_count)))
    } else if (this.hash !== null && head_hash !== this.hash) {
      wrong.push(bookProblem(book, `head_hash ${this.hash}`, String(head_hash)))
    }
    for (const [i, currency] of (book.currencies ?? []).entries()) {
      const [expected, found] = [String(this.balances.get(currency)), book.available?.[i] ?? '']
      if (expected === found || this.unknownBalances.has(currency)) continue
      wrong.push(balanceProblem({ account_id, currency }, `available ${expected}`, found))
    }
    return wrong
  }
}

/** Throws unless two or more, on known codes, are not zero and sum to zero by currency. */
function checkPostings(row: JournalRow): Posting[] {
  const postings = readPostings(row)
  if (postings === undefined) {
    throw journalProblem(
      row,
      'codes, currencies and amounts of one length',
      `${row.codes} / ${row.currencies} / ${row.amounts}`,
    )
  }
  if (!Object.hasOwn(LINE_TYPES, row.kind)) throw journalProblem(row, 'a known kind', row.kind)
  if (postings.length < 2)
    throw journalProblem(row, 'two postings or more', postingsText(...postings))
  for (const posting of postings) {
    if (!CODES.has(posting.code)) throw journalProblem(row, 'known codes', postingsText(posting))
    if (posting.amount === 0n)
      throw journalProblem(row, 'no posting of zero', postingsText(posting))
    let sum = 0n
    for (const { currency, amount } of postings) if (currency === posting.currency) sum += amount
    if (sum !== 0n) throw journalProblem(row, `a sum of zero ${posting.currency}`, `${sum}`)
  }
  return postings
}

/** This check comes before the hash, as its problem says more. */
function lineProblem(row: JournalRow, line: JournalLine | null, moved: Posting | undefined) {
  const type = LINE_TYPES[row.kind]
  if (line === null || !row.line_is_whole) {
    if (moved === undefined && type === null && row.line_is_whole) return undefined
    const expected = moved
      ? `a balance transaction of ${postingsText(moved)}`
      : 'no balance transaction'
    const found = row.line_is_whole ? 'none' : 'a part of a balance transaction'
    return journalProblem(row, expected, found)
  }
  if (moved === undefined || type === null) {
    return journalProblem(row, 'no balance transaction', `a balance transaction of a ${row.kind}`)
  }
  const { currency, amount, fixed_fee, variable_fee } = line
  const found = `${currency} ${amount + fixed_fee + variable_fee}`
  const expected = `${moved.currency} ${moved.amount}`
  if (found !== expected) return journalProblem(row, `amount and fees of ${expected}`, found)
  const booked = bookedBy(row, moved)
  if (booked === undefined) return undefined
  const was = otherPostings(row, booked.postings)
  if (was !== undefined) return journalProblem(row, postingsText(...booked.postings), was)
  if ((line.undoes !== null) === booked.undoes) return undefined
  const undone = booked.undoes
    ? 'a balance transaction that it undoes'
    : 'no balance transaction that it undoes'
  return journalProblem(row, undone, line.undoes ?? 'none')
}

/** Reports journals without a book. `account_id` is undefined after the last book. */
async function reportRowsBefore(
  account_id: string | undefined,
  { journals, findings }: WalkContext,
): Promise<void> {
  const early = (row: { account_id: string }) =>
    account_id === undefined || row.account_id < account_id
  for (; journals.row !== undefined && early(journals.row); await journals.next()) {
    findings.add(journalProblem(journals.row, 'a book of this account', 'none').problem)
  }
}
