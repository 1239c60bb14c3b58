// What every import tells: the figures that all of them have, and the parts of a summary in text of
// 80 columns where the values allow it.
import type { Problem } from '../errors.ts'
import { presentProblem } from '../http/errors.ts'
import { table } from './table.ts'
import { paragraph, visible, wrapped } from './terminal.ts'

/** What became of a row, as far as every import has it. */
export interface Told {
  readonly line: number
  readonly result: string
  readonly problems: readonly Problem[]
}

/** What became of all rows so far; each result has a count of its name besides. */
export interface ImportSummary {
  file: string
  import: string
  account: string
  dry_run: boolean
  /** Why the run ended before the file did. */
  stopped: 'interrupted' | 'unavailable' | null
  rows: number
  imported_before: number
  refused: number
  /** Rows that the database did not answer for. */
  unanswered: number
  /** The first of them. */
  refused_rows: RefusedRow[]
  /** All rows up to this line are counted. */
  last_line: number
  duration_ms: number
  rows_per_second: number
}

interface RefusedRow {
  readonly line: number
  readonly problems: ReturnType<typeof presentProblems>
}

/** Refused rows that are named on the terminal. */
const MAX_NAMED = 20

/** Counts what every import counts. */
export function countRow(summary: ImportSummary, { line, result, problems }: Told): void {
  summary.rows += 1
  summary.last_line = line
  if (result !== 'refused') return
  summary.refused += 1
  if (summary.refused_rows.length === MAX_NAMED) return
  summary.refused_rows.push({ line, problems: presentProblems(problems) })
}

/** As the API answers them. */
export function presentProblems(problems: readonly Problem[]) {
  return problems.map(presentProblem)
}

/** The summary: `parts` are paragraphs of the import's own, below the table of its results. */
export function summaryWords(
  summary: ImportSummary,
  results: readonly (readonly [what: string, rows: number])[],
  parts: readonly string[],
  report: string | undefined,
  nothingTwice: string,
): string {
  const { duration_ms, rows_per_second, dry_run } = summary
  const title =
    `${visible(summary.file)} into ${summary.account}, as the import ` +
    `"${visible(summary.import)}"${dry_run ? '; a dry run, nothing was written' : ''}`
  return [
    ...wrapped(title.split(' ')),
    '',
    countsTable(summary, results),
    '',
    `${rows_per_second.toLocaleString('en')} rows/s, ${Math.ceil(duration_ms / 1000)} s`,
    ...parts.flatMap(part => ['', part]),
    ...refusedWords(summary, report),
    ...stopWords(summary, nothingTwice),
  ].join('\n')
}

function countsTable(
  summary: ImportSummary,
  results: readonly (readonly [what: string, rows: number])[],
): string {
  const counts = [...results, ['in all', summary.rows] as const]
  const texts = counts.map(([what, times]) => [what, times.toLocaleString('en')] as const)
  const width = Math.max('rows'.length, ...texts.map(([, times]) => times.length))
  const rows = texts.map(([what, times]) => [what, times.padStart(width)])
  const heading = summary.dry_run ? 'what would become of them' : 'what became of them'
  return table([heading, 'rows'.padStart(width)], rows)
}

function refusedWords(
  { refused, refused_rows }: ImportSummary,
  report: string | undefined,
): string[] {
  if (refused === 0) return []
  const lines = refused_rows.flatMap(({ line, problems }) => {
    const words = problems.map(({ message, remarks }) => problemWords(message, remarks))
    return wrapped(visible(`line ${line}: ${words.join('; ')}`).split(' '), {
      first: '  ',
      further: '    ',
    })
  })
  const more = refused - refused_rows.length
  const where = report === undefined ? '--report FILE names them all' : `see ${report}`
  return ['', 'refused:', ...lines, ...(more > 0 ? [`  and ${more} more; ${where}`] : [])]
}

/** Most messages name their field already. */
function problemWords(message: string, remarks: string): string {
  return remarks === '' || message.includes(remarks) ? message : `${remarks}: ${message}`
}

function stopWords(
  { stopped, last_line, unanswered, dry_run, ...summary }: ImportSummary,
  nothingTwice: string,
): string[] {
  if (stopped === null) return []
  const why =
    stopped === 'interrupted'
      ? `Stopped after line ${last_line}.`
      : `The database does not answer; what became of the last ${unanswered} rows is not known.`
  const then = dry_run
    ? 'Run the same command again.'
    : 'Run the same command again to go on: rows that were written are known by the name ' +
      `"${visible(summary.import)}" and are not ${nothingTwice} twice.`
  return ['', paragraph(`${why} ${then}`)]
}

/** `1 row was`, `1,000 rows were`. */
export function rowsWere(rows: number): string {
  return rows === 1 ? '1 row was' : `${rows.toLocaleString('en')} rows were`
}
