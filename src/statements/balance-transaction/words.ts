// Names the types of lines for people. Pure.
import type { BalanceTransactionType } from './balance-transaction.ts'

const always = (words: string) => () => words

/** By the type of a line, and whether it is a credit. */
export const LINE_WORDS: Readonly<Record<BalanceTransactionType, (is_credit: boolean) => string>> =
  {
    escrow: is_credit => (is_credit ? 'Money added' : 'Money taken back'),
    payout: is_credit => (is_credit ? 'From another account' : 'Payout'),
    payout_failure: always('Payout failed, money back'),
    payout_reversal: always('Payout returned, money back'),
    withdrawal: always('Withdrawal'),
    adjustment: always('Adjustment'),
    escrow_reversal: always('Added money taken back'),
    withdrawal_reversal: always('Withdrawal given back'),
    adjustment_reversal: always('Adjustment taken back'),
    conversion_out: always('Converted into another currency'),
    conversion_in: always('Converted from another currency'),
  }
