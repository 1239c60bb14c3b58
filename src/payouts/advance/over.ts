// What a rail's report about an attempt that is over means. No step follows from the report. If it
// contradicts how the attempt has ended, it opens an exception. Pure.
import { isHolding, type PayoutAttempt, type RailException } from '../../rails/attempt.ts'
import type { RailReport } from '../../rails/rail.ts'
import { DAY_MS, type Instant, plusMilliseconds } from '../../values/instant.ts'
import { isKnownException, type Judged, type NewException, NO_CHANGE } from './report.ts'

/** How long the rail is asked about an attempt after its end. */
export const ASKED_FOR_MS = 60 * DAY_MS

/** The first wait after a person has failed a payout by hand: no report says when to ask again. */
const FIRST_AFTER_PERSON_MS = DAY_MS

/** Where the money of an attempt is, as its rail reports. */
type Whereabouts = 'never taken' | 'under way' | 'paid' | 'back' | 'refused'

export type OverReport = Pick<RailReport, 'steps' | 'not_taken' | 'exception'>

/**
 * Compares a rail's report with how the attempt has ended; returns the exception to open, or null.
 * A report agrees if the money is still where the end of the attempt has left it. The number of
 * steps and their descriptions do not matter. After the proof that the rail has not taken the
 * attempt, any payment contradicts, even one that was returned: failover relies on the proof.
 */
export function judgeOver(
  { number, rail, ended_as, not_taken }: PayoutAttempt,
  report: OverReport,
  { by_person }: { readonly by_person: boolean },
): NewException | null {
  if (report.exception !== undefined) return report.exception
  const now = whereaboutsOf(report)
  if (now === 'never taken' || now === 'refused') return null
  const words = report.steps.map(({ status }) => status).join(', ') || 'processing'
  if (ended_as === 'not_taken') {
    const before = not_taken?.message ?? ''
    const end = `and now says: ${words}.`
    const message = `Rail ${rail} had not taken attempt ${number} (${before}), ${end}`
    return { kind: 'taken_after_all', message }
  }
  if (now === 'back') return null
  // A person who moved the payout by hand knew this state: the rail reported it before.
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
 * Judges a report about an attempt that is over. `is_fresh`: the rail was asked after the end. A
 * report from before the end opens no exception: if it disagrees, the rail is asked again.
 */
export function judgeOverReport(
  attempt: PayoutAttempt,
  report: OverReport,
  { by_person, is_fresh }: { readonly by_person: boolean; readonly is_fresh: boolean },
  exceptions: readonly RailException[],
): Judged {
  const found = judgeOver(attempt, report, { by_person })
  if (!is_fresh) return found === null ? NO_CHANGE : { ...NO_CHANGE, over: { attempt, ask: 'now' } }
  const judged = { ...NO_CHANGE, over: { attempt, ask: 'as_reported' } } as const
  // While an exception of the attempt is open, no report opens another.
  const waits = exceptions.some(one => one.attempt === attempt.number && isHolding(one))
  if (found === null || waits || isKnownException(exceptions, attempt, found)) return judged
  return { ...judged, new_exception: found, ask: 'never' }
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

/**
 * When the rail is asked first after the end of its attempt; `undefined`: no report has ended it.
 */
export function askAfterEnd(
  attempt: PayoutAttempt,
  ask_again_in_ms: number | null | undefined,
  now: Instant,
): Instant | null {
  const wait_ms = ask_again_in_ms === undefined ? FIRST_AFTER_PERSON_MS : ask_again_in_ms
  return askOverAt(attempt, wait_ms, now)
}
