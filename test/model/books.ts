// The six invariants of money, held after every step over what the step has written, and over all that
// a run has written at its end: (1) each journal sums to zero in each currency, (2) a balance is the
// sum of its lines, (3) no balance is negative, (4) payouts, journals and lines belong together one to
// one, (5) the chain of hashes is whole, (6) events and changes of state are one to one. Shares no
// code with what wrote the books, nor with `corridor verify`.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Sql } from '../../src/sql/connect.ts'
import {
  type EventRow,
  type JournalRow,
  type LineRow,
  type Look,
  lookAt,
  type PayoutRow,
  START,
} from './ledger.ts'
import { type Status, TRANSITIONS } from './rail.ts'

/** One account's book, as far as it was read. */
interface Book {
  journals: number
  hash: string
  events: number
  /** Sums of lines by currency. */
  readonly balances: Map<string, bigint>
}

interface Moved {
  readonly currency: string
  readonly amount: bigint
  readonly after: bigint
  readonly journal: JournalRow
}

/** What a payout has caused so far: number of journals by kind, and what was given back. */
interface Effects {
  readonly journals: Map<string, number>
  debit: LineRow | undefined
  given_back: LineRow | undefined
  received: LineRow | undefined
  /** The status of its last event; undefined before the first. */
  told: string | undefined
}

/** The journals that a payout has in each status, and how many lines give its money back. */
const BY_RAIL: Readonly<Record<Status, readonly string[]>> = {
  processing: ['payout'],
  requires_action: ['payout'],
  compliance_hold: ['payout'],
  succeeded: ['payout', 'settlement'],
  failed: ['payout', 'failure'],
  reversed: ['payout', 'settlement', 'reversal'],
}
const TO_ACCOUNT = ['payout', 'receipt']

const LINE_TYPES: Readonly<Record<string, string>> = {
  funding: 'escrow',
  payout: 'payout',
  receipt: 'payout',
  failure: 'payout_failure',
  reversal: 'payout_reversal',
  withdrawal: 'withdrawal',
  adjustment: 'adjustment',
  funding_reversal: 'escrow_reversal',
  withdrawal_reversal: 'withdrawal_reversal',
  adjustment_reversal: 'adjustment_reversal',
}

/** Whether a journal is no payout's, but booked by the operator. */
const isBooked = (kind: string) => /^(funding|withdrawal|adjustment)(_reversal)?$/.test(kind)

export class Books {
  readonly #sql: Sql
  readonly #ids: readonly string[]
  readonly #books: Map<string, Book>
  readonly #effects = new Map<string, Effects>()
  readonly #quotes = new Map<string, string>()
  /** Sums of all books, by `code currency`. */
  readonly #positions = new Map<string, bigint>()
  #horizon = START
  readonly payouts = new Map<string, PayoutRow>()

  /** Of accounts that pay nobody but each other. */
  constructor(sql: Sql, ids: readonly string[]) {
    this.#sql = sql
    this.#ids = ids
    const empty = () => ({ journals: 0, hash: '0'.repeat(64), events: 0, balances: new Map() })
    this.#books = new Map(ids.map(id => [id, empty()]))
  }

  balance(account_id: string, currency: string): bigint {
    return this.#book(account_id).balances.get(currency) ?? 0n
  }

  quoteStatus(id: string): string | undefined {
    return this.#quotes.get(id)
  }

  get quotes(): number {
    return this.#quotes.size
  }

  /** Reads what was written since and holds it against the invariants. True when anything was. */
  async check(): Promise<boolean> {
    const look = await lookAt(this.#sql, this.#ids, this.#horizon)
    this.#horizon = look.horizon
    const moved = new Map<string, Moved>()
    for (const journal of look.journals) this.#addJournal(journal, moved)
    for (const line of look.lines) this.#addLine(line, moved)
    assert.deepEqual([...moved.keys()], [], 'a journal moves a balance and has no line')
    this.#checkHeads(look)
    const changed = this.#payoutsOf(look)
    this.#checkEvents(look)
    for (const payout of changed) this.#checkPayout(payout)
    this.#checkPositions()
    for (const quote of look.quotes) this.#quotes.set(quote.id, quote.status)
    return look.written
  }

  #book(account_id: string): Book {
    return this.#books.get(account_id) ?? assert.fail(`a row of ${account_id}`)
  }

