// The query of a statement: its period, format and currency, and the function that reads it.
import type { Account } from '../../../accounts/rules.ts'
import { CurrencyText } from '../../../http/list.ts'
import { Closed, Literals } from '../../../http/schema.ts'
import { Type } from '../../../http/type.ts'
import { type Moment, NEWEST } from '../../../sql/order.ts'
import { isDay, startOfDay } from '../../../values/calendar/day.ts'
import { isZone } from '../../../values/calendar/rules.ts'
import { invalidParameter, type Problem, refuseIfAny } from '../../../values/errors.ts'
import { type Instant, instantFromIso } from '../../../values/instant.ts'
import { FORMATS, type StatementFormat, unfitFor } from './formats.ts'
import type { StatementRequest } from './http.ts'

const WHEN = 'a date such as 2026-01-31, which begins at midnight in zone, or a time with an offset'
const ZONE = 'the IANA name of a time zone, such as Europe/Berlin'

export const StatementQuery = Closed({
  format: Literals(FORMATS, {
    description: 'camt.053.001.08, SWIFT MT940, CSV, or PDF for people.',
  }),
  from: Type.String({
    description: `The beginning of the period, inclusive: ${WHEN}.`,
    examples: ['2026-01-31'],
  }),
  to: Type.Optional(
    Type.String({ description: `The end, exclusive: ${WHEN}. Now, when it is left out.` }),
  ),
  currency: Type.Optional(CurrencyText('The currency of one balance, instead of all balances.')),
  zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `The days of the statement are days of this zone: ${ZONE}. UTC by default.`,
    }),
  ),
})

/** Reads the query. Refuses with every problem at once. */
export function readStatementQuery(
  query: Readonly<Record<string, unknown>>,
  { account_id, name, currencies }: Pick<Account, 'account_id' | 'name' | 'currencies'>,
): StatementRequest {
  const text = (member: string) => (typeof query[member] === 'string' ? query[member] : '')
  const format = FORMATS.find(one => one === query.format)
  const zone = text('zone') || 'UTC'
  const is_zone = isZone(zone)
  const timeOf = (member: string) => readTime(text(member), is_zone ? zone : 'UTC')
  const [from, to] = [timeOf('from'), timeOf('to')]
  const currency = text('currency')
  refuseIfAny([
    ...(is_zone ? [] : [problem('zone', ZONE)]),
    ...(format === undefined ? [problem('format', `one of ${FORMATS.join(', ')}`)] : []),
    ...(from === undefined ? [problem('from', WHEN)] : []),
    ...(text('to') !== '' && to === undefined ? [problem('to', WHEN)] : []),
    ...(from !== undefined && to !== undefined && to <= from
      ? [problem('to', 'later than from')]
      : []),
    ...currencyProblems(format ?? 'csv', currency, currencies),
  ])
  const before = (created_at: Instant): Moment => ({ created_at, side: 'before' })
  const wanted = {
    account_id,
    zone,
    above: before(from as Instant),
    below: to === undefined ? NEWEST : before(to),
    filters: currency === '' ? {} : { currency: [currency] },
  }
  return { format: format as StatementFormat, name, wanted }
}

function currencyProblems(
  format: StatementFormat,
  currency: string,
  currencies: readonly string[],
): Problem[] {
  if (currency !== '' && !currencies.includes(currency)) {
    return [problem('currency', `one that the account holds: ${currencies.join(', ')}`)]
  }
  const unfit = unfitFor(format, currency === '' ? currencies : [currency])
  if (unfit.length === 0) return []
  const why = `${format} cannot hold ${unfit.join(', ')}, as its codes have three letters`
  return [invalidParameter('currency', `${why}: name another currency, or take csv.`)]
}

/** A day of the zone is its first instant; undefined for text that is neither day nor time. */
export function readTime(text: string, zone: string): Instant | undefined {
  return isDay(text) ? startOfDay(zone, text) : instantFromIso(text)
}

function problem(name: string, is: string): Problem {
  return invalidParameter(name, `${name} is ${is}.`)
}
