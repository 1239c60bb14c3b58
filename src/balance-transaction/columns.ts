// The columns of balance transactions, and the digest of a line that the event of it carries.
import { formatDecimal } from '../money/decimal.ts'
import { sealOf } from '../seal.ts'
import type { BalanceTransaction, FxConversion } from './rules.ts'

export type StoredConversion = {
  exchange_rate: string
  initial: { amount: string; currency: string }
  final: { amount: string; currency: string }
}

/** A line as the database has it. */
export type LineRow = Omit<BalanceTransaction, 'fx_conversions'> & {
  fx_conversions: StoredConversion[]
}

export const LINE_KINDS = {
  account_id: 'text',
  id: 'text',
  journal_number: 'bigint',
  type: 'text',
  operation_type: 'text',
  currency: 'text',
  amount: 'bigint',
  fixed_fee: 'bigint',
  variable_fee: 'bigint',
  net_amount: 'bigint',
  balance_after: 'bigint',
  fx_conversions: 'exact_json',
  description: 'text',
  source: 'text',
  metadata: 'json',
  created_at: 'timestamptz',
} as const

const SEAL = sealOf<LineRow>(LINE_KINDS)

export const LINE_SEAL = {
  sql: SEAL.sql,
  digest: (line: BalanceTransaction) => SEAL.digest(rowOf(line)),
}

export function rowOf(line: BalanceTransaction): LineRow {
  return { ...line, fx_conversions: line.fx_conversions.map(storedConversion) }
}

function storedConversion({ exchange_rate, initial, final }: FxConversion): StoredConversion {
  return {
    exchange_rate: formatDecimal(exchange_rate),
    initial: { ...initial, amount: initial.amount.toString() },
    final: { ...final, amount: final.amount.toString() },
  }
}
