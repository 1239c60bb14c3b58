// What a statement is: the lines of one account in a period, between the balances they lead from
// and to. Pure; it knows no file format, and checks that opening balance + lines = closing balance.
import type { Moment } from '../db/order.ts'
import type { Instant } from '../instant.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import type { BalanceTransaction } from './balance-transaction.ts'

/** Which lines are wanted; `filters` as lists have them. */
export interface StatementWanted {
  readonly account_id: string
  readonly above: Moment
  readonly below: Moment
  readonly filters: Readonly<Record<string, string>>
}

/** One currency's balances at both ends of the period, minor units, from the ledger's history. */
export interface StatementBalances {
  readonly currency: string
  readonly opening: bigint
  readonly closing: bigint
}

export interface Statement extends StatementWanted {
  /** The numbers of its first journal and of the first after its last. */
  readonly first: string
  readonly end: string
  /** The account's time at which it was taken. */
  readonly created_at: Instant
  /** Inclusive; null from the account's beginning. */
  readonly from: Instant | null
  /** Exclusive, and never later than `created_at`. */
  readonly to: Instant
  /** In order of the code; empty when the account holds none of what is wanted. */
  readonly balances: readonly StatementBalances[]
  /** Every line between the balances is wanted, so that they add up. */
  readonly complete: boolean
}

/** A line with what its payout says of it; '' for what is not set, and without a payout. */
export interface BookedLine extends BalanceTransaction {
  readonly reference_id: string
  readonly transaction_description: string
  /** Of payouts by SWIFT. */
  readonly uetr: string
}

/** Minor units, both positive or zero. */
export interface Totals {
  readonly count: number
  readonly credits: bigint
  readonly debits: bigint
}

export const NO_LINES: Totals = { count: 0, credits: 0n, debits: 0n }

/** The books do not add up, or a format has no room for what they hold: there is no statement. */
export class StatementFault extends Error {
  override readonly name = 'StatementFault'
}

/**
 * Follows the lines of a statement as they pass: each must lead from the balance before it to its
 * own, the last to the closing balance. Throws a StatementFault at the first that does not.
 */
export class StatementCheck {
  readonly #complete: boolean
  readonly #running: Map<string, bigint>
  readonly #totals = new Map<string, Totals>()

  constructor({ complete, balances }: Pick<Statement, 'complete' | 'balances'>) {
    this.#complete = complete
    this.#running = new Map(balances.map(({ currency, opening }) => [currency, opening]))
  }

  pass({ id, currency, net_amount, balance_after }: BookedLine): void {
    const { count, credits, debits } = this.totalsOf(currency)
    this.#totals.set(currency, {
      count: count + 1,
      credits: net_amount > 0n ? credits + net_amount : credits,
      debits: net_amount < 0n ? debits - net_amount : debits,
    })
    if (!this.#complete) return
    const running = (this.#running.get(currency) ?? 0n) + net_amount
    if (running !== balance_after)
      throw mismatch(`after line ${id}`, currency, running, balance_after)
    this.#running.set(currency, running)
  }

  /** At the end of a currency's lines; `expected` are totals counted in another way. */
  finish({ currency, closing }: StatementBalances, expected?: Totals): void {
    const running = this.#running.get(currency) ?? 0n
    if (this.#complete && running !== closing) {
      throw mismatch('at the end', currency, running, closing)
    }
    const found = this.totalsOf(currency)
    if (expected === undefined) return
    const names = ['count', 'credits', 'debits'] as const
    if (names.every(name => found[name] === expected[name])) return
    const words = ({ count, credits, debits }: Totals) => `${count} lines, +${credits}, -${debits}`
    throw new StatementFault(
      `the ${currency} lines do not add up: ${words(found)} passed, ${words(expected)} counted`,
    )
  }

  /** Of the lines passed so far. */
  totalsOf(currency: string): Totals {
    return this.#totals.get(currency) ?? NO_LINES
  }
}

function mismatch(where: string, currency: string, expected: bigint, found: bigint) {
  const words = (amount: bigint) => formatMajor(amount, currencyExponent(currency))
  return new StatementFault(
    `the ${currency} balance ${where} is ${words(found)}, ` +
      `and the lines lead to ${words(expected)}; see corridor verify`,
  )
}

/** How one format is written. `line` comes in the order of the book, texts in the order called. */
export interface StatementWriter {
  /** One currency after the other, each opened and closed around its lines; else all together. */
  readonly by_currency: boolean
  begin(statement: Statement): string
  open(balances: StatementBalances): string
  line(line: BookedLine): string
  close(balances: StatementBalances): string
  end(): string
}

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** `2026-11-21` of the last instant before `to`. */
export function lastDate(to: Instant): string {
  if (!to.endsWith('T00:00:00.000000Z')) return to.slice(0, 10)
  return new Date(Date.parse(to.slice(0, 10)) - 86_400_000).toISOString().slice(0, 10)
}

/** The first so many characters, never half of one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('')
}
