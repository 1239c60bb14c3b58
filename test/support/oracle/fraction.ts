// Fractions of bigints, with which oracles compute prices by the specification. Shares no code with
// the product.
import assert from 'node:assert/strict'

/** n ÷ d, not in lowest terms. */
export interface Fraction {
  readonly n: bigint
  readonly d: bigint
}

export function decimal(text: string): Fraction {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text)
  assert.ok(match, `${text} is no decimal`)
  const [, whole = '', places = ''] = match
  return { n: BigInt(whole + places), d: 10n ** BigInt(places.length) }
}

/** Rounds up, as debits and fees are rounded. */
export function up({ n, d }: Fraction): bigint {
  return (n + d - 1n) / d
}

/** Rounds down, as credits and rates are rounded. */
export function down({ n, d }: Fraction): bigint {
  return n / d
}

/**
 * Rounds down to this many significant digits. The loop takes away decimal places until the digits
 * fit; the first try has at most one place too many.
 */
export function toDigits({ n, d }: Fraction, digits: number): Fraction {
  for (let places = digits - String(n).length + String(d).length; ; places--) {
    const scale = 10n ** BigInt(Math.abs(places))
    const scaled = places >= 0 ? { n: n * scale, d } : { n, d: d * scale }
    const rounded = down(scaled)
    if (rounded >= 10n ** BigInt(digits)) continue
    return places >= 0 ? { n: rounded, d: scale } : { n: rounded * scale, d: 1n }
  }
}
