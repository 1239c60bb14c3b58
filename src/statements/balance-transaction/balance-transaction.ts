// A balance transaction is one line of a statement. Its journal moves the balance.
import type { Journal } from '../../ledger/rules.ts'
import type { Instant } from '../../values/instant.ts'
import type { Decimal } from '../../values/money/decimal.ts'

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
  'conversion_out',
  'conversion_in',
] as const
export type BalanceTransactionType = (typeof BALANCE_TRANSACTION_TYPES)[number]

/** A conversion of `initial` to `final` at this rate. Amounts are in minor units. */
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
  /** Signed: negative for a deduction, positive for a fee given back, zero for no fee. */
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  /** The movement of the balance: amount and fees. */
  readonly net_amount: bigint
  readonly balance_after: bigint
  readonly fx_conversions: readonly FxConversion[]
  readonly description: string
  readonly source: string
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: Instant
}

/** The members of a line that do not follow from its journal. */
export type StatementLine = Pick<
  BalanceTransaction,
  'currency' | 'amount' | 'fixed_fee' | 'variable_fee' | 'fx_conversions'
> & {
  /** The id of the line that it reverses. */
  readonly undoes?: string
  /**
   * For bookings of the operator: the bank's reference, the reason, and the person who booked it.
   * For a conversion: the line of its other balance.
   */
  readonly metadata?: BalanceTransaction['metadata']
}

/** A journal and its statement line, which are one row. */
export interface Entry {
  readonly journal: Journal
  readonly line: BalanceTransaction
}
