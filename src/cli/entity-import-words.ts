// What an import of entities tells: the report's line of a row, and the summary as data and as text
// of 80 columns where the values allow it.
import type { RowResult } from '../entity/import.ts'
import { CATALOGUE } from '../errors.ts'
import { table } from './context.ts'
import { visible, widthOf } from './terminal.ts'

const WIDTH = 80

/** What became of all rows so far. */
export interface Summary {
  file: string
  import: string
  account: string
  dry_run: boolean
  /** Why the run ended before the file did. */
  stopped: 'interrupted' | 'unavailable' | null
  rows: number
  created: number
  matched: number
  /** By the rule that decided. */
  matched_by: Record<string, number>
  imported_before: number
  /** Of these, rows whose entity has been rejected since. */
  rejected_since: number
  refused: number
  /** Rows that the database did not answer for. */
  unanswered: number
  /** The first of them. */
  refused_rows: ReturnType<typeof presentResult>[]
  /** All rows up to this line are counted. */
  last_line: number
  duration_ms: number
  rows_per_second: number
}

/** Refused rows that are named on the terminal. */
const MAX_NAMED = 20

export function countResult(summary: Summary, row: RowResult): void {
  const { line, result, rule, approval_status } = row
  summary.rows += 1
  summary[result] += 1
  summary.last_line = line
  if (rule !== null) summary.matched_by[rule] = (summary.matched_by[rule] ?? 0) + 1
  if (result === 'imported_before' && approval_status === 'rejected') summary.rejected_since += 1
  if (result !== 'refused' || summary.refused_rows.length === MAX_NAMED) return
  summary.refused_rows.push(presentResult(row))
}

/** A line of the report; problems as the API answers them. */
export function presentResult(row: RowResult) {
  const { line, result, entity, approval_status, rule, matched_line, problems } = row
  const errors = problems.map(({ reason, message, remarks }) => ({
    code: CATALOGUE[reason].code,
    reason,
    message,
    remarks,
  }))
  return { line, result, entity, approval_status, rule, matched_line, problems: errors }
}

export function summaryWords(summary: Summary, report: string | undefined): string {
  const { duration_ms, rows_per_second, dry_run } = summary
  const title =
    `${visible(summary.file)} into ${summary.account}, as the import ` +
    `"${visible(summary.import)}"${dry_run ? '; a dry run, nothing was written' : ''}`
  return [
    ...wrapped(title.split(' ')),
    '',
    countsTable(summary),
    '',
    `${rows_per_second.toLocaleString('en')} rows/s, ${Math.ceil(duration_ms / 1000)} s`,
    ...rejectedWords(summary),
    ...refusedWords(summary, report),
    ...stopWords(summary),
  ].join('\n')
}

function countsTable(summary: Summary): string {
  const by = Object.entries(summary.matched_by).sort(([, a], [, b]) => b - a)
  const { rejected_since } = summary
  const since: [string, number][] =
    rejected_since === 0 ? [] : [['  of which rejected since', rejected_since]]
  const counts: [string, number][] = [
    ['created', summary.created],
    ['matched', summary.matched],
    ...by.map(([rule, times]): [string, number] => [`  by ${rule}`, times]),
    ['imported before', summary.imported_before],
    ...since,
    ['refused', summary.refused],
    ['in all', summary.rows],
  ]
  const texts = counts.map(([what, times]) => [what, times.toLocaleString('en')] as const)
  const width = Math.max('rows'.length, ...texts.map(([, times]) => times.length))
  const rows = texts.map(([what, times]) => [what, times.padStart(width)])
  const heading = summary.dry_run ? 'what would become of them' : 'what became of them'
  return table([heading, 'rows'.padStart(width)], rows)
}

function rejectedWords({ rejected_since: rejected, dry_run }: Summary): string[] {
  if (rejected === 0) return []
  const what = rejected === 1 ? '1 row was' : `${rejected.toLocaleString('en')} rows were`
  const [stays, them] = rejected === 1 ? ['stays', 'it'] : ['stay', 'them']
  const words =
    `${what} imported before and rejected since, and ${dry_run ? 'would stay' : stays} so. ` +
    `To create ${them} anew, import ${them} alone, under another --name.`
  return ['', ...wrapped(words.split(' '))]
}

function refusedWords({ refused, refused_rows }: Summary, report: string | undefined): string[] {
  if (refused === 0) return []
  const lines = refused_rows.flatMap(({ line, problems }) => {
    const words = problems.map(({ message, remarks }) => problemWords(message, remarks))
    return wrapped(visible(`line ${line}: ${words.join('; ')}`).split(' '), '  ', '    ')
  })
  const more = refused - refused_rows.length
  const where = report === undefined ? '--report FILE names them all' : `see ${report}`
  return ['', 'refused:', ...lines, ...(more > 0 ? [`  and ${more} more; ${where}`] : [])]
}

/** Most messages name their field already. */
function problemWords(message: string, remarks: string): string {
  return remarks === '' || message.includes(remarks) ? message : `${remarks}: ${message}`
}

function stopWords({ stopped, last_line, unanswered, dry_run, ...summary }: Summary): string[] {
  if (stopped === null) return []
  const why =
    stopped === 'interrupted'
      ? `Stopped after line ${last_line}.`
      : `The database does not answer; what became of the last ${unanswered} rows is not known.`
  const then = dry_run
    ? 'Run the same command again.'
    : 'Run the same command again to go on: rows that were written are known by the name ' +
      `"${visible(summary.import)}" and are not written twice.`
  return ['', ...wrapped(`${why} ${then}`.split(' '))]
}

/** Words in lines of 80 columns; a longer word has a line of its own. */
export function wrapped(words: readonly string[], first = '', further = first): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of words) {
    const longer = empty ? `${line}${word}` : `${line} ${word}`
    if (empty || widthOf(longer) <= WIDTH) {
      line = longer
    } else {
      lines.push(line)
      line = `${further}${word}`
    }
    empty = false
  }
  return [...lines, line]
}
