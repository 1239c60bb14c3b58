// Counts the requests that the process works on, and refuses more than it has memory for. While the
// database is slow they wait for it, even when their clients have gone. Knows no route.
import { refusal } from '../values/errors.ts'

/** Each takes some 25 KiB, and up to 16 KiB more for its body. */
export const MOST_AT_WORK = 8_192

export class AtWork {
  readonly #most: number
  #count = 0

  constructor(most = MOST_AT_WORK) {
    this.#most = most
  }

  /** Calls `work`, and counts it until its promise settles. Refuses (503) one too many. */
  run<T>(work: () => T): T {
    if (this.#count >= this.#most) {
      throw refusal('service_unavailable', 'Too many requests wait for the database; try again.')
    }
    const result = work()
    if (result instanceof Promise) {
      this.#count += 1
      const end = () => {
        this.#count -= 1
      }
      result.then(end, end)
    }
    return result
  }
}
