// The oldest payout of each token that waits for money or the token, so that none that is asked
// about at another moment overtakes it. It is a courtesy of one process, and makes nothing safe.
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

  /** The payout waits no more. */
  passed(token: Hex, age: string): void {
    if (this.#oldest.get(token)?.age === age) this.#oldest.delete(token)
  }

  #known(token: Hex): Oldest | undefined {
    const oldest = this.#oldest.get(token)
    const is_fresh =
      oldest !== undefined && performance.now() - oldest.seen_ms < this.#forget_after_ms
    return is_fresh ? oldest : undefined
  }
}
