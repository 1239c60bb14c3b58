// Tells when this process starts a round that screens open payouts: at once for a new version of
// the lists, and else once a second for payouts that wait for current lists.

/** The time between two rounds of one version. */
const ROUND_EVERY_MS = 1_000

export class ScreeningRounds {
  #finished_version: bigint | undefined
  #tried_version: bigint | undefined
  #tried_at = Number.NEGATIVE_INFINITY

  /** Whether some open payout may not be screened at this version yet. */
  isNew(version: bigint): boolean {
    return this.#finished_version !== version
  }

  /** Notes that every open payout is screened at this version. */
  finished(version: bigint): void {
    this.#finished_version = version
  }

  /** Whether a round is due: at once for a new version, otherwise after a second. Notes it. */
  isDue(version: bigint, now = performance.now()): boolean {
    if (version === this.#tried_version && now - this.#tried_at < ROUND_EVERY_MS) return false
    this.#tried_version = version
    this.#tried_at = now
    return true
  }

  /** Makes the next round due at once. */
  again(): void {
    this.#tried_at = Number.NEGATIVE_INFINITY
  }
}
