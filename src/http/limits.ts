// Who asks too often: wrong credentials by the address they come from, requests by their key, in
// the memory of this process alone. It knows what is counted; authenticate.ts judges who is asking.
import { isIP } from 'node:net'
import { rateLimited } from '../errors.ts'
import { TokenBuckets } from './token-bucket.ts'

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
