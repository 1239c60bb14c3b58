// Money on its way into JSON. A JSON number is exact up to 2^53 − 1, so anything larger must have
// been refused before it gets here; this is where that is asserted.
import { type Decimal, formatDecimal, MAX_AMOUNT } from './decimal.ts'

/** An amount in minor units as a JSON integer; throws when it would not be exact. */
export function amountToJson(amount: bigint): number {
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) throw new RangeError(`amount ${amount} in JSON`)
  return Number(amount)
}

/** A rate as a JSON number: 12 significant digits survive the trip through a double unchanged. */
export function rateToJson(rate: Decimal): number {
  return Number(formatDecimal(rate))
}

/** Any value as JSON, with bigints as exact text. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? String(member) : member,
  )
}
