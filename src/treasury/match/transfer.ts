// The postings of a transfer between two nostros of one currency. Pure.
import type { HousePosting } from '../house.ts'
import type { Matched } from './match.ts'

/** Money in (+) or out (−) of `one`, from or to `other`; minor units. */
export function movedBetween(one: Matched, other: Matched, amount: bigint): HousePosting[] {
  const { currency } = one
  return [
    { code: 'bank', nostro: one.name, currency, amount: -amount },
    { code: 'bank', nostro: other.name, currency, amount },
  ]
}
