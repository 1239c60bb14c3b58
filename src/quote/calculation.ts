// A calculation that a person can repeat: its formula in names, the same in numbers, and the exact
// result. All three are made from one list of terms, so they always agree. Pure integer arithmetic.
import { type Decimal, divideUp, formatDecimal, formatMajor, ONE, pow10 } from '../money/decimal.ts'

/** A number and its name in a formula. */
export interface Term {
  readonly name: string
  readonly value: Decimal
}

export interface Factor extends Term {
  readonly by: '*' | '/'
}

/** Evaluated from left to right. */
export interface Calculation {
  readonly first: Term
  readonly factors: readonly Factor[]
}

/** `unrounded` is the exact result, or its first digits when it never ends (`truncated`). */
export interface Worked {
  readonly formula: string
  readonly calculation: string
  readonly unrounded: string
  readonly truncated: boolean
}

/** How many digits of a result that never ends are shown. At least one is after the point. */
export const TRUNCATED_DIGITS = 20

export function term(name: string, value: bigint | Decimal): Term {
  return { name, value: typeof value === 'bigint' ? { digits: value, scale: 0 } : value }
}

/** A number that is named by its digits. */
export function literal(value: bigint): Term {
  return term(value.toString(), value)
}

export function times(factor: Term): Factor {
  return { ...factor, by: '*' }
}

export function over(divisor: Term): Factor {
  return { ...divisor, by: '/' }
}

/** The factor between the minor units of two currencies; none when their exponents are equal. */
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

export function work({ first, factors }: Calculation): Worked {
  const written = (write: (term: Term) => string) =>
    factors.reduce((text, factor) => `${text} ${factor.by} ${write(factor)}`, write(first))
  return {
    formula: written(({ name }) => name),
    calculation: written(({ value }) => formatDecimal(value)),
    ...decimalText(fractionOf({ first, factors })),
  }
}

/** The result as an integer, rounded up like a fee. */
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
 * A fraction in lowest terms ends if its divisor has no prime factors but 2 and 5; any other is
 * truncated.
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
  // n/d may have one digit more before the point than the lengths suggest.
  const scale = (n * pow10(Math.max(wanted, 0))) / d < pow10(TRUNCATED_DIGITS) ? wanted : wanted - 1
  const shown = Math.max(scale, 1)
  return { unrounded: formatMajor((n * pow10(shown)) / d, shown), truncated: true }
}

/** How often a prime divides a number, and what is left. */
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
