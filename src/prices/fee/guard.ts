// Finds mistakes in rows of the fee schedule, which a person must confirm. Pure.
import { describeSubject, feeCells } from './load.ts'
import type { Fee } from './rules.ts'

/** A larger variable fee, above ten percent, needs confirmation. */
const MISTAKE_VARIABLE_BPS = 1_000

/** A misplaced decimal point makes an amount ten times as large, or a tenth. */
const TIMES = 10n

const PARTS = ['fixed_amount', 'variable_bps', 'minimum_amount', 'maximum_amount'] as const

/** The reasons why a person must confirm the row. `present` is the row that it replaces. */
export function findFeeMistakes(fee: Fee, present: Fee | undefined): string[] {
  const far =
    fee.variable_bps > MISTAKE_VARIABLE_BPS
      ? [`variable_bps ${fee.variable_bps} is more than ${MISTAKE_VARIABLE_BPS}`]
      : []
  // A sample is no measure, because nobody has decided on its figures.
  const moved = present === undefined || present.sample ? [] : findMoved(fee, present)
  return [...far, ...moved].map(mistake => `${describeSubject(fee)}: ${mistake}`)
}

function findMoved(fee: Fee, present: Fee): string[] {
  if (fee.fee_currency !== present.fee_currency) {
    return [`fee_currency ${fee.fee_currency} was ${present.fee_currency}`]
  }
  const [cells, present_cells] = [feeCells(fee), feeCells(present)]
  return PARTS.flatMap(part => {
    const [now, was] = [BigInt(fee[part] ?? 0), BigInt(present[part] ?? 0)]
    if (was > 0n && now >= was * TIMES) {
      return [`${part} ${cells[part]} is ten times the present ${present_cells[part]} or more`]
    }
    // Zero is no mistake: an operator who writes zero or leaves a part out means it.
    if (now > 0n && now * TIMES <= was) {
      return [`${part} ${cells[part]} is a tenth of the present ${present_cells[part]} or less`]
    }
    return []
  })
}
