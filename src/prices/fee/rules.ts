// The fee schedule: the row that applies to a payout, and the fees of the row. Pure.
import type { Instant } from '../../values/instant.ts'
import { basisPoints } from '../../values/money/decimal.ts'
import {
  convertAtMid,
  type QuotedRates,
  type RateBook,
  type Ways,
  waysBetween,
} from '../rate/rules.ts'

/** A row of the fee schedule. Null in a matching column means "any". Amounts are minor units. */
export interface Fee {
  readonly payout_type: string
  readonly payout_currency: string | null
  readonly destination_country: string | null
  readonly network: string | null
  readonly charge_type: string | null
  readonly fixed_amount: bigint
  /** The currency of fixed_amount, minimum_amount and maximum_amount. */
  readonly fee_currency: string
  readonly variable_bps: number
  /** The bounds of the variable fee; null for none. */
  readonly minimum_amount: bigint | null
  readonly maximum_amount: bigint | null
  /** Whether the row came with the product. A sample prices only sandboxes. */
  readonly sample: boolean
}

export type FeeKey = Pick<Fee, 'payout_type' | (typeof OPTIONAL_COLUMNS)[number]>

/** The payout that a row must match; '' means "not set". */
export interface FeeSubject {
  readonly payout_type: string
  readonly payout_currency: string
  readonly destination_country: string
  readonly network: string
  readonly charge_type: string
}

const OPTIONAL_COLUMNS = [
  'payout_currency',
  'destination_country',
  'network',
  'charge_type',
] as const

/**
 * The most specific matching row; undefined for none. More set columns win. Of rows with equally
 * many, the earlier column wins (§fee.row). Any row of the operator wins over a sample.
 */
export function selectFee(fees: readonly Fee[], subject: FeeSubject): Fee | undefined {
  let best: Fee | undefined
  for (const fee of fees) {
    if (!matches(fee, subject)) continue
    if (best === undefined || specificity(fee) > specificity(best)) best = fee
  }
  return best
}

function matches(fee: Fee, subject: FeeSubject): boolean {
  if (fee.payout_type !== subject.payout_type) return false
  for (const column of OPTIONAL_COLUMNS) {
    const wanted = fee[column]
    // A request may name a network in any letter case, at the same fee.
    if (wanted !== null && wanted.toLowerCase() !== subject[column].toLowerCase()) return false
  }
  return true
}

/**
 * A row's rank, higher for a more specific one: 16 a set column, plus 8, 4, 2 or 1 by its order.
 */
function specificity(fee: Fee): number {
  // The four columns give at most 79, so 80 puts every row of the operator before a sample.
  let rank = fee.sample ? 0 : 80
  for (const [i, column] of OPTIONAL_COLUMNS.entries()) {
    if (fee[column] !== null) rank += 16 + (8 >> i)
  }
  return rank
}

/**
 * The fees in minor units of the holding currency, each rounded up once. The fixed fee is converted
 * at mid from the fee currency. The variable fee is basis points of the holding amount, raised to
 * the minimum and lowered to the maximum. Refuses as `convertAtMid` does.
 */
export function feeAmounts(
  fee: Fee | undefined,
  holding: { readonly currency: string; readonly amount: bigint },
  pricing: QuotedRates,
  now: Instant,
): { readonly fixed: bigint; readonly variable: bigint } {
  if (fee === undefined) return { fixed: 0n, variable: 0n }
  const inHolding = (amount: bigint) =>
    convertAtMid(pricing, amount, fee.fee_currency, holding.currency, now)
  let variable = basisPoints(holding.amount, fee.variable_bps)
  if (fee.minimum_amount !== null) {
    const minimum = inHolding(fee.minimum_amount)
    if (variable < minimum) variable = minimum
  }
  if (fee.maximum_amount !== null) {
    const maximum = inHolding(fee.maximum_amount)
    if (variable > maximum) variable = maximum
  }
  return { fixed: inHolding(fee.fixed_amount), variable }
}

/**
 * The ways by which `feeAmounts` converts into this currency: no steps for a fee in the same
 * currency, or with amounts of zero only.
 */
export function feeWays(fee: Fee, currency: string, rates: RateBook): Ways {
  const { fixed_amount, minimum_amount, maximum_amount } = fee
  const isConverted = [fixed_amount, minimum_amount ?? 0n, maximum_amount ?? 0n].some(a => a !== 0n)
  const ways = isConverted ? waysBetween(rates, fee.fee_currency, currency, 'most') : undefined
  return ways ?? { decides: [], other: [] }
}
