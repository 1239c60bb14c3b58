// Rate limits in this process's memory: wrong credentials and log-ins by address, requests by API
// key. authenticate.ts decides which credentials and requests to count.
import { isIP } from 'node:net'
import { rateLimited } from '../values/errors.ts'

/** The limits of a process. A limit that is off is undefined. */
export interface Limits {
  readonly failures: TokenBuckets | undefined
  /** Log-ins of strangers with wrong passwords or links. */
  readonly logIns: TokenBuckets | undefined
  readonly requests: TokenBuckets | undefined
}

/** The most buckets of a limit, some 2 MB. */
const MAX_BUCKETS = 10_000

/** The smallest burst of a key, whatever its rate. */
const MIN_BURST = 10

/** 0 means no limit. */
interface Settings {
  readonly rate_limit_per_s: number
  readonly failed_logins_per_min: number
}

export function openLimits({ rate_limit_per_s, failed_logins_per_min }: Settings): Limits {
  const buckets = (per_second: number, burst: number) =>
    per_second === 0 ? undefined : new TokenBuckets({ per_second, burst, most: MAX_BUCKETS })
  return {
    failures: buckets(failed_logins_per_min / 60, failed_logins_per_min),
    logIns: buckets(failed_logins_per_min / 60, failed_logins_per_min),
    requests: buckets(rate_limit_per_s, Math.max(rate_limit_per_s, MIN_BURST)),
  }
}

/** Counts wrong credentials of an address. If there are too many, refuses with 429, not 401. */
export function countFailure({ failures }: Limits, address: string): void {
  const wait_s = failures?.take(networkOf(address), performance.now()) ?? 0
  if (wait_s > 0) throw tooManyFrom(wait_s)
}

/**
 * Counts a log-in of an address before it is judged, so that those at one moment count each other.
 * Refuses with 429 one too many. Returns what takes the count back: a log-in that is not wrong
 * costs its address nothing.
 */
export function countLogIn({ logIns }: Limits, address: string): () => void {
  const network = networkOf(address)
  const wait_s = logIns?.take(network, performance.now()) ?? 0
  if (wait_s > 0) throw tooManyFrom(wait_s)
  return () => logIns?.giveBack(network)
}

function tooManyFrom(wait_s: number) {
  return rateLimited('Too many wrong credentials came from this address; wait.', wait_s)
}

/** Counts a request of a key. Refuses with 429 when the key sends more than its rate. */
export function countRequest({ requests }: Limits, key_id: string): void {
  const wait_s = requests?.take(key_id, performance.now()) ?? 0
  if (wait_s === 0) return
  throw rateLimited('This API key sends more requests than it may; wait.', wait_s)
}

/** The headers with the rate limit of the caller's key; none if the limit is off. */
export function limitHeaders({ requests }: Limits, key_id: string): Record<string, string> {
  if (requests === undefined || key_id === '') return {}
  const { burst, window_s } = requests
  const { left, full_in_s } = requests.peek(key_id, performance.now())
  return {
    'ratelimit-policy': `"key";q=${burst};w=${window_s}`,
    ratelimit: `"key";r=${left};t=${full_in_s}`,
  }
}

/**
 * The network by which wrong credentials are counted: an IPv4 address itself, and the /64 of an
 * IPv6 address, because one client has a whole /64.
 */
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

interface BucketSize {
  /** Tokens added each second. */
  readonly per_second: number
  readonly burst: number
  /** The most buckets kept. Beyond it the least recently used is dropped, and so is full again. */
  readonly most: number
}

/** Token buckets by name, in bounded memory. The caller passes the time. */
export class TokenBuckets {
  readonly burst: number
  /** The seconds in which an empty bucket gets full, rounded up. */
  readonly window_s: number
  readonly #token_ms: number
  readonly #window_ms: number
  readonly #most: number
  /** When each bucket will be full again, in the order of their last use. */
  readonly #full_at = new Map<string, number>()

  constructor({ per_second, burst, most }: BucketSize) {
    this.#token_ms = 1000 / per_second
    this.#window_ms = burst * this.#token_ms
    this.#most = most
    this.burst = burst
    this.window_s = Math.ceil(this.#window_ms / 1000)
  }

  /** The number of buckets kept. */
  get size(): number {
    return this.#full_at.size
  }

  /** The tokens left in a bucket, and the seconds until it is full, rounded up. */
  peek(name: string, now_ms: number): { readonly left: number; readonly full_in_s: number } {
    const missing_ms = Math.max((this.#full_at.get(name) ?? 0) - now_ms, 0)
    // As in `take`, sums of fractions are not exact.
    const left = Math.floor((this.#window_ms - missing_ms + 0.001) / this.#token_ms)
    return { left, full_in_s: Math.ceil(missing_ms / 1000) }
  }

  /** Takes a token and returns 0. Without a token, returns the seconds until one, at least 1. */
  take(name: string, now_ms: number): number {
    return Math.ceil(this.#take(name, now_ms, 0) / 1000)
  }

  /**
   * Takes a token that is there within `most_ms`, and returns the milliseconds until it is; without
   * one, undefined.
   */
  takeWithin(name: string, now_ms: number, most_ms: number): number | undefined {
    const wait_ms = this.#take(name, now_ms, most_ms)
    return wait_ms > most_ms ? undefined : wait_ms
  }

  /** The milliseconds until a token; it is taken if they are at most `most_ms`. */
  #take(name: string, now_ms: number, most_ms: number): number {
    const full_at = Math.max(this.#full_at.get(name) ?? 0, now_ms) + this.#token_ms
    const exact_ms = full_at - now_ms - this.#window_ms
    // Sums of fractions are not exact: less than a thousandth of a millisecond is no wait.
    const wait_ms = exact_ms > 0.001 ? exact_ms : 0
    if (wait_ms > most_ms) return wait_ms
    this.#full_at.delete(name)
    this.#full_at.set(name, full_at)
    if (this.#full_at.size > this.#most) {
      const [oldest] = this.#full_at.keys()
      this.#full_at.delete(oldest as string)
    }
    return wait_ms
  }

  /** Puts a token back that `take` has taken. */
  giveBack(name: string): void {
    const full_at = this.#full_at.get(name)
    if (full_at !== undefined) this.#full_at.set(name, full_at - this.#token_ms)
  }
}
