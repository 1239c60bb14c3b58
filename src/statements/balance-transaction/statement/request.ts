// The query of a statement: its period, format and currency, and the function that reads it.
import type { Account } from '../../../accounts/rules.ts'
import { CurrencyText } from '../../../http/list.ts'
import { Closed, Literals } from '../../../http/schema.ts'
import { Type } from '../../../http/type.ts'
import { type Moment, NEWEST } from '../../../sql/order.ts'
import { invalidParameter, type Problem, refuseIfAny } from '../../../values/errors.ts'
import { type Instant, instantFromIso } from '../../../values/instant.ts'
import { FORMATS, type StatementFormat, unfitFor } from './formats.ts'
import type { StatementRequest } from './http.ts'

const WHEN = 'a date such as 2026-01-31, which begins at midnight UTC, or a time with an offset'

export const StatementQuery = Closed({
  format: Literals(FORMATS, { description: 'camt.053.001.08, SWIFT MT940, or CSV.' }),
  from: Type.String({
    description: `The beginning of the period, inclusive: ${WHEN}.`,
    examples: ['2026-01-31'],
  }),
  to: Type.Optional(
    Type.String({ description: `The end, exclusive: ${WHEN}. Now, when it is left out.` }),
  ),
  currency: Type.Optional(CurrencyText('The currency of one balance, instead of all balances.')),
})

/** Reads the query. Refuses with every problem at once. */
export function readStatementQuery(
  query: Readonly<Record<string, unknown>>,
  { account_id, name, currencies }: Pick<Account, 'account_id' | 'name' | 'currencies'>,
): StatementRequest {
  const text = (member: string) => (typeof query[member] === 'string' ? query[member] : '')
  const format = FORMATS.find(one => one === query.format)
  const [from, to] = [readTime(text('from')), readTime(text('to'))]
  const currency = text('currency')
  refuseIfAny([
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

function readTime(text: string): Instant | undefined {
  return instantFromIso(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
}

function problem(name: string, is: string): Problem {
  return invalidParameter(name, `${name} is ${is}.`)
}
