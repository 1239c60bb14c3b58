// Exact decimals, and the only functions that round money. Integers alone, no floating point. Pure.

/** digits × 10^-scale. Rates are always positive. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/**
 * The significant digits of a rate. The service rounds a rate down to them once, then shows and
 * uses the same number (§rate.precision).
 */
export const RATE_SIGNIFICANT_DIGITS = 12

/** The largest amount that a JSON number holds exactly: 2^53 − 1 minor units (§money.amount). */
export const MAX_AMOUNT = 9_007_199_254_740_991n

export const ONE: Decimal = { digits: 1n, scale: 0 }

const POWERS = Array.from({ length: 32 }, (_, exponent) => 10n ** BigInt(exponent))

export function pow10(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent)
}

/** n ÷ d rounded up, for debits and fees. n must not be negative, d must be positive. */
export function divideUp(n: bigint, d: bigint): bigint {
  return divideDown(n + d - 1n, d)
}

/** n ÷ d rounded down, for credits. n must not be negative, d must be positive. */
export function divideDown(n: bigint, d: bigint): bigint {
  if (n < 0n || d <= 0n) throw new RangeError(`${n} ÷ ${d} is not money divided by a rate`)
  return n / d
}

/** n ÷ d rounded half away from zero, only for display; d must be positive. */
export function divideHalfUp(n: bigint, d: bigint): bigint {
  if (d <= 0n) throw new RangeError('divideHalfUp needs a positive divisor')
  return n < 0n ? -divideHalfUp(-n, d) : (2n * n + d) / (2n * d)
}

/** Reads `7.81` or `0.000012`; undefined for any other text. An exponent or a sign is refused. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(\d{1,20})(?:\.(\d{1,30}))?$/.exec(text)
  if (match === null) return undefined
  const [, whole = '', fraction = ''] = match
  return normalize({ digits: BigInt(whole + fraction), scale: fraction.length })
}

/** Plain decimal text without an exponent and without trailing zeros. */
export function formatDecimal(value: Decimal): string {
  const { digits, scale } = normalize(value)
  if (scale === 0) return digits.toString()
  const text = digits.toString().padStart(scale + 1, '0')
  return `${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/**
 * The exact quotient n/d (both positive) rounded down to `significant` digits. Rounding down is
 * against the customer: a rate is what one unit of the customer's money buys.
 */
export function quotient(n: bigint, d: bigint, significant = RATE_SIGNIFICANT_DIGITS): Decimal {
  if (n <= 0n || d <= 0n) throw new RangeError('quotient needs positive numbers')
  // The quotient may have one digit more than the lengths suggest. The loop corrects the scale.
  let scale = significant - (n.toString().length - d.toString().length)
  let digits = scaled(n, d, scale)
  while (digits >= pow10(significant)) {
    scale -= 1
    digits = scaled(n, d, scale)
  }
  return normalize(scale >= 0 ? { digits, scale } : { digits: digits * pow10(-scale), scale: 0 })
}

/** `divideUp` or `divideDown`. */
type Rounding = (n: bigint, d: bigint) => bigint

/** amount × rate from minor units of one currency to minor units of another, rounded once. */
export function multiplyByRate(
  amount: bigint,
  rate: Decimal,
  fromExponent: number,
  toExponent: number,
  round: Rounding,
): bigint {
  return round(amount * rate.digits * pow10(toExponent), pow10(rate.scale) * pow10(fromExponent))
}

/** amount ÷ rate from minor units of one currency to minor units of another, rounded once. */
export function divideByRate(
  amount: bigint,
  rate: Decimal,
  fromExponent: number,
  toExponent: number,
  round: Rounding,
): bigint {
  return round(amount * pow10(rate.scale) * pow10(toExponent), rate.digits * pow10(fromExponent))
}

/** This many basis points (1/10000) of an amount, rounded up as every fee is. */
export function basisPoints(amount: bigint, bps: number): bigint {
  return divideUp(amount * BigInt(bps), 10_000n)
}

/**
 * Reads an amount in major units, `1234.50`, as minor units; undefined when it is not a plain
 * decimal or has more places than the currency.
 */
export function parseMajor(text: string, exponent: number): bigint | undefined {
  const value = parseDecimal(text)
  if (value === undefined || value.scale > exponent) return undefined
  return value.digits * pow10(exponent - value.scale)
}

/** Minor units as text in major units: 123450 at exponent 2 is `1234.50`. */
export function formatMajor(amount: bigint, exponent: number): string {
  const negative = amount < 0n
  const sign = negative ? '-' : ''
  const text = (negative ? -amount : amount).toString().padStart(exponent + 1, '0')
  return exponent === 0
    ? sign + text
    : `${sign}${text.slice(0, -exponent)}.${text.slice(-exponent)}`
}

function scaled(n: bigint, d: bigint, scale: number): bigint {
  return scale >= 0 ? (n * pow10(scale)) / d : n / (d * pow10(-scale))
}

function normalize({ digits, scale }: Decimal): Decimal {
  let [d, s] = [digits, scale]
  while (s > 0 && d % 10n === 0n) {
    d /= 10n
    s -= 1
  }
  return { digits: d, scale: s }
}