  #effectsOf(payout_id: string): Effects {
    const known = this.#effects.get(payout_id)
    if (known !== undefined) return known
    const none = { debit: undefined, given_back: undefined, received: undefined, told: undefined }
    const effects: Effects = { journals: new Map(), ...none }
    this.#effects.set(payout_id, effects)
    return effects
  }

  /** Invariants 1 and 5, and no gap between numbers. */
  #addJournal(journal: JournalRow, moved: Map<string, Moved>): void {
    const { account_id, number, kind, source, codes, currencies } = journal
    const book = this.#book(account_id)
    const name = `journal ${number} of ${account_id}`
    book.journals += 1
    assert.equal(number, String(book.journals), `${name}: a number is missing`)
    const amounts = journal.amounts.map(BigInt)
    const sums = new Map<string, bigint>()
    for (const [i, amount] of amounts.entries()) {
      const [code = '', currency = ''] = [codes[i], currencies[i]]
      add(sums, currency, amount)
      add(this.#positions, `${code} ${currency}`, amount)
      if (code !== 'available') continue
      const name = `${account_id} ${number}`
      assert.ok(!moved.has(name), `${name}: two balances moved`)
      add(book.balances, currency, amount)
      const after = book.balances.get(currency) ?? 0n
      moved.set(name, { currency, amount, after, journal })
    }
    for (const [currency, sum] of sums) assert.equal(sum, 0n, `${name} is off in ${currency}`)
    book.hash = hashOf(book.hash, journal)
    assert.equal(journal.hash, book.hash, `${name}: the chain is broken`)
    if (isBooked(kind)) return
    const { journals } = this.#effectsOf(source)
    journals.set(kind, (journals.get(kind) ?? 0) + 1)
  }

  /** Invariant 2: a line says what its journal did, and each journal that moves money has one. */
  #addLine(line: LineRow, moved: Map<string, Moved>): void {
    const { account_id, journal_number, source } = line
    const name = `${account_id} ${journal_number}`
    const by = moved.get(name) ?? assert.fail(`line ${line.id}: no journal of its own`)
    moved.delete(name)
    const net = BigInt(line.amount) + BigInt(line.fixed_fee) + BigInt(line.variable_fee)
    assert.equal(line.net_amount, String(net), `line ${line.id}: amount and fees`)
    assert.deepEqual(
      [line.currency, net, line.balance_after, line.operation_type, line.type],
      [
        by.currency,
        by.amount,
        String(by.after),
        by.amount > 0n ? 'credit' : 'debit',
        LINE_TYPES[by.journal.kind],
      ],
      `line ${line.id} and journal ${journal_number} of ${account_id}`,
    )
    assert.ok(by.after >= 0n, `line ${line.id} leaves ${by.after}`)
    const { kind, source: cause } = by.journal
    if (isBooked(kind)) {
      if (!kind.endsWith('_reversal')) assert.equal(source, cause, `line ${line.id}`)
      return
    }
    const effects = this.#effectsOf(cause)
    const place = PLACES[kind] ?? assert.fail(kind)
    assert.equal(effects[place], undefined, `${cause}: ${place} twice`)
    effects[place] = line
  }

  /** Invariants 2, 3 and 5: what stands at the head of a book is what its rows come to. */
  #checkHeads({ books, balances }: Look): void {
    assert.equal(books.length, this.#ids.length)
    for (const { account_id, journal_count, head_hash } of books) {
      const book = this.#book(account_id)
      assert.deepEqual([journal_count, head_hash], [String(book.journals), book.hash], account_id)
    }
    for (const { account_id, currency, available } of balances) {
      const sum = this.balance(account_id, currency)
      assert.equal(available, String(sum), `balance of ${account_id} in ${currency}`)
      assert.ok(sum >= 0n, `${account_id} has ${sum} ${currency}`)
    }
  }

  /** New and changed payouts, and those that only a journal speaks of. */
  #payoutsOf(look: Look): PayoutRow[] {
    for (const payout of look.payouts) this.payouts.set(payout.id, payout)
    const touched = new Set(look.payouts.map(({ id }) => id))
    for (const { kind, source } of look.journals) if (!isBooked(kind)) touched.add(source)
    return [...touched].map(id => this.payouts.get(id) ?? assert.fail(`no payout ${id}`))
  }

  /** Invariant 4. */
  #checkPayout(payout: PayoutRow): void {
    const { id } = payout
    const { journals, debit, given_back, received, told } = this.#effectsOf(id)
    const status = payout.status as Status
    const internal = payout.type === 'service_account'
    const wanted = internal ? TO_ACCOUNT : BY_RAIL[status]
    const found = [...journals].flatMap(([kind, count]) => Array(count).fill(kind))
    assert.deepEqual(found.sort(), [...wanted].sort(), `journals of ${id}, ${status}`)
    const figures = [payout.holding_amount, payout.fixed_fee, payout.variable_fee]
    const taken = figures.map(figure => (figure === '0' ? '0' : `-${figure}`))
    assert.deepEqual(figuresOf(debit), [payout.holding_currency, ...taken], `debit of ${id}`)
    assert.equal(debit?.id, payout.debit, `debit of ${id}`)
    assert.equal(debit?.source, id, `source of the debit of ${id}`)
    const back = status === 'failed' || status === 'reversed'
    // The account that cancels late gets less of the principal: the model's balances say how much.
    const [, principal = '0'] = figuresOf(given_back) ?? []
    const less = status === 'failed' && BigInt(principal) > 0n
    const [taken_amount = '0', ...fees] = figures
    const amount = less && BigInt(principal) < BigInt(taken_amount) ? principal : taken_amount
    const given = back ? [payout.holding_currency, amount, ...fees] : undefined
    assert.deepEqual(figuresOf(given_back), given, `what ${id} gave back, ${status}`)
    if (back) assert.equal(given_back?.source, payout.debit, `what ${id} gave back`)
    const { destination_currency, destination_amount } = payout
    const receipt = internal ? [destination_currency, destination_amount, '0', '0'] : undefined
    assert.deepEqual(figuresOf(received), receipt, `receipt of ${id}`)
    assert.equal(told, status, `the last event of ${id}`)
  }

  /**
   * Invariant 6: an event for each quote, payout, line and beneficiary that came to be, and for each
   * status that a payout went through, by the table of states; and no other.
   */
  #checkEvents({ events, books, quotes, payouts, lines, beneficiaries }: Look): void {
    const wanted: string[] = [
      ...quotes.filter(({ id }) => !this.#quotes.has(id)).map(q => `payout_quote.created ${q.id}`),
      ...payouts.filter(p => !this.#isTold(p)).map(p => `payout.created ${p.id}`),
      ...lines.map(({ id }) => `balance_transaction.created ${id}`),
      ...beneficiaries.map(({ id }) => `beneficiary.created ${id}`),
    ]
    const found: string[] = []
    for (const event of events) {
      const book = this.#book(event.account_id)
      book.events += 1
      assert.equal(event.sequence, String(book.events), `${event.type}: a number is missing`)
      const isStatus = event.type.startsWith('payout.') && event.type !== 'payout.created'
      if (isStatus) this.#enter(event)
      else found.push(`${event.type} ${event.object_id}`)
      if (event.type === 'payout.created') this.#effectsOf(event.object_id).told = 'processing'
    }
    assert.deepEqual(found.sort(), wanted.sort(), 'events and what came to be')
    for (const { account_id, event_count } of books) {
      assert.equal(event_count, String(this.#book(account_id).events), `events of ${account_id}`)
    }
  }

  #isTold({ id }: PayoutRow): boolean {
    return this.#effectsOf(id).told !== undefined
  }

  #enter({ type, object_id, status }: EventRow): void {
    const effects = this.#effectsOf(object_id)
    const from = effects.told as Status | undefined
    assert.equal(type, `payout.${status}`)
    assert.ok(from !== undefined, `${type} of ${object_id} comes before its creation`)
    assert.ok(TRANSITIONS[from].includes(status ?? ''), `${object_id}: ${from} to ${status}`)
    effects.told = status ?? ''
  }

  /** Between accounts nothing is lost; what is in transit is what open payouts are to bring. */
  #checkPositions(): void {
    const open = new Map<string, bigint>()
    for (const { status, destination_currency, destination_amount } of this.payouts.values()) {
      const closed = status === 'succeeded' || status === 'failed' || status === 'reversed'
      if (!closed) add(open, destination_currency, BigInt(destination_amount))
    }
    for (const [position, sum] of this.#positions) {
      const [code, currency = ''] = position.split(' ')
      if (code === 'inter_account') assert.equal(sum, 0n, position)
      if (code === 'in_transit') assert.equal(sum, open.get(currency) ?? 0n, position)
    }
  }
}

/** Where the line of each kind of journal belongs among a payout's effects. */
const PLACES: Readonly<Record<string, 'debit' | 'given_back' | 'received'>> = {
  payout: 'debit',
  receipt: 'received',
  failure: 'given_back',
  reversal: 'given_back',
}

function figuresOf(line: LineRow | undefined): string[] | undefined {
  return line && [line.currency, line.amount, line.fixed_fee, line.variable_fee]
}

/** The recipe that ledger/rules.ts writes down: predecessor and content as one line of JSON. */
function hashOf(previous: string, journal: JournalRow): string {
  const { account_id, number, kind, source, created_at, codes, currencies, amounts } = journal
  const postings = codes.map((code, i) => `${code} ${currencies[i]} ${amounts[i]}`)
  const line = journal.line ?? []
  const content = [previous, account_id, number, kind, source, created_at, postings, ...line]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

function add(sums: Map<string, bigint>, name: string, amount: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + amount)
}
