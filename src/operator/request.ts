// The bodies and queries of operators' requests, the parts that they share, and their checks.
import type { TProperties } from 'typebox'
import { ALSO, DOCUMENTED } from '../http/docs.ts'
import { Closed, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import {
  invalidField,
  invalidParameter,
  type Reason as Refused,
  refusal,
  refuseIfAny,
} from '../values/errors.ts'
import { type IdPrefix, idPatternOf } from '../values/id.ts'
import { readLine } from '../values/text/visible.ts'

/** The longest name of an account; statements print it. */
export const MAX_NAME = 200

/** The longest reference of a payment, and the longest reason of an operator. */
export const MAX_REFERENCE = 140
export const MAX_REASON = 500

export const Reason = Text(MAX_REASON, { minLength: 1, description: 'Why; one line.' })
export const Reference = Text(MAX_REFERENCE, {
  minLength: 1,
  description: 'The bank’s reference of the payment; one line.',
})
/** Overrides only the refusal likely_mistake. */
export const ForceMistake = Type.Boolean({
  description: 'Confirms what is refused as `likely_mistake`.',
})
export const Force = Type.Boolean({ description: 'Confirms what is refused as a likely mistake.' })

export const AccountId = Type.String({
  pattern: '^acc_[0-9a-hjkmnp-tv-z]{8}$',
  description: 'Account id.',
  examples: ['acc_7k2m9x4q'],
})

export const ReasonRequest = Closed({ reason: Reason }, { title: 'ReasonRequest' })

/** 2^53 - 1, the largest exact integer of JSON. */
export const MAX_MINOR = 9_007_199_254_740_991

const LINES = ['reference', 'reason', 'description', 'name', 'full_name', 'from', 'note']

/** Each must be one line of visible text. The schemas say which may be empty. */
export function checkLines(
  body: Readonly<Record<string, unknown>>,
  names: readonly string[] = LINES,
): void {
  refuseIfAny(
    names.flatMap(name => {
      const text = body[name]
      if (typeof text !== 'string' || text === '') return []
      const { messages = [] } = readLine(name, text, Number.POSITIVE_INFINITY)
      return messages.map(message => invalidField(name, message))
    }),
  )
}

export const checkWords = (body: never) => checkLines(body)

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20

/** The query of a list with pages: each starts after an object, which has one of the prefixes. */
export function PageQuery<Filters extends TProperties>(
  prefix: IdPrefix | readonly IdPrefix[],
  filters: Filters,
) {
  const starting_after = Type.String({
    pattern: idPatternOf([prefix].flat()),
    description: 'An id: the page starts with the object that follows it.',
  })
  return Closed(optional({ limit: LimitText, starting_after, ...filters }))
}

/** The validator sees a query's text, as it coerces nothing; openapi.json shows an integer. */
export const LimitText = Type.String({
  description: 'The most objects on a page.',
  [DOCUMENTED]: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
})

export type Query = Readonly<Record<string, string>>

export function readLimit({ limit }: Query): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit)
}

/** Refuses (400) a limit that is no integer from 1 to MAX_LIMIT. */
export function checkLimit({ limit }: Query): void {
  if (limit === undefined || /^([1-9][0-9]?|100)$/.test(limit)) return
  refuseIfAny([invalidParameter('limit', `limit is an integer from 1 to ${MAX_LIMIT}.`)])
}

export function Time(description: string) {
  return Type.String({ format: 'date-time', maxLength: 64, description })
}

/** The document shows the form; a rule refuses another one in words. */
export const Formed = ({ source: pattern }: RegExp, description: string, examples?: string[]) =>
  Type.String({ description, [ALSO]: { pattern }, ...(examples && { examples }) })

/** A month that PostgreSQL and people have days for. */
export const MONTH = /^(19|20)[0-9]{2}-(0[1-9]|1[0-2])$/

/** Refuses (400) another text, in a query or in a path. */
export function checkMonth(
  month: string,
  reason: Extract<Refused, `invalid_${string}_parameter`> = 'invalid_query_parameter',
): void {
  if (MONTH.test(month)) return
  throw refusal(reason, `${month} is no month, such as 2026-11.`, 'month')
}

export const AccountPath = Type.Object({ id: AccountId })
