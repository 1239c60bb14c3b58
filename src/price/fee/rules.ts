// The fee schedule: which row applies to a payout and what it costs. Pure.

import type { Instant } from '../../instant.ts'
import { currencyExponent } from '../../money/currency.ts'
import { basisPoints } from '../../money/decimal.ts'
import {
  convertAtMid,
  type RateBook,
  type RatePolicy,
  type Step,
  stepsBetween,
} from '../rate/rules.ts'

/**
 * One row of the schedule. A null among the matching columns means "any"; amounts are minor units.
 */
export interface Fee {
  readonly payout_type: string
  readonly payout_currency: string | null
  readonly destination_country: string | null
  readonly network: string | null
  readonly charge_type: string | null
  readonly fixed_amount: bigint
  /** Of fixed_amount, minimum_amount and maximum_amount. */
  readonly fee_currency: string
  readonly variable_bps: number
  /** Bounds of the variable part. */
  readonly minimum_amount: bigint | null
  readonly maximum_amount: bigint | null
  /** Whether it came with the product: sandboxes alone are priced by it. */
  readonly sample: boolean
}

/** What names a row: no two have the same. */
export type FeeKey = Pick<Fee, 'payout_type' | (typeof OPTIONAL_COLUMNS)[number]>

/** What is being priced; '' where the request does not say. */
export interface FeeSubject {
  readonly payout_type: string
  readonly payout_currency: string
  readonly destination_country: string
  readonly network: string
  readonly charge_type: string
}

/** In minor units of the holding currency. */
export interface FeeAmounts {
  readonly fixed: bigint
  readonly variable: bigint
}

const OPTIONAL_COLUMNS = [
  'payout_currency',
  'destination_country',
  'network',
  'charge_type',
] as const

/**
 * The most specific row that matches: the one with most columns set; among equals, the one that
 * sets the earlier column (§fee.row). A sample gives way to every row of the
 * operator's. Undefined when none matches.
 */
export function selectFee(fees: readonly Fee[], subject: FeeSubject): Fee | undefined {
  let best: Fee | undefined
  let bestRank = -1
  for (const fee of fees) {
    if (!matches(fee, subject)) continue
    const rank = specificity(fee)
    if (rank > bestRank) {
      best = fee
      bestRank = rank
    }
  }
  return best
}

/** Whether a row is for payouts such as this to some country, which the subject does not say. */
export function dependsOnCountry(fees: readonly Fee[], subject: FeeSubject): boolean {
  return fees.some(
    fee =>
      fee.destination_country !== null && matches({ ...fee, destination_country: null }, subject),
  )
}

function matches(fee: Fee, subject: FeeSubject): boolean {
  const fits = (column: (typeof OPTIONAL_COLUMNS)[number]) => {
    const wanted = fee[column]
    // Requests name networks in any letter case, and all of them cost the same.
    return wanted === null || wanted.toLowerCase() === subject[column].toLowerCase()
  }
  return fee.payout_type === subject.payout_type && OPTIONAL_COLUMNS.every(fits)
}

/** Higher is more specific: 16 for each column set, and among as many 8, 4, 2, 1 by their order. */
function specificity(fee: Fee): number {
  // All columns set come to 79.
  let rank = fee.sample ? 0 : 80
  for (const [i, column] of OPTIONAL_COLUMNS.entries()) {
    if (fee[column] !== null) rank += 16 + (8 >> i)
  }
  return rank
}

/**
 * The fees in the holding currency. The fixed part is converted at mid from its named currency; the
 * variable part is basis points of the holding amount, held between minimum and maximum. Each is
 * rounded once. Refuses like a rate when the named currency cannot be converted.
 */
export function feeAmounts(
  fee: Fee | undefined,
  holding: { readonly currency: string; readonly amount: bigint },
  rates: RateBook,
  policy: RatePolicy,
  now: Instant,
): FeeAmounts {
  if (fee === undefined) return { fixed: 0n, variable: 0n }
  const from = { currency: fee.fee_currency, exponent: currencyExponent(fee.fee_currency) }
  const to = { currency: holding.currency, exponent: currencyExponent(holding.currency) }
  const inHolding = (amount: bigint) => convertAtMid(rates, policy, amount, from, to, now)
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
 * The rows of the rate book that `feeAmounts` converts by: none when the fee is named in this
 * currency, or when all that it names is nothing, which needs no rate.
 */
export function feeSteps(fee: Fee, currency: string, rates: RateBook): readonly Step[] {
  const { fixed_amount, minimum_amount, maximum_amount } = fee
  const isConverted = [fixed_amount, minimum_amount ?? 0n, maximum_amount ?? 0n].some(a => a !== 0n)
  return isConverted ? (stepsBetween(rates, fee.fee_currency, currency) ?? []) : []
}
