// Balance transactions: the lines of a customer's statement, each made together with the journal
// that moves the balance. Pure.
import { type Event, recordEvent } from '../event/rules.ts'
import type { Instant } from '../instant.ts'
import { type Book, type Journal, type JournalDraft, postJournal } from '../ledger/rules.ts'
import type { Decimal } from '../money/decimal.ts'
import { conversionsText, LINE_TYPES, makeLine, metadataText } from './columns.ts'

export const BALANCE_TRANSACTION_TYPES = [
  'escrow',
  'payout',
  'payout_failure',
  'payout_reversal',
  'withdrawal',
  'adjustment',
  'escrow_reversal',
  'withdrawal_reversal',
  'adjustment_reversal',
] as const
export type BalanceTransactionType = (typeof BALANCE_TRANSACTION_TYPES)[number]

/** Whether it gives back, or takes back, what another line has moved. */
export function isReversal(type: BalanceTransactionType): boolean {
  return type === 'payout_failure' || type.endsWith('_reversal')
}

/** Amounts in minor units: `initial` was converted to `final` at this rate. */
export interface FxConversion {
  readonly exchange_rate: Decimal
  readonly initial: { readonly amount: bigint; readonly currency: string }
  readonly final: { readonly amount: bigint; readonly currency: string }
}

export interface BalanceTransaction {
  readonly account_id: string
  readonly id: string
  readonly journal_number: bigint
  readonly type: BalanceTransactionType
  readonly operation_type: 'credit' | 'debit'
  readonly currency: string
  /** Signed, without fees. */
  readonly amount: bigint
  /** Signed: negative is a deduction, positive a fee given back, zero none. */
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  /** What moved the balance: amount and fees. */
  readonly net_amount: bigint
  readonly balance_after: bigint
  readonly fx_conversions: readonly FxConversion[]
  readonly description: string
  readonly source: string
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: Instant
}

/** What of a line does not follow from its journal. */
export type StatementLine = Pick<
  BalanceTransaction,
  'currency' | 'amount' | 'fixed_fee' | 'variable_fee' | 'fx_conversions'
> & {
  /** The line that it gives or takes back. */
  readonly undoes?: string
  /** Of what the operator books: the bank's reference, the reason, and by whom. */
  readonly metadata?: BalanceTransaction['metadata']
}

/** A journal and the statement line it causes; they stand or fall together. */
export interface Entry {
  readonly journal: Journal
  readonly line: BalanceTransaction
}

/**
 * Posts the journal with its line. The journal must move `available` by exactly the line's net
 * amount in the line's currency; anything else is a fault of ours and throws.
 */
export function postEntry(book: Book, draft: JournalDraft, line: StatementLine): Entry {
  const { currency, amount, fixed_fee, variable_fee, fx_conversions, metadata = {} } = line
  const net_amount = amount + fixed_fee + variable_fee
  const [moved, ...others] = draft.postings.filter(posting => posting.code === 'available')
  const isOne = moved !== undefined && others.length === 0
  const fits = isOne && moved.currency === currency && moved.amount === net_amount
  if (LINE_TYPES[draft.kind] === null || !fits || net_amount === 0n) {
    throw new Error(`a line that does not match its ${draft.kind} journal`)
  }
  const stored = {
    ...{ currency, amount, fixed_fee, variable_fee, undoes: line.undoes ?? null },
    fx_conversions: conversionsText(fx_conversions),
    metadata: metadataText(metadata),
  }
  const journal = postJournal(book, { ...draft, line: stored })
  const balance_after = book.balances.get(currency) as bigint
  return {
    journal,
    line: makeLine({ ...journal, ...stored, balance_after }, fx_conversions, metadata),
  }
}

/** The event of a line, in the book that it is of. The journal's own hash vouches for the line. */
export function recordLine(book: Book, line: BalanceTransaction): Event {
  const facts = { type: 'balance_transaction.created', object_id: line.id, data: {} }
  return recordEvent(book, facts)
}
