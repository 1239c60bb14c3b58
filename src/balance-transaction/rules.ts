// Balance transactions: the lines of a customer's statement, each made together with the journal
// that moves the balance. Pure.
import { type Event, recordEvent } from '../event/rules.ts'
import { numberedId } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, type Journal, type JournalDraft, postJournal } from '../ledger/rules.ts'
import type { Decimal } from '../money/decimal.ts'
import { LINE_SEAL } from './columns.ts'

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

export type StatementLine = Pick<
  BalanceTransaction,
  | 'type'
  | 'currency'
  | 'amount'
  | 'fixed_fee'
  | 'variable_fee'
  | 'fx_conversions'
  | 'description'
  | 'source'
> & {
  /** Of what the operator books: the bank's reference, the reason, and by whom. */
  readonly metadata?: BalanceTransaction['metadata']
}

/** A journal and the statement line it causes; they stand or fall together. */
export interface Entry {
  readonly journal: Journal
  readonly line: BalanceTransaction
}

/**
 * Posts the journal and writes its line. The journal must move `available` by exactly the line's
 * net amount in the line's currency; anything else is a fault of ours and throws.
 */
export function postEntry(book: Book, draft: JournalDraft, line: StatementLine): Entry {
  const net_amount = line.amount + line.fixed_fee + line.variable_fee
  const [moved, ...others] = draft.postings.filter(posting => posting.code === 'available')
  const isOne = moved !== undefined && others.length === 0
  if (!isOne || moved.currency !== line.currency || moved.amount !== net_amount) {
    throw new Error(`a ${line.type} line that does not match its journal`)
  }
  const journal = postJournal(book, draft)
  return {
    journal,
    line: {
      ...line,
      account_id: book.account_id,
      id: numberedId('btr', journal, journal.number),
      journal_number: journal.number,
      operation_type: net_amount > 0n ? 'credit' : 'debit',
      net_amount,
      balance_after: book.balances.get(line.currency) as bigint,
      metadata: line.metadata ?? {},
      created_at: book.now,
    },
  }
}

/** The event of a line, in the book that it is of. */
export function recordLine(book: Book, line: BalanceTransaction): Event {
  const content = LINE_SEAL.digest(line)
  const facts = { type: 'balance_transaction.created', object_id: line.id, data: {}, content }
  return recordEvent(book, facts)
}
