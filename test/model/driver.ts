// The service on the other side of the model: sends what a command asks for, holds the answer against
// what the model says of it, and after every step the books against the six invariants and the model's
// balances, payouts and quotes.

import assert from 'node:assert/strict'
import { Lane } from '../../src/engine/lane.ts'
import { recorded } from '../../src/ledger/audit/recorded.ts'
import { bookingAct } from '../../src/operator/funding.ts'
import type { Sql } from '../../src/sql/connect.ts'
import {
  type BookingState,
  bookMoney,
  type ReversalState,
  reverseBooking,
} from '../../src/statements/funding/operations.ts'
import type {
  BookingOutcome,
  Booking as FundingBooking,
  Reversal,
} from '../../src/statements/funding/rules.ts'
import type { Refusal } from '../../src/values/errors.ts'
import { newId } from '../../src/values/id.ts'
import { verify } from '../../src/verify/run.ts'
import type { Answer, Client, TestService } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'
import { Books } from './books.ts'
import { type Rates, type Refused, totalOf } from './price.ts'
import type { ByHand, Real } from './step.ts'
import {
  accountOf,
  type Booking,
  judge,
  judgeHand,
  keep,
  quoteStatus,
  type Request,
  settle,
  shownQuote,
  type Verdict,
  type World,
} from './world.ts'

/** A service, and a connection to its database for the eyes of the test alone. */
export interface Place {
  readonly service: TestService
  readonly sql: Sql
}

/** How often each answer was given, by request and outcome. */
export type Tally = Map<string, number>

export class Driver implements Real {
  readonly #service: TestService
  readonly #clients: readonly Client[]
  readonly #ids: readonly string[]
  readonly #sql: Sql
  readonly #books: Books
  readonly #tally: Tally
  readonly #booking: Lane<FundingBooking, BookingState, BookingOutcome>
  readonly #reversing: Lane<Reversal, ReversalState, BookingOutcome>
  /** What was done and how it was to end, for whoever must understand a failure. */
  readonly transcript: string[] = []

  constructor(place: Place, clients: readonly Client[], tally: Tally) {
    this.#service = place.service
    this.#sql = place.sql
    this.#clients = clients
    this.#ids = clients.map(({ account }) => account.account_id)
    this.#books = new Books(place.sql, this.#ids)
    this.#tally = tally
    const { sql } = place.service.deps
    const acts = (made: readonly BookingOutcome[]) => made.map(bookingAct)
    this.#booking = new Lane(sql, recorded(bookMoney, acts), { max_batch: 1 })
    this.#reversing = new Lane(sql, recorded(reverseBooking, acts), { max_batch: 1 })
  }

  /** Of accounts that have been opened and funded, and nothing else. */
  async start(world: World): Promise<void> {
    await this.#service.setRates(world.rates)
    await this.#check(world, true)
  }

  async post(world: World, request: Request, text?: string): Promise<void> {
    const { account, path, body, key } = request
    const verdict = judge(world, request)
    const outcome = outcomeOf(verdict)
    this.#tell(kindOf(path), outcome, `#${account} ${path} ${text ?? JSON.stringify(body)} ${key}`)
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
    const answer = await this.#client(account).post(path, text ?? body, headers)
    assertAnswer(answer, verdict)
    if ('expects' in verdict) {
      verdict.apply(answer.json)
      keep(world, request, answer.status, answer.text)
    }
    await this.#check(world, 'expects' in verdict)
  }

  async settle(world: World): Promise<void> {
    const due = settle(world)
    this.#tell('settle', due ? 'due' : 'nothing due', '')
    await settleAll(this.#service)
    await this.#check(world, due)
  }

  async book(world: World, { kind, account, currency, amount }: ByHand): Promise<void> {
    const account_id = this.#ids[account] ?? ''
    const source = newId(kind === 'funding' ? 'esc' : kind === 'withdrawal' ? 'wdr' : 'adj')
    const words = { reference: newId('req'), reason: 'By hand', by: 'model' }
    const refused = judgeHand(world, account, currency, amount)
    const id = await this.#byHand(kind, refused, () =>
      this.#booking.run({ kind, account_id, currency, amount, source, ...words }),
    )
    if (refused === null) world.bookings.push({ account, id, currency, amount, reversed: false })
    await this.#check(world, refused === null)
  }

