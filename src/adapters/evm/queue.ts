// The payouts that wait, as one process knows them: the oldest one of each token that waits for
// money or the token, so that none that is asked about at another moment overtakes it; and all that
// wait for room, so that each is asked about when its turn may come. It makes nothing safe.
import type { Hex } from './chain.ts'

interface Oldest {
  /** Orders payouts by their creation. */
  readonly age: string
  readonly seen_ms: number
}

export class Queue {
  readonly #oldest = new Map<Hex, Oldest>()
  readonly #forget_after_ms: number

  /** A payout that was not asked about for so long waits no more. */
  constructor(forget_after_ms: number) {
    this.#forget_after_ms = forget_after_ms
  }

  /** Whether an older payout of the token waits. */
  isBehind(token: Hex, age: string): boolean {
    const oldest = this.#known(token)
    return oldest !== undefined && oldest.age < age
  }

  waits(token: Hex, age: string): void {
    if (!this.isBehind(token, age)) this.#oldest.set(token, { age, seen_ms: performance.now() })
  }

  /** The payout waits no more. Returns whether it was the one that others waited for. */
  passed(token: Hex, age: string): boolean {
    return this.#oldest.get(token)?.age === age && this.#oldest.delete(token)
  }

  #known(token: Hex): Oldest | undefined {
    const oldest = this.#oldest.get(token)
    const is_fresh =
      oldest !== undefined && performance.now() - oldest.seen_ms < this.#forget_after_ms
    return is_fresh ? oldest : undefined
  }
}

/** Beyond so many, some 2 MB, a payout is asked about too early. */
const MOST_IN_LINE = 10_000
/** A payout that is asked about so much later than it was told has gone another way. */
const LATE_MS = 10_000

/** The payouts that wait for room, by age. */
export class Line {
  /** Until when each is expected to be asked about again. */
  readonly #until = new Map<string, number>()

  leave(age: string): void {
    this.#until.delete(age)
  }

  /** Puts payouts in line. Returns how many older ones wait before each; `wait` tells how long. */
  join(ages: readonly string[], wait: (place: number) => number): ReadonlyMap<string, number> {
    const now = performance.now()
    for (const [age, until] of this.#until) if (until < now) this.#until.delete(age)
    const wanted = new Set(ages)
    const all = [...this.#until.keys().filter(age => !wanted.has(age)), ...wanted].toSorted()
    const places = new Map<string, number>()
    for (const [place, age] of all.entries()) {
      if (!wanted.has(age)) continue
      places.set(age, place)
      if (this.#until.size < MOST_IN_LINE || this.#until.has(age))
        this.#until.set(age, now + wait(place) + LATE_MS)
    }
    return places
  }
}
