// Amounts as people type them: `USD=100000.00`, `100000.00`.
import { findCurrency } from '../money/currency.ts'
import { MAX_AMOUNT, parseMajor } from '../money/decimal.ts'
import { UsageError } from './context.ts'

/** A known currency code in upper case; anything else is a usage error. */
export function readCurrency(text: string): string {
  const code = text.trim().toUpperCase()
  if (findCurrency(code) === undefined) throw new UsageError(`unknown currency ${text}`)
  return code
}

/** Minor units of an amount in major units, exact; anything else is a usage error. */
export function readAmount(text: string, currency: string): bigint {
  const exponent = findCurrency(currency)?.exponent ?? 0
  const amount = parseMajor(text, exponent)
  if (amount !== undefined && amount >= 1n && amount <= MAX_AMOUNT) return amount
  throw new UsageError(
    `"${text}" is not an amount in ${currency}: digits, and at most ${exponent} after a point`,
  )
}

/** The same with a sign: what begins with a minus is negative. */
export function readSigned(text: string, currency: string): bigint {
  const amount = readAmount(text.replace(/^[+-]/, ''), currency)
  return text.startsWith('-') ? -amount : amount
}

/** `USD=100000.00` as currency and minor units. */
export function readMoney(text: string): { currency: string; amount: bigint } {
  const [code = '', amount = '', ...more] = text.split('=')
  if (more.length > 0) throw new UsageError(`"${text}" is not CODE=amount, such as USD=100000.00`)
  const currency = readCurrency(code)
  return { currency, amount: readAmount(amount, currency) }
}
