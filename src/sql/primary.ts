// Decides which of several servers is the primary, and which server must not be written to. A
// promotion raises the timeline, so of two servers that take writes the one with the older timeline
// is a former primary. Pure.
import type { Identity } from './identity.ts'

/** What a server has said, and its number in the URL. */
export interface Seen extends Identity {
  readonly at: number
}

/**
 * Why a server must not be used, for the end of a sentence that its name begins; undefined if it
 * may be. `newest` is the newest primary that the process has seen; `count` the servers of the URL.
 */
export function whyRefused(
  seen: Seen,
  newest: Seen | undefined,
  count: number,
): string | undefined {
  if (seen.is_standby) return 'is a standby, which takes no writes'
  if (seen.is_read_only) return 'takes no writes: its default_transaction_read_only is on'
  if (newest === undefined || newest.timeline === 0) return undefined
  if (seen.system !== newest.system) {
    // A single address may have been given another cluster, such as a restored one.
    return count === 1 ? undefined : 'belongs to another cluster than the primary before it'
  }
  if (seen.timeline < newest.timeline) return 'is a former primary: a promotion has replaced it'
  const is_other = seen.at !== newest.at && seen.started !== newest.started
  if (seen.timeline === newest.timeline && is_other) {
    return 'takes writes and was not promoted after the primary before it'
  }
  return undefined
}

/**
 * The primary among the servers that have answered, or the reason why there is none. `current` is
 * the number of the server in use.
 */
export function choosePrimary(
  answers: readonly Seen[],
  newest: Seen | undefined,
  current: number | undefined,
): Seen | { readonly reason: string } {
  const [first] = answers
  if (first === undefined) return { reason: 'no server of DATABASE_URL answers' }
  if (newest === undefined && answers.some(({ system }) => system !== first.system)) {
    return { reason: 'the servers of DATABASE_URL are not copies of one cluster' }
  }
  // A standby follows the newest primary, so it may know of a newer one than those that answer.
  const same = answers.filter(({ system }) => system === (newest ?? first).system)
  const least = Math.max(newest?.timeline ?? 0, ...same.map(({ timeline }) => timeline))
  const fit = answers.filter(
    seen => whyRefused(seen, newest, answers.length + 1) === undefined && seen.timeline >= least,
  )
  const servers = new Map(fit.map(seen => [seen.started || seen.at, seen]))
  const used = fit.find(({ at }) => at === current)
  const [only] = servers.values()
  if (only === undefined) return { reason: 'no server of DATABASE_URL takes writes' }
  if (used !== undefined) return used
  if (servers.size === 1) return only
  return { reason: 'several servers of DATABASE_URL take writes: stop all but the primary' }
}
