// Payouts that are made now and executed later: how far ahead, when their rail is asked first, and
// what is refused before their execution. Pure.
import type { Pricing } from '../prices/price.ts'
import type { Quote } from '../quotes/quote.ts'
import { pairsOf } from '../quotes/rules.ts'
import type { Plan } from '../rails/plan.ts'
import { isAsked, type RailStep } from '../rails/rail.ts'
import { invalidField, type Problem, Refusal, refusal } from '../values/errors.ts'
import { type Instant, instantFromIso, instantToMicros, plusMicros } from '../values/instant.ts'
import type { OpenPayout, Payout } from './payout.ts'
import type { PayoutRequest } from './request.ts'
import type { Cause } from './states.ts'

/** How far ahead a payout can be scheduled. */
const MOST_DAYS_AHEAD = 365
const MOST_AHEAD_S = MOST_DAYS_AHEAD * 86_400

const FIELD = 'execute_at'

/** The problems of `execute_at` that do not depend on the time of the request. */
export function scheduleProblems({ execute_at: sent }: PayoutRequest, type: string): Problem[] {
  if (sent === undefined) return []
  if (type === 'service_account') {
    const message = 'A payout of type service_account is paid at once: leave execute_at out.'
    return [invalidField(FIELD, message)]
  }
  if (instantFromIso(sent) !== undefined) return []
  const message = 'execute_at is an RFC 3339 time with an offset, such as 2026-12-01T09:00:00Z.'
  return [invalidField(FIELD, message)]
}

/**
 * When the payout is executed; null: at once. Refuses (400) a time that is past or too far ahead.
 */
export function executionOf({ execute_at: sent }: PayoutRequest, now: Instant): Instant | null {
  const at = sent === undefined ? undefined : instantFromIso(sent)
  if (at === undefined) return null
  if (at <= now) {
    throw refused(
      `execute_at ${at} is not in the future: it is ${now}. Leave execute_at out to pay at once.`,
    )
  }
  const last = plusSeconds(now, MOST_AHEAD_S)
  if (at <= last) return at
  throw refused(`execute_at is at most ${MOST_DAYS_AHEAD} days ahead: ${last} at the latest.`)
}

/**
 * Refuses (400) a payout whose price would stay fixed for longer than the pricing policy allows.
 * Its account could cancel it until the execution, and so choose a later rate.
 */
export function checkPriceUntil(
  at: Instant | null,
  quote: Quote,
  now: Instant,
  { policyOf }: Pricing,
): void {
  if (at === null) return
  for (const [from, to] of pairsOf(quote)) {
    if (from === to) continue
    const { schedule_s } = policyOf(from, to)
    const last = plusSeconds(now, schedule_s)
    if (at <= last) continue
    const fixed =
      schedule_s === 0
        ? `no rate from ${from} to ${to} can be fixed ahead: leave execute_at out`
        : `its rate from ${from} to ${to} can be fixed until ${last} at the latest`
    throw refused(`The price of the payout is fixed now, and ${fixed}.`)
  }
}

/**
 * The instant before which the payout must not go out: `execute_at` or `now`, whichever is later.
 */
export function notBefore({ execute_at }: Pick<Payout, 'execute_at'>, now: Instant): Instant {
  return execute_at !== null && execute_at > now ? execute_at : now
}

/**
 * One moment by two clocks: `now` by the database's clock, by which rails are asked, and
 * `by_account` by the account's clock.
 */
export interface Clocks {
  readonly now: Instant
  readonly by_account: Instant
}

/** When the rail of a payout is asked first, by the database's clock; null: it is not asked. */
export function firstAskAt(
  payout: Pick<OpenPayout, 'rail' | 'execute_at'>,
  { release_at }: Plan,
  { now, by_account }: Clocks,
): Instant | null {
  if (!isAsked(payout.rail)) return null
  if (release_at !== null) return release_at
  const ahead = instantToMicros(notBefore(payout, by_account)) - instantToMicros(by_account)
  return ahead === 0n ? now : plusMicros(now, ahead)
}

/** Refuses the success of a payout before it is executed, unless its rail reports the success. */
export function checkExecuted(
  { id, execute_at }: Payout,
  steps: readonly RailStep[],
  by: Cause,
  now: Instant,
): void {
  if (execute_at === null || execute_at <= now || by === 'rail') return
  if (steps.some(({ status }) => status === 'succeeded')) throw tooEarly(id, execute_at)
}

/** Refuses to let a person take the payout before it is executed. */
export function checkDue({ id, execute_at }: Payout, now: Instant): void {
  if (execute_at !== null && execute_at > now) throw tooEarly(id, execute_at)
}

function tooEarly(id: string, execute_at: Instant): Refusal {
  return refusal('invalid_transition', `Payout ${id} is executed at ${execute_at}, not before.`)
}

function refused(message: string): Refusal {
  return new Refusal([invalidField(FIELD, message)])
}

function plusSeconds(instant: Instant, seconds: number): Instant {
  return plusMicros(instant, BigInt(seconds) * 1_000_000n)
}
