// How far a process is with screening open payouts. Each is looked at again when the lists have
// changed; what waits for current lists is looked at once a second.

/** How long what could not be screened waits until it is tried again. */
const AGAIN_MS = 1_000

export class ScreeningRounds {
  #done: bigint | undefined
  #seen: bigint | undefined
  #tried_at = Number.NEGATIVE_INFINITY

  /** Whether every open payout may have been screened at another version than this one. */
  isNew(version: bigint): boolean {
    return this.#done !== version
  }

  /** Every open payout of this version was looked at. */
  finished(version: bigint): void {
    this.#done = version
  }

  /** Whether what is left is due to be tried, at once when the version is new; it is noted. */
  isDue(version: bigint, now = performance.now()): boolean {
    if (version === this.#seen && now - this.#tried_at < AGAIN_MS) return false
    this.#seen = version
    this.#tried_at = now
    return true
  }

  /** What waits is tried in the next round. */
  again(): void {
    this.#tried_at = Number.NEGATIVE_INFINITY
  }
}