  async takeBack(world: World, booking: Booking): Promise<void> {
    const { account, id, currency, amount } = booking
    const account_id = this.#ids[account] ?? ''
    const refused = booking.reversed
      ? 'already_reversed'
      : judgeHand(world, account, currency, -amount)
    await this.#byHand('take back', refused, () =>
      this.#reversing.run({ account_id, id, reason: 'By hand', by: 'model' }),
    )
    if (refused === null) booking.reversed = true
    await this.#check(world, refused === null)
  }

  /** The id of the line that was written; '' when the model says that it is refused, for this. */
  async #byHand(what: string, refused: string | null, run: () => Promise<BookingOutcome>) {
    this.#tell(`by hand, ${what}`, refused ?? 'done', '')
    if (refused === null) return (await run()).entries[0].line.id
    await assert.rejects(run, (error: Refusal) => error.problems[0]?.reason === refused)
    return ''
  }

  async setRates(world: World, rates: Rates): Promise<void> {
    this.#tell('rates', 'set', JSON.stringify(rates))
    world.rates = rates
    await this.#service.setRates(rates)
  }

  /** What the account sees: its balances, a payout and a quote; reading writes nothing. */
  async read(world: World, index: number, pick: number): Promise<void> {
    this.#tell('read', 'done', `#${index}`)
    const client = this.#client(index)
    const of = <T extends { readonly account: number }>(all: readonly T[]): T | undefined => {
      const mine = all.filter(({ account }) => account === index)
      return mine[pick % Math.max(1, mine.length)]
    }
    const { currencies, balances } = accountOf(world, index)
    const available = currencies.toSorted().map(currency => ({
      currency,
      amount: String(balances.get(currency) ?? 0n),
    }))
    const { data } = await read(client, '/v3/balance')
    assert.deepEqual({ ...data, updated_at: '' }, { object: 'balance', available, updated_at: '' })
    const payout = of(world.payouts)
    if (payout !== undefined) {
      const { data } = await read(client, `/v3/payout/${payout.id}`)
      assert.deepEqual([data.status, data.quote], [payout.status, payout.quote])
      assert.equal(data.balance_transaction, payout.debit)
    }
    const quote = of(world.quotes)
    if (quote !== undefined) {
      const shown = { ...shownQuote(quote.terms, quote.price), status: quoteStatus(world, quote) }
      assert.partialDeepStrictEqual(await read(client, `/v3/payout/quote/${quote.id}`), shown)
    }
    await this.#check(world, false)
  }

  /** All that the run has written, from the first row, and by the product's own verification. */
  async finish(world: World): Promise<void> {
    for (const { status } of world.payouts) this.#count(`ended ${status}`)
    const books = new Books(this.#sql, this.#ids)
    await books.check()
    compare(world, this.#ids, books)
    // Of one of them, as that is slower than all the rest; of all, when all runs have ended.
    const account_id = this.#ids[world.payouts.length % this.#ids.length] ?? ''
    const { problem } = await verify(this.#sql, { account_id })
    assert.equal(problem, null, JSON.stringify(problem))
  }

  async #check(world: World, writes: boolean): Promise<void> {
    const written = await this.#books.check()
    assert.equal(written, writes, writes ? 'nothing was written' : 'rows were written')
    compare(world, this.#ids, this.#books)
  }

  #client(index: number): Client {
    return this.#clients[index] ?? assert.fail(`no account ${index}`)
  }

  #tell(kind: string, outcome: string, what: string): void {
    const name = `${kind}: ${outcome}`
    this.#count(name)
    this.transcript.push(`${name}  ${what}`)
  }

  #count(name: string): void {
    this.#tally.set(name, (this.#tally.get(name) ?? 0) + 1)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads any member of any answer
async function read(client: Client, path: string): Promise<any> {
  const answer = await client.get(path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** Of a path, without the id in it. */
function kindOf(path: string): string {
  return path.replace(/\/pot_\w+/, '').slice('/v3/'.length)
}

function outcomeOf(verdict: Verdict): string {
  if ('refused' in verdict) return verdict.refused[1]
  return 'kept' in verdict ? 'replayed' : 'done'
}

/** §idempotency.replay, §error.body */
function assertAnswer(answer: Answer, verdict: Verdict): void {
  if ('refused' in verdict) {
    assertRefusal(answer, verdict.refused)
    return
  }
  const replayed = 'kept' in verdict ? 'true' : undefined
  assert.equal(answer.headers['idempotent-replayed'], replayed, answer.text)
  if ('kept' in verdict) {
    assert.deepEqual([answer.status, answer.text], [verdict.kept.status, verdict.kept.text])
  } else {
    assert.equal(answer.status, 200, answer.text)
    assert.partialDeepStrictEqual(answer.json, verdict.expects)
  }
}

/** The reasons, each once, be it for several fields. */
function assertRefusal({ status, json, text }: Answer, [wanted, ...listed]: Refused): void {
  assert.equal(status, wanted, text)
  const reasons = new Set(json.errors.map((error: { reason: string }) => error.reason))
  assert.deepEqual([...reasons], listed, text)
}

/** What the rows say and what the model says, of each balance, payout and quote. */
function compare(world: World, ids: readonly string[], books: Books): void {
  for (const [index, id] of ids.entries()) {
    const { currencies, balances } = accountOf(world, index)
    for (const currency of currencies) {
      const expected = balances.get(currency) ?? 0n
      assert.equal(books.balance(id, currency), expected, `#${index} in ${currency}`)
    }
  }
  assert.equal(books.payouts.size, world.payouts.length, 'number of payouts')
  for (const { id, account, quote, debit, terms, price, status } of world.payouts) {
    const row = books.payouts.get(id) ?? assert.fail(`no payout ${id}`)
    assert.equal(row.status, status, id)
    const total = BigInt(row.holding_amount) + BigInt(row.fixed_fee) + BigInt(row.variable_fee)
    assert.ok(
      row.account_id === ids[account] &&
        row.quote_id === quote &&
        row.debit === debit &&
        row.type === terms.type &&
        row.holding_currency === terms.holding &&
        total === totalOf(price) &&
        row.destination_currency === terms.destination &&
        BigInt(row.destination_amount) === price.destination_amount,
      `payout ${JSON.stringify(row)}`,
    )
  }
  assert.equal(books.quotes, world.quotes.length, 'number of quotes')
  for (const { id, used } of world.quotes) {
    assert.equal(books.quoteStatus(id), used ? 'used' : 'active', id)
  }
}
