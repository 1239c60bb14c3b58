// A balance transaction: one line of a statement, and the journal behind it.
import type { Instant } from '../instant.ts'
import type { Journal } from '../ledger/rules.ts'
import type { Decimal } from '../money/decimal.ts'

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
