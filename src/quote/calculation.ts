// A calculation that a person can do again: its formula in words, the same in numbers, and what it
// gives exactly. Both texts and the result are made from one list of terms, so that none can say
// something else. Pure integers; knows no quote.
import { type Decimal, divideUp, formatDecimal, formatMajor, ONE, pow10 } from '../money/decimal.ts'

/** A number, and the name that stands for it in a formula. */
export interface Term {
  readonly name: string
  readonly value: Decimal
}

export interface Factor extends Term {
  readonly by: '*' | '/'
}

/** Worked from left to right. */
export interface Calculation {
  readonly first: Term
  readonly factors: readonly Factor[]
}

/** All text. `unrounded` is the exact result, or where it never ends the beginning of it. */
export interface Worked {
  readonly formula: string
  readonly calculation: string
  readonly unrounded: string
  readonly truncated: boolean
}

/** Of a result that never ends this many digits are given, and one after the point at least. */
export const TRUNCATED_DIGITS = 20

export function term(name: string, value: bigint | Decimal): Term {
  return { name, value: typeof value === 'bigint' ? { digits: value, scale: 0 } : value }
}

/** A number as it is written, under its own name. */
export function literal(value: bigint): Term {
  return term(value.toString(), value)
}

export function times(factor: Term): Factor {
  return { ...factor, by: '*' }
}

export function over(divisor: Term): Factor {
  return { ...divisor, by: '/' }
}

/** The factor between minor units of two currencies, none where both have as many digits. */
export function rescale(fromExponent: number, toExponent: number): Factor[] {
  const places = toExponent - fromExponent
  if (places > 0) return [times(literal(pow10(places)))]
  if (places < 0) return [over(literal(pow10(-places)))]
  return []
}

/** The product of factors alone; 1 of none. */
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

/** The result as a whole number, rounded up, as fees are. */
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
 * A fraction in lowest terms ends exactly when its divisor is made of twos and fives. Another never
 * ends: whatever is cut off, it lies above the digits that are shown and below the next ones.
 */
function decimalText({ n, d }: Fraction): { unrounded: string; truncated: boolean } {
  const [afterTwos, twos] = divideOut(d, 2n)
  const [rest, fives] = divideOut(afterTwos, 5n)
  if (rest === 1n) {
    const scale = Math.max(twos, fives)
    return {
      unrounded: formatDecimal({ digits: (n * pow10(scale)) / d, scale }),
      truncated: false,
    }
  }
  const wanted = TRUNCATED_DIGITS - (n.toString().length - d.toString().length)
  // n/d may have one digit more before the point than the lengths say.
  const scale = (n * pow10(Math.max(wanted, 0))) / d < pow10(TRUNCATED_DIGITS) ? wanted : wanted - 1
  const shown = Math.max(scale, 1)
  return {
    unrounded: formatMajor((n * pow10(shown)) / d, shown),
    truncated: true,
  }
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
