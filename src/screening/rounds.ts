// How far a process is with screening open payouts. Each payout is screened again when the lists
// have changed. Payouts that wait for current lists are tried once a second.

/** How long a payout that could not be screened waits until it is tried again. */
const AGAIN_MS = 1_000

export class ScreeningRounds {
  #done: bigint | undefined
  #seen: bigint | undefined
  #tried_at = Number.NEGATIVE_INFINITY

  /** Whether every open payout may have been screened at another version than this one. */
  isNew(version: bigint): boolean {
    return this.#done !== version
  }

  /** Notes that every open payout was screened at this version. */
  finished(version: bigint): void {
    this.#done = version
  }

  /** Whether it is time to try what is left: at once when the version is new. Notes the time. */
  isDue(version: bigint, now = performance.now()): boolean {
    if (version === this.#seen && now - this.#tried_at < AGAIN_MS) return false
    this.#seen = version
    this.#tried_at = now
    return true
  }

  /** Lets the next round try what waits. */
  again(): void {
    this.#tried_at = Number.NEGATIVE_INFINITY
  }
}
