// What a rail's report about an attempt that is over means. No step follows from it: either it
// agrees with how the attempt has ended, or a person must look. Pure.
import { DAY_MS, type Instant, plusMilliseconds } from '../instant.ts'
import { isOpenException, type PayoutAttempt, type RailException } from '../rail/attempt.ts'
import type { RailReport } from '../rail/rail.ts'
import { type Found, type Judged, NOTHING, wasClosed } from './report.ts'

/** For how long after the end of an attempt its rail is still asked about it. */
export const ASKED_FOR_MS = 60 * DAY_MS

/** A person who fails a payout by hand has no word from its rail about when to ask again. */
const FIRST_AFTER_PERSON_MS = DAY_MS

/** Where the money of an attempt is, as its rail reports. */
type Whereabouts = 'never taken' | 'under way' | 'paid' | 'back' | 'refused'

export type OverReport = Pick<RailReport, 'steps' | 'not_taken' | 'exception'>

/**
 * Compares what a rail reports now with how the attempt has ended; returns what a person must look
 * at, or null. The money decides: a report agrees if the money is still where the end has left it.
 * The number of steps and their words do not matter. A rail that has proved that it did not take an
 * attempt must never have taken it: failover rests on that.
 */
export function judgeOver(
  { number, rail, ended_as, not_taken }: PayoutAttempt,
  report: OverReport,
  { by_person }: { readonly by_person: boolean },
): Found | null {
  if (report.exception !== undefined) return report.exception
  const now = whereaboutsOf(report)
  if (now === 'never taken' || now === 'refused') return null
  const words = report.steps.map(({ status }) => status).join(', ') || 'processing'
  if (ended_as === 'not_taken') {
    const before = not_taken?.message ?? ''
    const said = `and now says: ${words}.`
    const message = `Rail ${rail} had not taken attempt ${number} (${before}), ${said}`
    return { kind: 'taken_after_all', message }
  }
  if (now === 'back') return null
  // A person who moved the payout by hand knew this already: it was so before.
  if (by_person && (now === 'under way' || ended_as === 'returned')) return null
  const message = `The account has its money back, and rail ${rail} now says: ${words}.`
  return { kind: 'paid_after_end', message }
}

function whereaboutsOf({ steps, not_taken }: OverReport): Whereabouts {
  const last = steps.at(-1)?.status
  if (last === 'succeeded') return 'paid'
  if (last === 'reversed') return 'back'
  if (last === 'failed') return 'refused'
  return not_taken === undefined ? 'under way' : 'never taken'
}

/**
 * Judges a report about an attempt that is over. A report that was asked for before the end may be
 * older than the end. If it disagrees, the rail is asked anew.
 */
export function judgeOverReport(
  attempt: PayoutAttempt,
  report: OverReport,
  { by_person, is_fresh }: { readonly by_person: boolean; readonly is_fresh: boolean },
  exceptions: readonly RailException[],
): Judged {
  const found = judgeOver(attempt, report, { by_person })
  if (!is_fresh) return found === null ? NOTHING : { ...NOTHING, over: { attempt, ask: 'now' } }
  const judged = { ...NOTHING, over: { attempt, ask: 'as_said' } } as const
  // While an exception of the attempt is open, reports wait until it is closed.
  const waits = exceptions.some(one => one.attempt === attempt.number && isOpenException(one))
  if (found === null || waits || wasClosed(exceptions, attempt, found)) return judged
  return { ...judged, found, ask: 'never' }
}

/** When the rail of an attempt that is over is asked again: at most once an hour. */
export function askOverAt(
  { asked_at, ended_at }: Pick<PayoutAttempt, 'asked_at' | 'ended_at'>,
  ask_again_in_ms: number | null,
  now: Instant,
): Instant | null {
  if (asked_at === null || ended_at === null || ask_again_in_ms === null) return null
  if (now > plusMilliseconds(ended_at, ASKED_FOR_MS)) return null
  return plusMilliseconds(now, Math.max(HOUR_MS, ask_again_in_ms))
}

const HOUR_MS = 3_600_000

/** When the rail is asked first after the end, which the rail has reported or a person has set. */
export function askAfterEnd(
  attempt: PayoutAttempt,
  { by, ask_again_in_ms }: { readonly by: string; readonly ask_again_in_ms: number | null },
  now: Instant,
): Instant | null {
  const wait_ms = by === 'rail' ? ask_again_in_ms : FIRST_AFTER_PERSON_MS
  return askOverAt(attempt, wait_ms, now)
}
