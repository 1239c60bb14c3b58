// Judges pricing policies that an operator asks for. Pure.
import { invalidField, type Problem, refuseIfAny } from '../../values/errors.ts'
import { type Instant, instantFromIso } from '../../values/instant.ts'
import { currencyProblems } from '../../values/money/problem.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { POLICY_NAMES, type PolicyName, type Scope } from './rules.ts'

export const MAX_SPREAD_BPS = 9_999
/** A year. */
export const MAX_SECONDS = 31_536_000

/** Policies as an operator asks for them. Without an account and a pair they are for everybody. */
export interface AskedPolicies {
  readonly spread_bps?: number
  readonly quote_validity_s?: number
  readonly schedule_s?: number
  /** Seconds as text, or `calendar`. */
  readonly max_age_s?: string
  readonly pivot?: string
  readonly account_id?: string
  readonly from_currency?: string
  readonly to_currency?: string
}

/** The scope and the stored values. @throws Refusal (400) with a problem for each mistake */
export function judgePolicies(asked: AskedPolicies): {
  readonly scope: Scope
  readonly values: Readonly<Partial<Record<PolicyName, string>>>
} {
  const { account_id = null, from_currency = null, to_currency = null } = asked
  const max_age_s = asked.max_age_s?.toLowerCase().replace(/^0+(?=\d)/, '')
  const values = omitUndefined({
    spread_bps: asked.spread_bps?.toString(),
    quote_validity_s: asked.quote_validity_s?.toString(),
    schedule_s: asked.schedule_s?.toString(),
    max_age_s,
    pivot: asked.pivot,
  })
  refuseIfAny([
    ...(Object.keys(values).length === 0
      ? [invalidField('', `Say what to set: ${POLICY_NAMES.join(', ')}.`)]
      : []),
    ...(max_age_s === undefined || isAge(max_age_s)
      ? []
      : [invalidField('max_age_s', `It is calendar, or an integer from 1 to ${MAX_SECONDS}.`)]),
    ...pivotProblems(asked),
    ...pairProblems(asked),
  ])
  return { scope: { account_id, from_currency, to_currency }, values }
}

function isAge(text: string): boolean {
  const seconds = /^\d{1,8}$/.test(text) ? Number(text) : 0
  return text === 'calendar' || (seconds >= 1 && seconds <= MAX_SECONDS)
}

function pivotProblems({ pivot, ...scope }: AskedPolicies): readonly Problem[] {
  if (pivot === undefined) return []
  const problems = currencyProblems('pivot', pivot)
  const { account_id, from_currency, to_currency } = scope
  if ([account_id, from_currency, to_currency].every(part => part === undefined)) return problems
  return [...problems, invalidField('pivot', 'The pivot is for the whole installation.')]
}

/** A pair is directed, of two currencies that differ. */
function pairProblems({ from_currency: from, to_currency: to }: AskedPolicies): readonly Problem[] {
  if (from === undefined && to === undefined) return []
  const wrong = from === undefined ? 'from_currency' : 'to_currency'
  if (from === undefined || to === undefined || from === to) {
    return [invalidField(wrong, 'A pair has two currencies.')]
  }
  return [...currencyProblems('from_currency', from), ...currencyProblems('to_currency', to)]
}

/**
 * The first instant of a policy, by default now.
 * @throws Refusal (400) for a text that is no time, and for the past: past prices do not change
 */
export function judgeFrom(text: string | undefined, now: Instant): Instant {
  if (text === undefined) return now
  const instant = instantFromIso(text)
  const message =
    instant === undefined
      ? `"${text}" is not a time such as 2026-12-01T00:00:00Z.`
      : `${text} is past; leave it out to begin now.`
  if (instant === undefined || instant < now) refuseIfAny([invalidField('from', message)])
  return instant ?? now
}
