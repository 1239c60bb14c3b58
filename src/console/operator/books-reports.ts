// The screen of the reports of the house's books: a table of any of them, and its CSV.
import { isReportName, REPORT_NAMES, REPORTS, type ReportName } from '../../treasury/report.ts'
import { groupedNumbers } from '../../values/money/words.ts'
import { csvLine } from '../../values/text/csv-line.ts'
import { type Content, html } from '../../values/text/html.ts'
import { type Query, queryText } from '../api.ts'
import { type Field, field } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { BooksReport } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { day, idLink, link } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { placeOfCase } from './exception-words.ts'

export function booksReportScreens(screens: Screens): void {
  screens.show('installation', '/reports', show)
  screens.csv('installation', '/reports', csv)
}

/** The CSV has all of them. */
const MOST_SHOWN = 500

const nameOf = ({ query }: Visit): ReportName =>
  isReportName(query.report) ? query.report : 'trial-balance'

function show(visit: Visit): Promise<Screen> {
  return reportScreen(visit, nameOf(visit))
}

async function reportScreen(visit: Visit, name: ReportName): Promise<Screen> {
  const query = queryOf(visit, name)
  const report = await visit.api.get<BooksReport>(`/v3/operator/report/${name}`, query)
  const shown = report.rows.slice(0, MOST_SHOWN)
  const asked = queryText({ ...visit.query, ...query, report: name })
  const names = Object.fromEntries(REPORT_NAMES.map(one => [one, wordsOf(one)]))
  const choice = { name: 'report', label: 'Report', value: name, options: names }
  const body = html`<form class="filters" action="${visit.root}/reports">${[
    choice,
    ...fieldsOf(visit, name),
  ].map(spec => field(visit, spec))}<div class="buttons"><button class="quiet">Show</button>
<a href="${visit.root}/reports.csv${asked}" download>CSV</a></div></form>
<h2>${titleOf(name)}</h2>
${rows(tableOf(visit, report), shown)}
${
  report.rows.length > MOST_SHOWN &&
  html`<p class="faint">The first ${MOST_SHOWN} of ${report.rows.length} rows; the CSV has all.</p>`
}`
  return { title: 'Reports', body }
}

const wordsOf = (name: ReportName) =>
  name.replace('-', ' ').replace(/^./, first => first.toUpperCase())
const titleOf = (name: ReportName) => `${wordsOf(name)}: ${REPORTS[name].title}`

/** The instant is entered as the end of a day of UTC. */
function queryOf({ query }: Visit, name: ReportName): Query {
  const { asks } = REPORTS[name]
  if (asks === 'period') return { from: query.from, to: query.to }
  if (asks === 'month') return { month: query.month }
  if (asks === 'quarter') return { quarter: query.quarter }
  return asks === 'instant' && query.day ? { at: endOf(query.day) } : {}
}

function endOf(day: string): string {
  const start = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(start) ? day : new Date(start + 86_400_000).toISOString()
}

function fieldsOf({ query }: Visit, name: ReportName): Field[] {
  const dayField = (of: string, label: string, hint: string): Field => ({
    ...{ name: of, label, hint, type: 'date', value: query[of] ?? '' },
  })
  const { asks } = REPORTS[name]
  if (asks === 'present') return []
  if (asks === 'month') {
    const hint = 'Such as 2026-11. Empty: this month'
    return [{ name: 'month', label: 'Month', hint, value: query.month ?? '' }]
  }
  if (asks === 'quarter') {
    const hint = 'Such as 2026Q4. Empty: this quarter'
    return [{ name: 'quarter', label: 'Quarter', hint, value: query.quarter ?? '' }]
  }
  if (asks === 'instant') return [dayField('day', 'At the end of the day', 'UTC; empty: now')]
  return [
    dayField('from', 'From the day', 'UTC; empty: the first of this month'),
    dayField('to', 'To the day', 'This day included; empty: today'),
  ]
}

type Row = BooksReport['rows'][number]

function tableOf(visit: Visit, { columns, rows: all }: BooksReport): Table<Row> {
  const isNumber = (column: string) =>
    all.length > 0 && all.every(row => /^-?[\d.]*$/.test(row[column] ?? ''))
  return {
    caption: 'The report',
    empty: 'No row.',
    columns: columns.map(column => ({
      name: column.replaceAll('_', ' ').replace(/^./, first => first.toUpperCase()),
      number: isNumber(column),
      show: row => cellOf(visit, column, row),
    })),
  }
}

function cellOf({ root }: Visit, column: string, row: Row): Content {
  const text = row[column] ?? ''
  if (text === '') return ''
  if (column === 'account') return link(`${root}/accounts/${text}`, html`<code>${text}</code>`)
  if (column === 'payout') return idLink(root, text)
  if (column === 'nostro') return link(`${root}/treasury/${text}`, text)
  if (column === 'line')
    return link(`${root}/${placeOfCase({ nostro: row.nostro ?? '', id: text })}`, text)
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return day(text)
  const [sign = ''] = /^-/.exec(text) ?? []
  return sign + groupedNumbers(text.slice(sign.length))
}

async function* csv(visit: Visit): AsyncGenerator<string> {
  const name = nameOf(visit)
  const path = `/v3/operator/report/${name}`
  const { columns, rows: all } = await visit.api.get<BooksReport>(path, queryOf(visit, name))
  yield csvLine(columns)
  for (const row of all) yield csvLine(columns.map(column => row[column] ?? ''))
}
