// Reads an operator's text into values of pricing policies, or returns a message for each mistake.
import { type Instant, instantFromIso } from '../../instant.ts'
import { findCurrency } from '../../money/currency.ts'
import type { Read } from '../../text/csv.ts'
import type { PolicyName, Scope } from './rules.ts'

const MAX_SPREAD_BPS = 9_999
/** A year. */
const MAX_SECONDS = 31_536_000

/** The meaning and range of each policy, for people. */
export const MEANINGS: Readonly<Record<PolicyName, string>> = {
  spread_bps: `basis points that the mid is moved against the customer by, 0 to ${MAX_SPREAD_BPS}`,
  quote_validity_s: 'seconds a quote can be used',
  schedule_s: 'seconds ahead to which a payout that converts can be scheduled, 0 for never',
  max_age_s: 'seconds after which a rate is too old for live accounts, or calendar: by its source',
  pivot: 'currency through which pairs without a rate of their own are crossed',
}

/** The value to store, or a message for each mistake. */
export function readValue(name: PolicyName, text: string): Read<string> {
  switch (name) {
    case 'pivot': {
      const code = text.toUpperCase()
      return findCurrency(code) === undefined
        ? { messages: [`pivot "${text}" is not a currency code such as EUR`] }
        : { value: code }
    }
    case 'spread_bps':
      return readInteger(name, text, 0, MAX_SPREAD_BPS)
    case 'max_age_s':
      if (text.toLowerCase() === 'calendar') return { value: 'calendar' }
      return readInteger(name, text, 1, MAX_SECONDS)
    case 'schedule_s':
      return readInteger(name, text, 0, MAX_SECONDS)
    case 'quote_validity_s':
      return readInteger(name, text, 1, MAX_SECONDS)
  }
}

function readInteger(name: string, text: string, minimum: number, maximum: number): Read<string> {
  const number = /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN
  if (number >= minimum && number <= maximum) return { value: String(number) }
  return { messages: [`${name} "${text}" is not an integer from ${minimum} to ${maximum}`] }
}

/** Reads a pair such as `USD/HKD`. The policy is for this direction only. */
export function readPair(text: string): Read<Pick<Scope, 'from_currency' | 'to_currency'>> {
  const [from = '', to = '', ...rest] = text.toUpperCase().split('/')
  const unknown = [from, to].filter(code => findCurrency(code) === undefined)
  if (rest.length > 0 || to === '') return { messages: [`pair "${text}" is not like USD/HKD`] }
  if (unknown.length > 0) return { messages: unknown.map(code => `unknown currency ${code}`) }
  if (from === to) return { messages: [`pair "${text}" converts nothing`] }
  return { value: { from_currency: from, to_currency: to } }
}

/** The first instant of a policy: now or later, because past prices do not change. */
export function readEffective(text: string, now: Instant): Read<Instant> {
  const instant = instantFromIso(text)
  if (instant === undefined) {
    return { messages: [`--from "${text}" is not a time such as 2026-12-01T00:00:00Z`] }
  }
  if (instant >= now) return { value: instant }
  return { messages: [`--from ${text} is past; leave it out to begin now`] }
}
