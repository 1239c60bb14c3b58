// Finds the subsets of a few amounts that have a sum, by meeting in the middle: the sums of one
// half are looked up for each sum of the other. 24 amounts have 2 × 4,096 sums. Pure.

import { bitCount } from '../../screening/similarity.ts'

/** The most amounts: each further one doubles the sums of a half. */
export const MOST_AMOUNTS = 24
/** Regular amounts have thousands of subsets with one sum. */
const MOST_TRIES = 100_000

/**
 * The places of the amounts of each subset that has the sum, with `least` to `most` members.
 * Undefined when there are more than `answers` subsets, since many answers are none.
 * @throws RangeError for more than MOST_AMOUNTS amounts
 */
export function subsetsOf(
  amounts: readonly bigint[],
  sum: bigint,
  { least, most, answers }: { least: number; most: number; answers: number },
): readonly (readonly number[])[] | undefined {
  if (amounts.length > MOST_AMOUNTS) throw new RangeError(`${amounts.length} amounts are too many`)
  const middle = amounts.length >> 1
  const left = sumsOf(amounts.slice(0, middle))
  const right = sumsOf(amounts.slice(middle))
  const bySum = new Map<bigint, number[]>()
  for (const [mask, one] of left.entries()) {
    const masks = bySum.get(one)
    if (masks === undefined) bySum.set(one, [mask])
    else masks.push(mask)
  }
  const found: number[][] = []
  let tries = 0
  for (const [mask, one] of right.entries()) {
    for (const other of bySum.get(sum - one) ?? []) {
      tries += 1
      if (tries > MOST_TRIES) return undefined
      const size = bitCount(other) + bitCount(mask)
      if (size < least || size > most) continue
      if (found.length === answers) return undefined
      found.push([...placesOf(other, 0), ...placesOf(mask, middle)])
    }
  }
  return found
}

/** The sum of each subset, by the mask of its members. */
function sumsOf(amounts: readonly bigint[]): bigint[] {
  const sums = [0n]
  for (const amount of amounts) {
    const { length } = sums
    for (let i = 0; i < length; i++) sums.push((sums[i] as bigint) + amount)
  }
  return sums
}

function placesOf(mask: number, first: number): number[] {
  const places: number[] = []
  for (let rest = mask, place = first; rest > 0; rest >>= 1, place++) {
    if ((rest & 1) === 1) places.push(place)
  }
  return places
}
