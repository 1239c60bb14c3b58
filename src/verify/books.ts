// Walks every book from its first journal: numbers, chain, sums, the balance after each journal,
// and the statement line that each movement of `available` must have. Knows nothing of payouts.
import type { TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'
import {
  EMPTY_HASH,
  hashJournal,
  type JournalKind,
  type LedgerCode,
  type Posting,
} from '../ledger/rules.ts'
import {
  BOOKS,
  type BookRow,
  type JournalRow,
  journalsOf,
  type LineRow,
  linesOf,
} from './book-rows.ts'
import { bookedBy } from './bookings.ts'
import type { BadRow, Findings } from './problem.ts'
import {
  addTo,
  balanceProblem,
  bookProblem,
  journalProblem,
  lineProblem,
  readPostings,
  words,
} from './rows.ts'
import { openStream, type RowStream } from './stream.ts'

/** What the walk has seen; sums are minor units by currency over all books walked. */
export interface BooksSeen {
  accounts: number
  journals: number
  balances: number
  balance_transactions: number
  readonly inter_account: Map<string, bigint>
  readonly in_transit: Map<string, bigint>
  /** Of live accounts alone: what is on its way to real people. */
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

/**
 * The statement line that a journal of each kind has; a settlement moves no balance and has none.
 */
const LINE_TYPES: Readonly<Record<JournalKind, string | null>> = {
  funding: 'escrow',
  payout: 'payout',
  receipt: 'payout',
  settlement: null,
  failure: 'payout_failure',
  reversal: 'payout_reversal',
  withdrawal: 'withdrawal',
  adjustment: 'adjustment',
  funding_reversal: 'escrow_reversal',
  withdrawal_reversal: 'withdrawal_reversal',
  adjustment_reversal: 'adjustment_reversal',
}

/** Walks the books of one account, or of all; `tick` is called once a journal. */
export async function walkBooks(
  tx: TransactionSql,
  account_id: string | null,
  findings: Findings,
  tick: () => void,
): Promise<BooksSeen> {
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
  const walking = { sandboxes: new Set(sandboxes.map(row => row.account_id)) }
  const books = await openStream<BookRow>(tx, BOOKS, [account_id])
  const journals = await openStream<JournalRow>(tx, journalsOf(account_id), [account_id])
  const lines = await openStream<LineRow>(tx, linesOf(account_id), [account_id])
  for (; books.row !== undefined; await books.next()) {
    await walkBook(books.row, { ...walking, journals, lines, findings, seen, tick })
  }
  await refuseRowsBefore(undefined, { journals, lines, findings })
  for (const stream of [books, journals, lines]) await stream.close()
  return seen
}

interface Walking {
  readonly sandboxes: ReadonlySet<string>
  readonly journals: RowStream<JournalRow>
  readonly lines: RowStream<LineRow>
  readonly findings: Findings
  readonly seen: BooksSeen
  readonly tick: () => void
}

async function walkBook(book: BookRow, walking: Walking): Promise<void> {
  const { journals, findings, seen, tick } = walking
  const { account_id } = book
  const live = !walking.sandboxes.has(account_id)
  await refuseRowsBefore(account_id, walking)
  findings.guard(
    () => ({ table: 'books', account_id, key: '' }),
    () => checkBook(book),
  )
  const walk = new Walk(account_id, new Set(book.currencies ?? []))
  for (let row = journals.row; row?.account_id === account_id; row = journals.row) {
    walkJournal(walk, row, findings)
    await walkLines(walk, row, walking)
    addTo(seen.inter_account, walk.postings, 'inter_account')
    addTo(seen.in_transit, walk.postings, 'in_transit')
    if (live) addTo(seen.live.in_transit, walk.postings, 'in_transit')
    seen.journals += 1
    tick()
    await journals.next()
  }
  await refuseLines(walking, line => line.account_id === account_id)
  for (const wrong of walk.headsThatDiffer(book)) findings.add(wrong.problem)
  seen.accounts += 1
  if (live) seen.live.accounts += 1
  seen.balances += book.currencies?.length ?? 0
}

/** After a journal that is missing or wrong the walk goes on from what the next one has. */
function walkJournal(walk: Walk, row: JournalRow, findings: Findings): void {
  // Null only where the row was edited. It stands after all others, and is the head of nothing.
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
  const place = () => ({ table: 'journals', account_id, key: `number ${number}` })
  if (!findings.guard(place, () => walk.step(row))) walk.resume(row)
}

/** The line of the journal in hand; those before it that no journal has are named. */
async function walkLines(walk: Walk, row: JournalRow, walking: Walking): Promise<void> {
  const { lines, findings, seen } = walking
  const { account_id } = walk
  await refuseLines(
    walking,
    line => line.account_id === account_id && line.journal_number < row.number,
  )
  const line = lines.row
  if (line?.account_id === account_id && line.journal_number === row.number) {
    const place = () => ({ table: 'balance_transactions', account_id, key: line.id })
    findings.guard(place, () => walk.matchLine(row, line))
    seen.balance_transactions += 1
    await lines.next()
  } else if (walk.moved !== undefined) {
    const wanted = `a balance transaction of ${words(walk.moved)}`
    findings.add(journalProblem(row, wanted, 'no balance transaction of it').problem)
    walk.lose()
  }
}

function checkBook(book: BookRow): void {
  if (!book.has_account) throw bookProblem(book, 'an account', 'none')
  if (book.journal_count === null) throw bookProblem(book, 'a book', 'none')
  checkCurrencies(book)
}

/** A balance in each currency of the account, used or not, and in no other. */
function checkCurrencies({ account_id, wanted, currencies }: BookRow): void {
  const held = new Set(currencies)
  const missing = wanted?.find(currency => !held.delete(currency))
  if (missing !== undefined) throw balanceProblem(account_id, missing, 'a row', 'none')
  for (const stranger of held) {
    throw balanceProblem(account_id, stranger, 'none, as the account has no such currency', 'a row')
  }
}

/** One book as it is walked: the predecessor's hash, time and number, and every balance so far. */
class Walk {
  readonly account_id: string
  readonly balances: Map<string, bigint>
  /** Currencies whose balance is known again from the next line alone. */
  readonly adrift = new Set<string>()
  /** Of the journal stepped to last; none when it is wrong. */
  postings: readonly Posting[] = []
  /** Its movement of `available`, if any. */
  moved: Posting | undefined
  number = 0n
  /** Null after a journal that is missing. */
  hash: string | null = EMPTY_HASH
  created_at: Instant = ''

  constructor(account_id: string, currencies: ReadonlySet<string>) {
    this.account_id = account_id
    this.balances = new Map([...currencies].map(currency => [currency, 0n]))
  }

  /** Checks the next journal and goes to it. */
  step(row: JournalRow): void {
    if (row.created_at < this.created_at) {
      throw journalProblem(row, `a time not before ${this.created_at}`, row.created_at)
    }
    const postings = checkPostings(row)
    const hash = this.hash === null ? row.hash : hashJournal(this.hash, { ...row, postings })
    if (hash !== row.hash) throw journalProblem(row, `hash ${hash}`, row.hash)
    const [moved, ...more] = postings.filter(posting => posting.code === 'available')
    if (more.length > 0) throw journalProblem(row, 'one posting on available', words(...postings))
    if (moved !== undefined) this.#move(row, moved)
    this.postings = postings
    this.moved = moved
    this.number = row.number
    this.hash = hash
    this.created_at = row.created_at
  }

  #move(row: JournalRow, { currency, amount }: Posting): void {
    const before = this.balances.get(currency)
    if (before === undefined) throw balanceProblem(row.account_id, currency, 'a row', 'none')
    const after = before + amount
    if (after < 0n && !this.adrift.has(currency)) {
      throw journalProblem(row, 'a balance of zero or more', `${after} ${currency}`)
    }
    this.balances.set(currency, after)
  }

  /** A journal is missing: neither the chain nor a balance is known any more. */
  lose(): void {
    this.hash = null
    for (const currency of this.balances.keys()) this.adrift.add(currency)
  }

  /** The journal is wrong and has been named: what follows is held against what it says. */
  resume({ number, hash }: JournalRow): void {
    this.lose()
    this.postings = []
    this.moved = undefined
    this.number = number
    this.hash = hash
  }

  /** The line must say what the journal did, and the balance it left. */
  matchLine(row: JournalRow, line: LineRow): void {
    const { moved } = this
    const known = this.balances.get(line.currency)
    const lost = this.adrift.delete(line.currency)
    if (lost) this.balances.set(line.currency, line.balance_after)
    // Of a journal that is wrong there is nothing to hold its line against.
    if (this.postings.length === 0) return
    const wrong = (expected: string, found: string) => lineProblem(line, expected, found)
    if (moved === undefined || LINE_TYPES[row.kind] === null) {
      throw wrong(`a journal that moves available`, `journal ${row.number}, a ${row.kind}`)
    }
    const sum = line.amount + line.fixed_fee + line.variable_fee
    const facts: [name: string, expected: unknown, found: unknown][] = [
      ['type', LINE_TYPES[row.kind], line.type],
      ['operation_type', moved.amount > 0n ? 'credit' : 'debit', line.operation_type],
      ['currency', moved.currency, line.currency],
      ['net_amount', moved.amount, line.net_amount],
      ['net_amount as amount and fees', sum, line.net_amount],
      ['balance_after', lost ? line.balance_after : known, line.balance_after],
      ['created_at', row.created_at, line.created_at],
    ]
    for (const [name, expected, found] of facts) {
      if (expected !== found) throw wrong(`${name} ${expected}`, String(found))
    }
    const booked = bookedBy(row, moved)
    if (booked === undefined) return
    const [expected, found] = [words(...booked.postings), words(...this.postings)]
    if (found !== expected) throw journalProblem(row, expected, found)
    if (line[booked.names] !== row.source) {
      throw wrong(`${booked.names} ${row.source}`, line[booked.names])
    }
  }

  /** What the book and its balances say must be what the journals came to. */
  headsThatDiffer(book: BookRow): BadRow[] {
    const wrong: BadRow[] = []
    const { journal_count, head_hash } = book
    // A missing last journal is named as such; a count too low, by the book's row.
    if (journal_count !== null && journal_count > this.number) {
      const missing = { account_id: this.account_id, number: this.number + 1n }
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
      wrong.push(balanceProblem(this.account_id, currency, `available ${expected}`, found))
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
 * Rows of accounts that sort before the book in hand belong to no book; undefined is after the
 * last.
 */
async function refuseRowsBefore(
  account_id: string | undefined,
  walking: Pick<Walking, 'journals' | 'lines' | 'findings'>,
): Promise<void> {
  const { journals, lines, findings } = walking
  const early = (row: { account_id: string }) =>
    account_id === undefined || row.account_id < account_id
  for (; journals.row !== undefined && early(journals.row); await journals.next()) {
    findings.add(journalProblem(journals.row, 'a book of this account', 'none').problem)
  }
  for (; lines.row !== undefined && early(lines.row); await lines.next()) {
    findings.add(lineProblem(lines.row, 'a book of this account', 'none').problem)
  }
}

/** Lines that stand next and that no journal has. */
async function refuseLines(
  { lines, findings }: Pick<Walking, 'lines' | 'findings'>,
  stray: (line: LineRow) => boolean,
): Promise<void> {
  for (; lines.row !== undefined && stray(lines.row); await lines.next()) {
    findings.add(orphanLine(lines.row).problem)
  }
}

function orphanLine(line: LineRow): BadRow {
  const found = `journal ${line.journal_number}, which is missing or has another line`
  return lineProblem(line, 'a journal of its own', found)
}
