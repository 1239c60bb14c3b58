// Shows the reports of the house's books, as a table, as CSV, or as JSON.
import { Closed, Literals, optional } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { MAX_ROWS, REPORT_NAMES, REPORTS, type ReportName, readReport } from '../treasury/report.ts'
import { QUARTER, quarterOf } from '../treasury/state-liability.ts'
import { isDay } from '../values/calendar/day.ts'
import { invalidParameter, refuseIfAny } from '../values/errors.ts'
import { instantFromIso } from '../values/instant.ts'
import { csvLine } from '../values/text/csv-line.ts'
import { type ActionGroup, reading } from './action.ts'
import { checkMonth, Formed, MONTH, Time } from './request.ts'

const ReportPath = Type.Object({
  name: Literals(REPORT_NAMES, { description: 'The report.' }),
})

const Day = (description: string) => Type.String({ format: 'date', description })

const ReportQuery = Closed(
  optional({
    at: Time('Of trial-balance and clients: before this instant; by default now.'),
    from: Day('The first day of UTC; by default the first of this month.'),
    to: Day('The last day of UTC; by default today.'),
    month: Formed(MONTH, 'Of safeguarding: the month, such as 2026-11; by default this one.'),
    quarter: Formed(
      QUARTER,
      'Of state-liability: the quarter, such as 2026Q4; by default this one.',
    ),
  }),
)

const InCommand = Closed(
  optional({
    ...ReportQuery.properties,
    csv: Type.Boolean({ description: 'Whether it is written as CSV.' }),
  }),
)

export const ReportResponse = Type.Object(
  {
    report: Literals(REPORT_NAMES),
    columns: Type.Array(Type.String()),
    rows: Type.Array(Type.Record(Type.String(), Type.String()), { maxItems: MAX_ROWS }),
  },
  {
    title: 'Report',
    description: 'Rows with a text for each column. Amounts are in major units.',
  },
)

interface Asked {
  readonly name: ReportName
  readonly at?: string
  readonly from?: string
  readonly to?: string
  readonly month?: string
  readonly quarter?: string
  readonly csv?: boolean
}

const HELP = `
Reports:
${REPORT_NAMES.map(name => `  ${name.padEnd(17)}${REPORTS[name].title}`).join('\n')}

Examples:
  corridor report trial-balance --at 2026-12-01T00:00:00Z
  corridor report ledger --from 2026-11-01 --csv > ledger.csv
  corridor report safeguarding --month 2026-11 --csv > november.csv
  corridor report state-liability --quarter 2026Q4 --csv > quarter.csv`

const show = reading({
  name: 'report',
  path: '/v3/operator/report/:name',
  operationId: 'getReport',
  summary: 'Show a report of the books: trial balance, ledger, income, transit and others.',
  params: ReportPath,
  query: ReportQuery,
  response: ReportResponse,
  refusals: ['invalid_query_parameter', 'invalid_transition', 'object_full'],
  async find(audit, asked) {
    const { csv = false } = asked as Asked
    return { ...(await reportOf(audit, asked as Asked)), csv }
  },
  present: ({ report, columns, rows }) => ({ report, columns, rows }),
  command: {
    members: InCommand,
    words: ({ columns, rows, csv }) =>
      csv
        ? {
            exact: [columns, ...rows.map(row => Object.values(pick(row, columns)))]
              .map(csvLine)
              .join(''),
          }
        : rows.map(row => pick(row, columns)),
    json: ({ report, columns, rows }) => ({ report, columns, rows }),
    none: 'no row',
    options: { name: 'the report' },
    help: HELP,
  },
})

export const reports: ActionGroup = { actions: [show] }

async function reportOf(audit: Sql, { name, at, from, to, month, quarter }: Asked) {
  const now = await databaseNow(audit)
  const today = now.slice(0, 10)
  refuseIfAny(unasked(name, { at, from, to, month, quarter }))
  if (month !== undefined) checkMonth(month)
  const period = { from: from ?? `${today.slice(0, 8)}01`, to: to ?? today }
  const instant = at === undefined ? now : instantFromIso(at)
  refuseIfAny([
    ...Object.entries(period)
      .filter(([, day]) => !isDay(day))
      .map(([member]) => invalidParameter(member, `${member} is a day, such as 2026-11-30.`)),
    ...(instant === undefined
      ? [invalidParameter('at', 'at is an instant, such as 2026-12-01T00:00:00Z.')]
      : []),
    ...(quarter === undefined || QUARTER.test(quarter)
      ? []
      : [invalidParameter('quarter', 'quarter is a quarter of a year, such as 2026Q4.')]),
  ])
  return readReport(audit, name, {
    ...{ ...period, at: instant ?? now, today },
    ...{ month: month ?? today.slice(0, 7), quarter: quarter ?? quarterOf(today) },
  })
}

const ASKED = {
  ...{ instant: ['at'], period: ['from', 'to'], present: [] },
  ...{ month: ['month'], quarter: ['quarter'] },
} as const satisfies Record<(typeof REPORTS)[ReportName]['asks'], readonly (keyof Asked)[]>

/** A time that the report does not ask for would change nothing. */
function unasked(name: ReportName, times: Readonly<Record<string, string | undefined>>) {
  const asked: readonly string[] = ASKED[REPORTS[name].asks]
  return Object.entries(times).flatMap(([member, time]) =>
    time === undefined || asked.includes(member)
      ? []
      : [invalidParameter(member, `the report ${name} does not ask for ${member}.`)],
  )
}

const pick = (row: Readonly<Record<string, string>>, columns: readonly string[]) =>
  Object.fromEntries(columns.map(column => [column, row[column] ?? '']))
