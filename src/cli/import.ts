// What `corridor entity import` and `corridor payout import` share. This file does not know what
// rows ask for.
import { access, constants, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { operatorMaker } from '../accounts/maker.ts'
import { presentProblem } from '../http/errors.ts'
import { type ColumnSet, type ImportFile, openFile } from '../imports/file.ts'
import type { Import, RunEnd } from '../imports/run.ts'
import { accountNamed } from '../operator/operator-write.ts'
import { connect } from '../sql/connect.ts'
import type { Problem } from '../values/errors.ts'
import { type Context, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { refuseProblems } from './input.ts'
import { startBar } from './progress-bar.ts'
import { table } from './table.ts'
import { cutTo, paragraph, visible, wrapped } from './terminal.ts'

export interface ImportOptions {
  readonly account: string
  readonly dryRun?: boolean
  readonly report?: string
  readonly name?: string
}

export interface ImportKind<Row, Summary extends ImportSummary> {
  readonly columns: ColumnSet
  start(base: ImportSummary): Summary
  run(options: Import<Row>, summary: Summary, context: Context): Promise<RunEnd>
  count(summary: Summary, row: Row): void
  present(row: Row): ReportLine
  data(summary: Summary): object
  words(summary: Summary, report: string | undefined): string
}

export function addImportCommand(
  group: Command,
  words: { readonly description: string; readonly account: string; readonly help: string },
): Command {
  return group
    .command('import')
    .description(words.description)
    .argument('<file>', 'path of a .csv or .jsonl file')
    .requiredOption('--account <id>', words.account)
    .option('--dry-run', 'decide about every row and write nothing')
    .option('--report <file>', 'write what became of each row here: .csv, or one JSON line a row')
    .option(
      '--name <import>',
      'what rows are known by when they are run again (default: file name)',
    )
    .addHelpText('after', words.help)
}

export async function importFrom<Row, Summary extends ImportSummary>(
  kind: ImportKind<Row, Summary>,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const name = basename(path)
  const import_name = options.name ?? name
  if (import_name.trim() === '') throw new UsageError('--name must not be blank')
  const size = await sizeOf(path)
  const file = await openFile(path, kind.columns)
  if ('problems' in file) {
    const problems = file.problems.map(one => ({ ...one, message: visible(one.message) }))
    refuseProblems(visible(name), problems)
    throw new CommandFailed(`${visible(name)} has no header line; nothing was written`)
  }
  const summary = kind.start(startSummary(file, import_name, options))
  await withContext(async context => {
    const account = await accountNamed(context.sql, options.account)
    // Comes last, because it empties the report of an earlier run.
    const report = options.report === undefined ? null : await openReport(options.report, path)
    const shown_name = cutTo(visible(name).replaceAll(/[{}]/g, '_'), NAME_WIDTH)
    const format = `${shown_name} {bar} {percentage}% | {rows} rows | {eta_formatted} left`
    const bar = startBar(format, { total: size, payload: { rows: '0' }, barsize: BAR_WIDTH })
    try {
      await runFile(kind, context, { account, file }, summary, async (rows, bytes_read) => {
        await report?.write(rows.map(kind.present))
        bar?.update(bytes_read, { rows: summary.rows.toLocaleString('en') })
      })
    } finally {
      bar?.stop()
      await report?.close()
    }
  })
  // The summary reports a database that did not answer.
  if (summary.rows === 0 && summary.stopped === null) {
    throw new CommandFailed(`${name} has no rows; nothing was written`)
  }
  print(kind.data(summary), kind.words(summary, options.report))
  if (summary.refused > 0 || summary.stopped !== null) process.exitCode = 1
}

async function sizeOf(path: string): Promise<number> {
  if (!/\.(csv|jsonl)$/i.test(path)) {
    throw new UsageError(`${path} must be named .csv or .jsonl, by what is in it`)
  }
  const [found] = await Promise.all([stat(path), access(path, constants.R_OK)]).catch(error => {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`)
  })
  if (!found.isFile()) throw new UsageError(`cannot read ${path}: it is no file`)
  return found.size
}

/** Each kind of import adds a count for each of its results. */
export type ImportSummary = ReturnType<typeof startSummary>

function startSummary(file: ImportFile, import_name: string, options: ImportOptions) {
  return {
    file: file.name,
    import: import_name,
    account: options.account,
    dry_run: options.dryRun === true,
    /** Why the run ended before the end of the file. */
    stopped: null as 'interrupted' | 'unavailable' | null,
    rows: 0,
    imported_before: 0,
    refused: 0,
    /** Rows that got no answer from the database. */
    unanswered: 0,
    refused_rows: [] as { line: number; problems: ReturnType<typeof presentProblem>[] }[],
    last_line: 0,
    duration_ms: 0,
    rows_per_second: 0,
  }
}

/** Calls `onCounted` after each batch. */
async function runFile<Row, Summary extends ImportSummary>(
  kind: ImportKind<Row, Summary>,
  context: Context,
  target: Pick<Import<Row>, 'account' | 'file'>,
  summary: Summary,
  onCounted: (rows: readonly Row[], bytes_read: number) => Promise<void>,
): Promise<void> {
  // With `look_ups`, a plan from the time when a table was small uses the index for ever.
  const session = { as: 'service', application_name: 'corridor import', look_ups: true } as const
  const sql = connect(context.url, { max: 4, ...session, ...context.author })
  const interrupt = listenForInterrupt()
  const started = performance.now()
  try {
    const { import: name, dry_run } = summary
    const onResults = async (rows: readonly Row[], bytes_read: number) => {
      for (const row of rows) kind.count(summary, row)
      await onCounted(rows, bytes_read)
    }
    const maker = operatorMaker(context.config.user)
    const isStopped = interrupt.hasCome
    const options = { ...target, sql, name, dry_run, maker, isStopped, onResults }
    const { unanswered, stopped } = await kind.run(options, summary, context)
    summary.unanswered = unanswered
    if (unanswered > 0) summary.stopped = 'unavailable'
    else if (stopped) summary.stopped = 'interrupted'
  } finally {
    interrupt.end()
    await sql.end({ timeout: 5 })
  }
  summary.duration_ms = Math.ceil(performance.now() - started)
  summary.rows_per_second = Math.floor((summary.rows * 1000) / summary.duration_ms)
}

/** The first Ctrl-C ends the run in order, the second ends the process. */
function listenForInterrupt() {
  let has_come = false
  const listener = () => {
    has_come = true
    process.stderr.write('\nstopping after the rows in hand; Ctrl-C again stops at once\n')
  }
  process.once('SIGINT', listener)
  return { hasCome: () => has_come, end: () => void process.off('SIGINT', listener) }
}

/** Widths of the file's name and of the bar. With the counts, the line has 80 columns. */
const NAME_WIDTH = 20
const BAR_WIDTH = 20

/** Problems are as the API answers them. */
interface ReportLine {
  readonly problems: readonly { readonly reason: string; readonly message: string }[]
}

/** Overwrites an earlier report, but refuses the path of the imported file. */
async function openReport(path: string, source_path: string) {
  const [existing, source] = await Promise.all([stat(path).catch(() => null), stat(source_path)])
  if (existing !== null && existing.dev === source.dev && existing.ino === source.ino) {
    throw new UsageError('--report names the file that is read')
  }
  const file = await open(path, 'w').catch((error: Error) => {
    throw new UsageError(`cannot write ${path}: ${error.message}`)
  })
  const jsonLines = (rows: readonly ReportLine[]) =>
    rows.map(row => `${JSON.stringify(row)}\n`).join('')
  const linesOf = /\.csv$/i.test(path) ? csvLines() : jsonLines
  const write = (rows: readonly ReportLine[]) =>
    file.writeFile(rows.length === 0 ? '' : linesOf(rows)).catch((error: Error) => {
      throw new CommandFailed(`the report cannot be written: ${error.message}; run again`)
    })
  return { write, close: () => file.close() }
}

/** All problems of a row are in one cell. */
function csvLines(): (rows: readonly ReportLine[]) => string {
  let has_header = false
  return rows => {
    const lines = rows.map(row => {
      // The cell begins with a reason, so that no spreadsheet takes it for a formula.
      const problems = row.problems.map(({ reason, message }) => `${reason}: ${message}`)
      return Object.values({ ...row, problems: problems.join('; ') })
    })
    if (!has_header) lines.unshift(Object.keys(rows[0] ?? {}))
    has_header = true
    return lines.map(cells => `${cells.map(cellOf).join(',')}\r\n`).join('')
  }
}

function cellOf(value: unknown): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const MAX_NAMED = 20

export function countRow(
  summary: ImportSummary,
  { line, result, problems }: { line: number; result: string; problems: readonly Problem[] },
): void {
  summary.rows += 1
  summary.last_line = line
  if (result !== 'refused') return
  summary.refused += 1
  if (summary.refused_rows.length === MAX_NAMED) return
  summary.refused_rows.push({ line, problems: problems.map(presentProblem) })
}

/** In the order of the table. */
export type Results = readonly (readonly [what: string, rows: number])[]

export function mostFirst(counts: Readonly<Record<string, number>>, before = ''): Results {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a)
  return sorted.map(([name, rows]) => [`  ${before}${name}`, rows])
}

/** A line for some of the rows that the line above counts; none without rows. */
export function ofWhich(rows: number, what: string): Results {
  return rows === 0 ? [] : [[`  of which ${what}`, rows]]
}

/** For rows that the import does not make again. */
export function anewWords(rows: number, became: string, verb: string): string {
  if (rows === 0) return ''
  const were = rows === 1 ? '1 row was' : `${rows.toLocaleString('en')} rows were`
  const them = rows === 1 ? 'it' : 'them'
  const text =
    `${were} imported before and ${became}. ` +
    `To ${verb} ${them} anew, import ${them} alone, under another --name.`
  return paragraph(text)
}

/**
 * `parts` are further paragraphs. `participle` says what happens to no row twice, such as `paid`.
 */
export function summaryWords(
  summary: ImportSummary,
  results: Results,
  parts: readonly string[],
  report: string | undefined,
  participle: string,
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
    ...parts.filter(Boolean).flatMap(part => ['', part]),
    ...refusedWords(summary, report),
    ...stopWords(summary, participle),
  ].join('\n')
}

function countsTable(summary: ImportSummary, results: Results): string {
  const counts: Results = [...results, ['in all', summary.rows]]
  const texts = counts.map(([what, times]) => [what, times.toLocaleString('en')] as const)
  const width = Math.max('rows'.length, ...texts.map(([, times]) => times.length))
  const rows = texts.map(([what, times]) => [what, times.padStart(width)])
  const heading = summary.dry_run ? 'what would become of them' : 'what became of them'
  return table([heading, 'rows'.padStart(width)], rows)
}

function refusedWords({ refused, refused_rows }: ImportSummary, report: string | undefined) {
  if (refused === 0) return []
  const lines = refused_rows.flatMap(({ line, problems }) => {
    // Most messages name their field already.
    const words = problems.map(({ message, remarks }) =>
      remarks === '' || message.includes(remarks) ? message : `${remarks}: ${message}`,
    )
    const text = visible(`line ${line}: ${words.join('; ')}`)
    return wrapped(text.split(' '), { first: '  ', further: '    ' })
  })
  const more = refused - refused_rows.length
  const where = report === undefined ? '--report FILE names them all' : `see ${report}`
  return ['', 'refused:', ...lines, ...(more > 0 ? [`  and ${more} more; ${where}`] : [])]
}

function stopWords(
  { stopped, last_line, unanswered, dry_run, ...summary }: ImportSummary,
  participle: string,
): string[] {
  if (stopped === null) return []
  const why =
    stopped === 'interrupted'
      ? `Stopped after line ${last_line}.`
      : `The database does not answer; what became of the last ${unanswered} rows is not known.`
  const next_step = dry_run
    ? 'Run the same command again.'
    : 'Run the same command again to go on: rows that were written are known by the name ' +
      `"${visible(summary.import)}" and are not ${participle} twice.`
  return ['', paragraph(`${why} ${next_step}`)]
}
