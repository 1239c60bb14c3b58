// The fee schedule: which row applies to a payout, and the fees of the row. Pure.
import type { Instant } from '../../instant.ts'
import { basisPoints } from '../../money/decimal.ts'
import {
  convertAtMid,
  type QuotedRates,
  type RateBook,
  type Step,
  stepsBetween,
} from '../rate/rules.ts'

/**
 * One row of the fee schedule. A null in a matching column means "any"; amounts are in minor units.
 */
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
  /** The bounds of the variable fee. */
  readonly minimum_amount: bigint | null
  readonly maximum_amount: bigint | null
  /** Whether the row came with the product: a sample prices sandboxes alone. */
  readonly sample: boolean
}

/** The matching columns, which identify a row. */
export type FeeKey = Pick<Fee, 'payout_type' | (typeof OPTIONAL_COLUMNS)[number]>

/** The payout that a row must match; '' is "not set". */
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
 * The most specific row that matches: the one with the most columns set; among equals, the one that
 * sets the earlier column (§fee.row). Any row of the operator comes before a sample. Undefined when
 * none matches.
 */
export function selectFee(fees: readonly Fee[], subject: FeeSubject): Fee | undefined {
  const matching = fees.filter(fee => matches(fee, subject))
  return matching.toSorted((a, b) => specificity(b) - specificity(a))[0]
}

/** Whether the fee of the subject depends on its country. */
export function dependsOnCountry(fees: readonly Fee[], subject: FeeSubject): boolean {
  return fees.some(
    fee =>
      fee.destination_country !== null && matches({ ...fee, destination_country: null }, subject),
  )
}

function matches(fee: Fee, subject: FeeSubject): boolean {
  const fits = (column: (typeof OPTIONAL_COLUMNS)[number]) => {
    const wanted = fee[column]
    // Requests name networks in any letter case, at the same fee.
    return wanted === null || wanted.toLowerCase() === subject[column].toLowerCase()
  }
  return fee.payout_type === subject.payout_type && OPTIONAL_COLUMNS.every(fits)
}

/** Higher is more specific: 16 for each column set, plus 8, 4, 2 or 1 by its order. */
function specificity(fee: Fee): number {
  // The four columns and their order make at most 79, so 80 puts every row before a sample.
  let rank = fee.sample ? 0 : 80
  for (const [i, column] of OPTIONAL_COLUMNS.entries()) {
    if (fee[column] !== null) rank += 16 + (8 >> i)
  }
  return rank
}

/**
 * The fees in the holding currency, each rounded once. The fixed fee is converted at mid from the
 * fee currency; the variable fee is basis points of the holding amount, within minimum and maximum.
 * Refuses like `convertAtMid`.
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
 * The steps by which `feeAmounts` converts: none when the fee is set in this currency, or when all
 * its amounts are zero.
 */
export function feeSteps(fee: Fee, currency: string, rates: RateBook): readonly Step[] {
  const { fixed_amount, minimum_amount, maximum_amount } = fee
  const isConverted = [fixed_amount, minimum_amount ?? 0n, maximum_amount ?? 0n].some(a => a !== 0n)
  return isConverted ? (stepsBetween(rates, fee.fee_currency, currency) ?? []) : []
}
