// A calculation that a person can repeat: its formula in names, the same in numbers, and the exact
// result. All three come from one list of terms, so they always agree. Pure integer arithmetic.
import {
  type Decimal,
  divideUp,
  formatDecimal,
  formatMajor,
  ONE,
  pow10,
} from '../values/money/decimal.ts'

/** A number and its name in a formula. */
export interface Term {
  readonly name: string
  readonly value: Decimal
}

export interface Factor extends Term {
  readonly by: '*' | '/'
}

/** A product or quotient of terms, evaluated from left to right. */
export interface Calculation {
  readonly first: Term
  readonly factors: readonly Factor[]
}

/** `unrounded` is the exact result, or the first digits of a result without end (`truncated`). */
export interface Evaluation {
  readonly formula: string
  readonly calculation: string
  readonly unrounded: string
  readonly truncated: boolean
}

/** The number of digits of a result without end. At least one digit is after the point. */
export const TRUNCATED_DIGITS = 20

export function term(name: string, value: bigint | Decimal): Term {
  return { name, value: typeof value === 'bigint' ? { digits: value, scale: 0 } : value }
}

export function literal(value: bigint): Term {
  return term(value.toString(), value)
}

export function times(factor: Term): Factor {
  return { ...factor, by: '*' }
}

export function over(divisor: Term): Factor {
  return { ...divisor, by: '/' }
}

/** The factor between the minor units of two exponents; none for equal exponents. */
export function rescale(fromExponent: number, toExponent: number): Factor[] {
  const places = toExponent - fromExponent
  if (places > 0) return [times(literal(pow10(places)))]
  if (places < 0) return [over(literal(pow10(-places)))]
  return []
}

/** The product of factors; 1 for none. */
export function product([first, ...factors]: readonly Factor[]): Calculation {
  if (first === undefined) return { first: term('1', ONE), factors }
  return first.by === '*' ? { first, factors } : product([times(term('1', ONE)), first, ...factors])
}

/** The formula, the numbers and the exact result of a calculation. */
export function evaluate({ first, factors }: Calculation): Evaluation {
  const textOf = (write: (term: Term) => string) =>
    factors.reduce((text, factor) => `${text} ${factor.by} ${write(factor)}`, write(first))
  return {
    formula: textOf(({ name }) => name),
    calculation: textOf(({ value }) => formatDecimal(value)),
    ...decimalText(fractionOf({ first, factors })),
  }
}

/** The result as an integer, rounded up as a fee is. */
export function roundedResult(calculation: Calculation): bigint {
  const { n, d } = fractionOf(calculation)
  return divideUp(n, d)
}

interface Fraction {
  readonly n: bigint
  readonly d: bigint
}

function fractionOf({ first, factors }: Calculation): Fraction {
  let { digits: n, scale } = first.value
  let d = pow10(scale)
  for (const { by, value } of factors) {
    n *= by === '*' ? value.digits : pow10(value.scale)
    d *= by === '*' ? pow10(value.scale) : value.digits
  }
  const common = gcd(n, d)
  return { n: n / common, d: d / common }
}

/**
 * The decimal text of a fraction in lowest terms. It is exact if 2 and 5 are the divisor's only
 * prime factors, otherwise truncated.
 */
function decimalText({ n, d }: Fraction): { unrounded: string; truncated: boolean } {
  const [afterTwos, twos] = divideOut(d, 2n)
  const [rest, fives] = divideOut(afterTwos, 5n)
  if (rest === 1n) {
    const scale = Math.max(twos, fives)
    const unrounded = formatDecimal({ digits: (n * pow10(scale)) / d, scale })
    return { unrounded, truncated: false }
  }
  const wanted = TRUNCATED_DIGITS - (n.toString().length - d.toString().length)
  // n/d may have one more digit before the point than the lengths suggest.
  const scale = (n * pow10(Math.max(wanted, 0))) / d < pow10(TRUNCATED_DIGITS) ? wanted : wanted - 1
  const shown = Math.max(scale, 1)
  return { unrounded: formatMajor((n * pow10(shown)) / d, shown), truncated: true }
}

/** Divides a number by a prime as often as possible. Returns the rest and the count. */
function divideOut(number: bigint, prime: bigint): [rest: bigint, times: number] {
  let [rest, count] = [number, 0]
  while (rest % prime === 0n) {
    rest /= prime
    count += 1
  }
  return [rest, count]
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b)
}
