// Minor units to a decimal text and back, by the exponent that GET /v3/currency gives for each
// currency. Exact: no number is divided or multiplied as a double. Pure.

const DECIMAL = /^(-?)([0-9]{1,30})(?:\.([0-9]{1,30}))?$/

/** Minor units as a decimal text: `toDecimal(123450, 2)` is `1234.50`. */
export function toDecimal(amount: number | bigint, exponent: number): string {
  checkExponent(exponent)
  if (typeof amount === 'number' && !Number.isSafeInteger(amount)) {
    throw new RangeError(`${amount} is no integer that a number holds exactly: give a bigint`)
  }
  const minor = BigInt(amount)
  const digits = (minor < 0n ? -minor : minor).toString().padStart(exponent + 1, '0')
  const sign = minor < 0n ? '-' : ''
  if (exponent === 0) return sign + digits
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/**
 * A decimal text as minor units: `toMinor('1234.5', 2)` is `123450n`. Throws a RangeError for a
 * text with more decimals than the currency has, and for any text but digits with one point: it
 * neither rounds nor guesses.
 */
export function toMinor(decimal: string, exponent: number): bigint {
  checkExponent(exponent)
  const found = typeof decimal === 'string' ? DECIMAL.exec(decimal) : null
  const [, sign, whole = '', fraction = ''] = found ?? []
  if (sign === undefined) throw new RangeError('a decimal is digits, with one point at most')
  if (fraction.length > exponent) {
    throw new RangeError(`${decimal} has more decimals than the currency, ${exponent}`)
  }
  const minor = BigInt(whole + fraction.padEnd(exponent, '0'))
  return sign === '-' ? -minor : minor
}

function checkExponent(exponent: number): void {
  if (Number.isInteger(exponent) && exponent >= 0 && exponent <= 18) return
  throw new RangeError('exponent is a whole number from 0 to 18, as GET /v3/currency gives it')
}
