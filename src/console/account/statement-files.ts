// The statement of a period as a file: links for the last months, and a form for any days.
import {
  type StatementFormat,
  unfitFor,
} from '../../statements/balance-transaction/statement/formats.ts'
import { dayAt, endOfDay, isDay, plusDays, startOfDay } from '../../values/calendar/day.ts'
import { monthWords } from '../../values/calendar/words.ts'
import { type Html, html } from '../../values/text/html.ts'
import { queryText } from '../api.ts'
import { field, optionsOf } from '../form.ts'
import { accountOf, type Visit } from '../visit.ts'

const NAMES: Readonly<Record<StatementFormat, string>> = {
  pdf: 'PDF',
  camt053: 'camt.053 (ISO 20022)',
  mt940: 'MT940 (SWIFT)',
  csv: 'CSV',
}
const IN_ORDER = Object.keys(NAMES) as StatementFormat[]
const MONTHS = 4

/** The query of a file whose `from` and `to` are days of the zone, both included. */
export function inDays(query: Readonly<Record<string, unknown>>, zone: string) {
  const { from, to } = query
  return {
    ...query,
    zone,
    ...(typeof from === 'string' && isDay(from) && { from: startOfDay(zone, from) }),
    ...(typeof to === 'string' && isDay(to) && { to: endOfDay(zone, to) }),
  }
}

export function statementFiles(visit: Visit): Html {
  const { zone } = visit
  const { currencies } = accountOf(visit)
  const today = dayAt(zone, new Date().toISOString())
  const months = monthsUntil(today)
  const [, last = today] = months
  const day = (name: string, label: string, value: string, hint: string) =>
    field(visit, { name, label, type: 'date', value, required: true, hint })
  const options = Object.fromEntries(IN_ORDER.map(format => [format, NAMES[format]]))
  return html`<details class="file"><summary>Download the statement of a period</summary>
<ul class="plain">${months.map((first, i) => monthRow(visit, first, i === 0))}</ul>
<form class="row" action="${visit.root}/statement">
${day('from', 'From the day', last, `In ${zone}`)}
${day('to', 'To the day', lastOf(last), 'This day included')}
${field(visit, {
  name: 'currency',
  label: 'Currency',
  options: { '': 'All', ...optionsOf(currencies) },
})}
${field(visit, { name: 'format', label: 'Format', options })}
<button class="quiet">Download</button></form></details>`
}

/** The first days of this month and the months before it, newest first. */
function monthsUntil(today: string): string[] {
  const months = [`${today.slice(0, 8)}01`]
  while (months.length < MONTHS) {
    const before = plusDays(months.at(-1) ?? today, -1)
    months.push(`${before.slice(0, 8)}01`)
  }
  return months
}

/** The last day of the month that begins on this day. */
function lastOf(first: string): string {
  return plusDays(`${plusDays(first, 31).slice(0, 8)}01`, -1)
}

function monthRow(visit: Visit, first: string, isNow: boolean): Html {
  const { currencies } = accountOf(visit)
  const fitting = IN_ORDER.filter(format => unfitFor(format, currencies).length === 0)
  const links = fitting.map(format => {
    const query = queryText({ from: first, to: lastOf(first), format })
    const name = NAMES[format].split(' ')[0]
    return html` <a href="${visit.root}/statement${query}" download>${name}</a>`
  })
  return html`<li>${monthWords(first)}${isNow && ' until now, interim'}:${links}</li>`
}
