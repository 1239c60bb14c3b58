// Chance that a printed seed brings back: a stream of numbers for each name, so that what one payout
// meets does not depend on which worker was faster.
import { seeded } from '../support/service/process.ts'

export interface Chance {
  /** True with this probability. */
  is(probability: number): boolean
  /** 0 … below - 1. */
  below(below: number): number
  pick<T>(all: readonly T[]): T
  /** One of these by weight. */
  weighed<T>(all: readonly (readonly [weight: number, value: T])[]): T
}

/** The chance of this name: the same name and seed give the same numbers. */
export function chanceOf(seed: number, ...name: readonly (string | number)[]): Chance {
  const next = seeded(hash(`${seed}/${name.join('/')}`))
  const below = (most: number) => Math.floor(next() * most)
  return {
    is: probability => next() < probability,
    below,
    pick: all => all[below(all.length)] as (typeof all)[number],
    weighed(all) {
      const sum = all.reduce((total, [weight]) => total + weight, 0)
      let rest = next() * sum
      for (const [weight, value] of all) {
        rest -= weight
        if (rest < 0) return value
      }
      return (all.at(-1) as (typeof all)[number])[1]
    },
  }
}

/** FNV-1a of 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  }
  return state >>> 0
}
