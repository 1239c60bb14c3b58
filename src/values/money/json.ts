// Writes money as JSON. A JSON number is exact up to 2^53 − 1. Rules refuse larger amounts earlier,
// and this file asserts that they did. Pure.
import { type Decimal, formatDecimal, MAX_AMOUNT } from './decimal.ts'

/** An amount in minor units as a JSON integer; throws when it would not be exact. */
export function amountToJson(amount: bigint): number {
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) throw new RangeError(`amount ${amount} in JSON`)
  return Number(amount)
}

/** A rate as a JSON number. A double keeps 15 significant digits, and a rate has 12. */
export function rateToJson(rate: Decimal): number {
  return Number(formatDecimal(rate))
}

export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? String(member) : member,
  )
}
