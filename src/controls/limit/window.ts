// The windows of limits. A window moves in steps, and each payout belongs to the step in which it
// is made. So it counts for the window's length, and for at most one step longer. Pure.
import { type Instant, instantFrom, instantToMicros, plusMicros } from '../../values/instant.ts'
import type { Window } from './limit.ts'

/** 31 days. */
export const MAX_HOURS = 744

const MINUTE = 60_000_000n
const HOUR = 60n * MINUTE

/** The time of a book is at most this far ahead of the clock (ledger/clock.ts). */
const AHEAD = 10n * MINUTE

/** The length, in minutes, of a step in a window of this many hours: a window has ≤ 745 steps. */
export function stepMinutes(hours: number): number {
  if (hours <= 4) return 1
  if (hours <= 24) return 5
  return hours <= 72 ? 15 : 60
}

/** The beginning of the step of a payout made at `now`: the local day, or some minutes. */
export function stepAt({ per, zone, hours }: Window, now: Instant): Instant {
  if (per === 'day') return dayOf(zone ?? 'UTC', now)
  if (hours === null) return now
  return floor(now, BigInt(stepMinutes(hours)) * MINUTE)
}

/** The beginning of the window's first step at `now`. */
export function windowFrom(window: Window, now: Instant): Instant {
  const { hours } = window
  const step = stepAt(window, now)
  return hours === null ? step : plusMicros(step, -BigInt(hours) * HOUR)
}

/** The window at `now`: its beginning, and the latest beginning of a step, by a right clock. */
export function windowAt(window: Window, now: Instant): { since: Instant; until: Instant } {
  return { since: windowFrom(window, now), until: plusMicros(now, AHEAD) }
}

/** Until when a payee counts as new: `hours` after the account first knew it. */
export function newUntil(hours: number, known_since: Instant): Instant {
  return plusMicros(known_since, BigInt(hours) * HOUR)
}

/** When the window stops counting the payouts of the step that begins at `starts_at`. */
export function leavesAt({ zone, hours }: Window, starts_at: Instant): Instant {
  if (hours === null) return nextDay(zone ?? 'UTC', starts_at)
  return plusMicros(starts_at, BigInt(stepMinutes(hours)) * MINUTE + BigInt(hours) * HOUR)
}

function floor(now: Instant, unit: bigint): Instant {
  return plusMicros(now, -(instantToMicros(now) % unit))
}

/**
 * The last result of `dayOf`. Time zones are slow to compute, and all payouts of a batch have one
 * time.
 */
let last = { zone: '', now: '', day: '' }

/** The first instant of the zone's day at `now`. */
function dayOf(zone: string, now: Instant): Instant {
  if (last.zone !== zone || last.now !== now) {
    const local = Temporal.Instant.from(now).toZonedDateTimeISO(zone)
    last = { zone, now, day: instantFrom(local.startOfDay().toInstant()) }
  }
  return last.day
}

function nextDay(zone: string, starts_at: Instant): Instant {
  const local = Temporal.Instant.from(starts_at).toZonedDateTimeISO(zone)
  return instantFrom(local.add({ days: 1 }).startOfDay().toInstant())
}
