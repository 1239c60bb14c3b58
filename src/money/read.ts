// Reads an operator's text into an amount, or returns messages about its mistakes. Pure.
import type { Read } from '../text/csv.ts'
import { didYouMean } from '../text/nearest.ts'
import { CURRENCIES } from './currency.ts'
import { MAX_AMOUNT, parseMajor } from './decimal.ts'

interface ReadAmount {
  /** In minor units. */
  readonly amount: bigint
  readonly currency: string
}

/**
 * Reads an option's amount, in major units of the currency that `--currency` names. `least` is the
 * smallest amount accepted, in minor units.
 */
export function readMajor(
  option: string,
  text: string,
  currency: string | undefined,
  least: 0n | 1n,
): Read<ReadAmount> {
  const code = currency?.toUpperCase()
  const known = code === undefined ? undefined : CURRENCIES.get(code)
  if (known === undefined) {
    const hint = code === undefined ? '' : didYouMean(code, CURRENCIES.keys())
    return { messages: [`${option} needs the --currency that it is in, such as USD${hint}`] }
  }
  const amount = parseMajor(text, known.exponent)
  if (amount !== undefined && amount >= least && amount <= MAX_AMOUNT) {
    return { value: { amount, currency: known.code } }
  }
  const positive = least === 0n ? '' : ', and more than 0'
  const shape = `digits, and at most ${known.exponent} after a point${positive}`
  return { messages: [`${option} "${text}" is not an amount in ${known.code}: ${shape}`] }
}
