// Works out how much of each limit an account has used, from the limits' counters. Pure.
import type { Instant } from '../../values/instant.ts'
import { type CounterSince, counterName, type Limit, type Sum } from '../limit/limit.ts'
import { totalOf } from '../limit/rules.ts'
import { windowAt } from '../limit/window.ts'

export interface UsedLimit {
  readonly limit: Limit
  /** The count of its window; null for a limit that counts each payee by itself. */
  readonly used: bigint | null
}

/** The calling account, and the API key that would make its payouts; '' for a session. */
export interface Caller {
  readonly account_id: string
  readonly key_id: string
}

/** The counters to read. A limit on each payout has none, and one on each payee has too many. */
export function countersOf(limits: readonly Limit[], caller: Caller, now: Instant): CounterSince[] {
  return limits
    .filter(({ per, each }) => per !== 'payout' && each !== 'payee')
    .map(limit => ({ ...counterOf(limit, caller), ...windowAt(limit, now) }))
}

function counterOf({ limit_id, each }: Limit, { account_id, key_id }: Caller) {
  return { account_id, limit_id, subject: each === 'key' ? key_id : '' }
}

/** The use of each limit. `sums` are the sums of `countersOf`, by `counterName`. */
export function usedOf(
  limits: readonly Limit[],
  caller: Caller,
  sums: ReadonlyMap<string, readonly Sum[]>,
): UsedLimit[] {
  return limits.map(limit => {
    const counted = sums.get(counterName(counterOf(limit, caller))) ?? []
    return { limit, used: limit.each === 'payee' ? null : totalOf(counted) }
  })
}
