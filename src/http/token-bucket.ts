// Token buckets by name: how often something may happen, with a burst, in memory that is bounded.
// It knows neither what is counted nor who is told; the clock is the caller's.

export interface BucketSize {
  /** Tokens that come back each second. */
  readonly per_second: number
  /** Tokens of a full bucket. */
  readonly burst: number
  /** Most buckets kept; beyond it the one that longest nothing was taken from is full again. */
  readonly most: number
}

export class TokenBuckets {
  readonly #token_ms: number
  readonly #whole_ms: number
  readonly #most: number
  /** When each bucket will be full again; in the order in which something was last taken. */
  readonly #full_at = new Map<string, number>()

  constructor({ per_second, burst, most }: BucketSize) {
    this.#token_ms = 1000 / per_second
    this.#whole_ms = burst * this.#token_ms
    this.#most = most
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.#full_at.size
  }

  /** Takes a token: 0 when there was one, else after how many seconds there is, 1 at least. */
  take(name: string, now_ms: number): number {
    const full_at = Math.max(this.#full_at.get(name) ?? 0, now_ms) + this.#token_ms
    const wait_ms = full_at - now_ms - this.#whole_ms
    // A thousandth, as sums of fractions are not exact.
    if (wait_ms > 0.001) return Math.ceil(wait_ms / 1000)
    this.#full_at.delete(name)
    this.#full_at.set(name, full_at)
    if (this.#full_at.size > this.#most) {
      const [oldest] = this.#full_at.keys()
      this.#full_at.delete(oldest as string)
    }
    return 0
  }
}
