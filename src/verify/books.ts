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
import { bookedBy } from './bookings.ts'
import { BadRow } from './problem.ts'
import { openStream, type RowStream } from './stream.ts'

/** What the walk has seen; sums are minor units by currency over all books walked. */
export interface BooksSeen {
  accounts: number
  journals: number
  balances: number
  balance_transactions: number
  readonly inter_account: Map<string, bigint>
  readonly in_transit: Map<string, bigint>
}

interface BookRow {
  account_id: string
  has_account: boolean
  /** Of the account; null of none. */
  wanted: string[] | null
  journal_count: bigint | null
  head_hash: string | null
  currencies: string[] | null
  available: string[] | null
}

/** Postings as three lists parted by blanks, which is faster to read than arrays. */
export interface PostingColumns {
  codes: string
  currencies: string
  amounts: string
}

interface JournalRow extends PostingColumns {
  account_id: string
  number: bigint
  kind: JournalKind
  source: string
  created_at: Instant
  hash: string
}

interface LineRow {
  account_id: string
  journal_number: bigint
  id: string
  type: string
  operation_type: string
  currency: string
  amount: bigint
  fixed_fee: bigint
  variable_fee: bigint
  net_amount: bigint
  balance_after: bigint
  source: string
  description: string
  created_at: Instant
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

const BOOKS = `
  select coalesce(a.account_id, b.account_id, m.account_id) as account_id,
    a.account_id is not null as has_account, a.currencies as wanted, b.journal_count,
    encode(b.head_hash, 'hex') as head_hash, m.currencies, m.available
  from accounts a full join books b on b.account_id = a.account_id
  full join (
    select account_id, array_agg(currency order by currency) as currencies,
      array_agg(available::text order by currency) as available
    from balances group by account_id
  ) m on m.account_id = coalesce(a.account_id, b.account_id)
  where $1::text is null or coalesce(a.account_id, b.account_id, m.account_id) = $1
  order by 1`

export const POSTING_COLUMNS = `array_to_string(j.codes, ' ') as codes,
  array_to_string(j.currencies, ' ') as currencies, array_to_string(j.amounts, ' ') as amounts`

/** The condition for one account, or for all; written apart so that each is planned for itself. */
export function ofAccount(column: string, account_id: string | null): string {
  return account_id === null ? '$1::text is null' : `${column} = $1`
}

const journalsOf = (account_id: string | null) => `
  select j.account_id, j.number, j.kind, j.source, ${POSTING_COLUMNS}, j.created_at,
    encode(j.hash, 'hex') as hash
  from journals j where ${ofAccount('j.account_id', account_id)} order by j.account_id, j.number`

const linesOf = (account_id: string | null) => `
  select account_id, journal_number, id, type, operation_type, currency, amount, fixed_fee,
    variable_fee, net_amount, balance_after, source, description, created_at
  from balance_transactions where ${ofAccount('account_id', account_id)}
  order by account_id, journal_number, id`

/** Walks the books of one account, or of all; `tick` is called once a journal. Throws BadRow. */
export async function walkBooks(
  tx: TransactionSql,
  account_id: string | null,
  tick: () => void,
): Promise<BooksSeen> {
  const seen: BooksSeen = {
    accounts: 0,
    journals: 0,
    balances: 0,
    balance_transactions: 0,
    inter_account: new Map(),
    in_transit: new Map(),
  }
  const books = await openStream<BookRow>(tx, BOOKS, [account_id])
  const journals = await openStream<JournalRow>(tx, journalsOf(account_id), [account_id])
  const lines = await openStream<LineRow>(tx, linesOf(account_id), [account_id])
  for (; books.row !== undefined; await books.next()) {
    await walkBook(books.row, journals, lines, seen, tick)
  }
  refuseRowsBefore(undefined, journals, lines)
  for (const stream of [books, journals, lines]) await stream.close()
  return seen
}

async function walkBook(
  book: BookRow,
  journals: RowStream<JournalRow>,
  lines: RowStream<LineRow>,
  seen: BooksSeen,
  tick: () => void,
): Promise<void> {
  const { account_id } = book
  refuseRowsBefore(account_id, journals, lines)
  if (!book.has_account) throw bookProblem(book, 'an account', 'none')
  if (book.journal_count === null) throw bookProblem(book, 'a book', 'none')
  checkCurrencies(book)
  const walk = new Walk(account_id, new Set(book.currencies ?? []))
  for (let row = journals.row; row?.account_id === account_id; row = journals.row) {
    const moved = walk.step(row)
    const line = lines.row
    const at = line?.account_id === account_id ? line.journal_number : undefined
    if (line !== undefined && at !== undefined && at < row.number) throw orphanLine(line)
    if (line !== undefined && at === row.number) {
      walk.matchLine(row, moved, line)
      seen.balance_transactions += 1
      await lines.next()
    } else if (moved !== undefined) {
      const found = 'no balance transaction of it'
      throw journalProblem(row, `a balance transaction of ${words(moved)}`, found)
    }
    addTo(seen.inter_account, walk.postings, 'inter_account')
    addTo(seen.in_transit, walk.postings, 'in_transit')
    seen.journals += 1
    tick()
    await journals.next()
  }
  if (lines.row?.account_id === account_id) throw orphanLine(lines.row)
  walk.matchHeads(book)
  seen.accounts += 1
  seen.balances += book.currencies?.length ?? 0
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
  /** Of the journal stepped to last. */
  postings: readonly Posting[] = []
  number = 0n
  hash = EMPTY_HASH
  created_at: Instant = ''

  constructor(account_id: string, currencies: ReadonlySet<string>) {
    this.account_id = account_id
    this.balances = new Map([...currencies].map(currency => [currency, 0n]))
  }

  /** Checks the next journal; returns its movement of `available`, if any. */
  step(row: JournalRow): Posting | undefined {
    const expected = this.number + 1n
    if (row.number !== expected) {
      throw journalProblem({ ...row, number: expected }, 'the next journal', `number ${row.number}`)
    }
    if (row.created_at < this.created_at) {
      throw journalProblem(row, `a time not before ${this.created_at}`, row.created_at)
    }
    const postings = checkPostings(row)
    const hash = hashJournal(this.hash, { ...row, postings })
    if (hash !== row.hash) throw journalProblem(row, `hash ${hash}`, row.hash)
    const [moved, ...more] = postings.filter(posting => posting.code === 'available')
    if (more.length > 0) throw journalProblem(row, 'one posting on available', words(...postings))
    if (moved !== undefined) {
      const before = this.balances.get(moved.currency)
      if (before === undefined) {
        throw balanceProblem(row.account_id, moved.currency, 'a row', 'none')
      }
      const after = before + moved.amount
      if (after < 0n) {
        throw journalProblem(row, 'a balance of zero or more', `${after} ${moved.currency}`)
      }
      this.balances.set(moved.currency, after)
    }
    this.postings = postings
    this.number = row.number
    this.hash = hash
    this.created_at = row.created_at
    return moved
  }

  /** The line must say what the journal did, and the balance it left. */
  matchLine(row: JournalRow, moved: Posting | undefined, line: LineRow): void {
    const wrong = (expected: string, found: string) => lineProblem(line, expected, found)
    if (moved === undefined || LINE_TYPES[row.kind] === null) {
      throw wrong(`a journal that moves available`, `journal ${row.number}, a ${row.kind}`)
    }
    const sum = line.amount + line.fixed_fee + line.variable_fee
    const after = this.balances.get(moved.currency)
    const facts: [name: string, expected: unknown, found: unknown][] = [
      ['type', LINE_TYPES[row.kind], line.type],
      ['operation_type', moved.amount > 0n ? 'credit' : 'debit', line.operation_type],
      ['currency', moved.currency, line.currency],
      ['net_amount', moved.amount, line.net_amount],
      ['net_amount as amount and fees', sum, line.net_amount],
      ['balance_after', after, line.balance_after],
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
  matchHeads(book: BookRow): void {
    if (book.journal_count !== this.number) {
      // A missing last journal is named as such; a count too low, by the book's row.
      if ((book.journal_count ?? 0n) > this.number) {
        const missing = { account_id: this.account_id, number: this.number + 1n }
        throw journalProblem(missing, `${book.journal_count} journals`, `${this.number}`)
      }
      throw bookProblem(book, `journal_count ${this.number}`, String(book.journal_count))
    }
    if (book.head_hash !== this.hash) {
      throw bookProblem(book, `head_hash ${this.hash}`, String(book.head_hash))
    }
    for (const [i, currency] of (book.currencies ?? []).entries()) {
      const [expected, found] = [String(this.balances.get(currency)), book.available?.[i] ?? '']
      if (expected !== found) {
        throw balanceProblem(this.account_id, currency, `available ${expected}`, found)
      }
    }
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

/** Undefined when the three lists do not fit each other. */
export function readPostings(columns: PostingColumns): Posting[] | undefined {
  const codes = columns.codes.split(' ')
  const currencies = columns.currencies.split(' ')
  const amounts = columns.amounts.split(' ')
  if (codes.length !== currencies.length || codes.length !== amounts.length) return undefined
  if (columns.amounts === '') return undefined
  return codes.map(
    (code, i): Posting => ({
      code: code as LedgerCode,
      currency: currencies[i] ?? '',
      amount: BigInt(amounts[i] ?? 0),
    }),
  )
}

/** Postings for people, and for comparing. */
export function words(...postings: readonly Posting[]): string {
  return postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`).join(', ')
}

function addTo(sums: Map<string, bigint>, postings: readonly Posting[], code: LedgerCode): void {
  for (const posting of postings) {
    if (posting.code !== code) continue
    sums.set(posting.currency, (sums.get(posting.currency) ?? 0n) + posting.amount)
  }
}

/**
 * Rows of accounts that sort before the book in hand belong to no book; undefined is after the
 * last.
 */
function refuseRowsBefore(
  account_id: string | undefined,
  { row: journal }: RowStream<JournalRow>,
  { row: line }: RowStream<LineRow>,
): void {
  const early = (row: { account_id: string } | undefined) =>
    row !== undefined && (account_id === undefined || row.account_id < account_id)
  if (journal !== undefined && early(journal)) {
    throw journalProblem(journal, 'a book of this account', 'none')
  }
  if (line !== undefined && early(line)) throw lineProblem(line, 'a book of this account', 'none')
}

function orphanLine(line: LineRow): BadRow {
  const found = `journal ${line.journal_number}, which is missing or has another line`
  return lineProblem(line, 'a journal of its own', found)
}

function journalProblem(
  { account_id, number }: { account_id: string; number: bigint },
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'journals', account_id, key: `number ${number}`, expected, found })
}

function lineProblem(line: LineRow, expected: string, found: string): BadRow {
  const { account_id, id: key } = line
  return new BadRow({ table: 'balance_transactions', account_id, key, expected, found })
}

function bookProblem({ account_id }: BookRow, expected: string, found: string): BadRow {
  return new BadRow({ table: 'books', account_id, key: '', expected, found })
}

function balanceProblem(
  account_id: string,
  currency: string,
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'balances', account_id, key: currency, expected, found })
}
