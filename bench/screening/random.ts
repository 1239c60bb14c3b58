// Random numbers that are the same in each run: mulberry32, from a seed.

export type Random = () => number

export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(random: Random, of: readonly T[]): T {
  const chosen = of[Math.floor(random() * of.length)]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}
