// A statement: the lines of one account in a period, between opening and closing balances. Also the
// interface of its file formats. Pure.
import type { Moment } from '../../../sql/order.ts'
import type { Filters } from '../../../sql/page.ts'
import { hashJson } from '../../../values/digest.ts'
import type { Instant } from '../../../values/instant.ts'
import type { BalanceTransaction } from '../balance-transaction.ts'

/** The wanted lines of a statement. `filters` are the filters of lists. */
export interface StatementWanted {
  readonly account_id: string
  /** The time zone of its days. */
  readonly zone: string
  readonly above: Moment
  readonly below: Moment
  readonly filters: Filters
}

/** One currency's balances at both ends of the period: minor units, from the ledger. */
export interface StatementBalances {
  readonly currency: string
  readonly opening: bigint
  readonly closing: bigint
}

export interface Statement extends StatementWanted {
  /** The numbers of the statement's first journal, and of the first journal after it. */
  readonly first: string
  readonly end: string
  /** When it was taken, by the account's clock. */
  readonly created_at: Instant
  /** Inclusive; null for the account's beginning. */
  readonly from: Instant | null
  /** Exclusive, and never later than `created_at`. */
  readonly to: Instant
  /**
   * Whether its last day was not over when it was taken: a later statement of the same days may
   * have more lines.
   */
  readonly interim: boolean
  /** By currency code; empty when the account holds none of the currencies. */
  readonly balances: readonly StatementBalances[]
  /** Whether no filter leaves out a line, so that the lines lead from balance to balance. */
  readonly complete: boolean
}

/** A line with members of its payout or booking; '' is "not set". */
export interface BookedLine extends BalanceTransaction {
  readonly reference_id: string
  readonly transaction_description: string
  /** Of SWIFT payouts alone. */
  readonly uetr: string
  readonly payee_name: string
  /** The IBAN, account number, wallet address or key that the payout went to. */
  readonly payee_account: string
  readonly payee_bic: string
  readonly purpose: string
  /** The reference on the payee's invoice. */
  readonly creditor_reference: string
}

/** Both sums are in minor units, positive or zero. */
export interface Totals {
  readonly count: number
  readonly credits: bigint
  readonly debits: bigint
}

export const NO_LINES: Totals = { count: 0, credits: 0n, debits: 0n }

/** Why there is no statement: the books do not add up, or the format cannot hold the figures. */
export class StatementFault extends Error {
  override readonly name: string = 'StatementFault'
}

/** The books are in order, but the format cannot hold the figures. Another format can. */
export class FormatTooNarrow extends StatementFault {
  override readonly name = 'FormatTooNarrow'
}

/** Writes one statement in one format. It gets the lines in the order of the book. */
export interface StatementWriter {
  /** True: each currency is opened, listed and closed in turn. False: all are listed together. */
  readonly by_currency: boolean
  readonly begin: string
  open(balances: StatementBalances): string
  line(line: BookedLine): string
  close(balances: StatementBalances): string
  end(): string
}

export type MakesWriter = (statement: Statement) => StatementWriter

/** What a line's amount became, or what it was before: the side in another currency. */
export function otherSide({ currency, fx_conversions }: BalanceTransaction) {
  const last = fx_conversions.at(-1)
  return last?.final.currency === currency ? last.initial : last?.final
}

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** Tells statements of different accounts, currencies or periods apart: 64 hex digits. */
export function statementKey({ account_id, from, to }: Statement, currency: string): string {
  return hashJson([account_id, currency, from, to])
}

/** The first `length` characters, without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('')
}
