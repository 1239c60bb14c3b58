// Bounds the number of concurrent requests to one far end. A process keeps one of them for each.

/** A request that waits longer would be answered after the time-out of rails. */
const WAIT_MS = 2_000

/**
 * First come first served. A request that waits too long is not sent, because another process may
 * ask meanwhile.
 */
export class RequestLimiter {
  #free: number
  readonly #waiting: { readonly go: (may: boolean) => void; readonly until: number }[] = []

  constructor(free: number) {
    this.#free = free
  }

  /** Whether the request may be sent. Then its end must be told by `release`. */
  acquire(): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve(true)
    }
    return new Promise(resolve => {
      this.#waiting.push({ go: resolve, until: performance.now() + WAIT_MS })
    })
  }

  release(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (performance.now() < next.until) {
        next.go(true)
        return
      }
      next.go(false)
    }
    this.#free += 1
  }
}
