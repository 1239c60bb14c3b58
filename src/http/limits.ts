// Who asks too often: wrong credentials by the address they come from, requests by their key, in
// the memory of this process alone. It knows what is counted; authenticate.ts judges who is asking.
import { isIP } from 'node:net'
import { rateLimited } from '../errors.ts'

/** What is off is undefined. */
export interface Limits {
  readonly failures: TokenBuckets | undefined
  readonly requests: TokenBuckets | undefined
}

/** Some 2 MB, whoever asks. */
const MOST = 10_000

/** A key that pauses can send so many at once, whatever its rate. */
const LEAST_BURST = 10

/** 0: no limit. */
interface Settings {
  readonly rate_limit_per_s: number
  readonly failed_logins_per_min: number
}

export function openLimits({ rate_limit_per_s, failed_logins_per_min }: Settings): Limits {
  const buckets = (per_second: number, burst: number) =>
    per_second === 0 ? undefined : new TokenBuckets({ per_second, burst, most: MOST })
  return {
    failures: buckets(failed_logins_per_min / 60, failed_logins_per_min),
    requests: buckets(rate_limit_per_s, Math.max(rate_limit_per_s, LEAST_BURST)),
  }
}

/** Counts wrong credentials; refuses (429) instead of the 401 when too many came from there. */
export function countFailure({ failures }: Limits, address: string): void {
  const wait_s = failures?.take(networkOf(address), performance.now()) ?? 0
  if (wait_s === 0) return
  throw rateLimited('Too many wrong credentials came from this address; wait.', wait_s)
}

/** Counts a request with valid credentials; refuses (429) when the key asks faster than it may. */
export function countRequest({ requests }: Limits, key_id: string): void {
  const wait_s = requests?.take(key_id, performance.now()) ?? 0
  if (wait_s === 0) return
  throw rateLimited('This API key sends more requests than it may; wait.', wait_s)
}

/** Whoever has one IPv6 address has the 2^64 of its network; of IPv4 each counts alone. */
export function networkOf(address: string): string {
  const text = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIP(text) !== 6) return text.slice(0, 64)
  const [head = '', tail = ''] = text.toLowerCase().split('::')
  const before = head.split(':').filter(group => group !== '')
  const after = tail.split(':').filter(group => group !== '')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return groups.map(group => group.replace(/^0+(?=.)/, '')).join(':')
}

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
