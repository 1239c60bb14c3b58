// What is likely a slip of the finger in a row of the fee schedule, for a person to confirm. Pure.
import { describeSubject, feeCells } from './load.ts'
import type { Fee } from './rules.ts'

/** Nobody takes more than ten percent without having meant to. */
const MAX_VARIABLE_BPS = 1_000

/** A point in the wrong place makes ten times as much. */
const TIMES = 10

const PARTS = ['fixed_amount', 'variable_bps', 'minimum_amount', 'maximum_amount'] as const

/** Why a person must confirm the row, `present` being the row that it replaces. */
export function findFeeSlips(fee: Fee, present: Fee | undefined): string[] {
  const far =
    fee.variable_bps > MAX_VARIABLE_BPS
      ? [`variable_bps ${fee.variable_bps} is more than ${MAX_VARIABLE_BPS}`]
      : []
  // A sample is a figure that nobody has decided on.
  const grown = present === undefined || present.sample ? [] : findGrown(fee, present)
  return [...far, ...grown].map(slip => `${describeSubject(fee)}: ${slip}`)
}

function findGrown(fee: Fee, present: Fee): string[] {
  if (fee.fee_currency !== present.fee_currency) {
    return [`fee_currency ${fee.fee_currency} was ${present.fee_currency}`]
  }
  return PARTS.filter(part => {
    const was = BigInt(present[part] ?? 0)
    return was > 0n && BigInt(fee[part] ?? 0) >= was * BigInt(TIMES)
  }).map(part => {
    const [now, was] = [feeCells(fee)[part], feeCells(present)[part]]
    return `${part} ${now} is ten times the present ${was} or more`
  })
}
