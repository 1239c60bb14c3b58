// corridor entity import: entities created from a file, under the duplicate rules, as often as it
// takes. Options in, a summary and a report out; the run itself is in entity-import-run.ts.
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Presets, SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { connect } from '../db/connect.ts'
import { COLUMN_NAMES, type RowResult } from '../entity/import.ts'
import { CATALOGUE } from '../errors.ts'
import { findAccount } from './account.ts'
import { CommandFailed, type Context, print, table, UsageError, withContext } from './context.ts'
import {
  type ImportFile,
  openImportFile,
  previewingImporter,
  runImport,
  writingImporter,
} from './entity-import-run.ts'
import { openEntityReader } from './entity-reader.ts'
import { visible } from './terminal.ts'

interface Options {
  account: string
  dryRun?: boolean
  report?: string
  name?: string
  json?: boolean
}

const HELP = `
.jsonl: one creation a line, as POST /v3/entity takes it.
.csv: a header of columns in any order, of which name and type must be there; an empty cell is a
member that is not set. The columns:
${wrapped(COLUMN_NAMES)}

A row that the account has already is matched, by the rules of POST /v3/entity, and creates nothing.
A refused row stops no other. Every row is known again under the name of the import, so the same
file may be run any number of times: correct what was refused, or go on after a stop, and run it
again. Under another file name, give the first one as --name.

Exit code 1 when a row was refused or the run has not come to the end.

Examples:
  npx corridor entity import people.csv --account acc_… --dry-run
  npx corridor entity import people.csv --account acc_… --report results.jsonl`

export function importCommand(entity: Command): void {
  entity
    .command('import')
    .description('create entities from a file, passing over those that are there already')
    .argument('<file>', 'path of a .csv or .jsonl file')
    .requiredOption('--account <id>', 'the account they belong to')
    .option('--dry-run', 'decide about every row and write nothing')
    .option('--report <file>', 'write what became of each row here, one JSON line a row')
    .option(
      '--name <import>',
      'what rows are known by when they are run again (default: file name)',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(importAction)
}

/** What became of all rows so far. */
interface Summary {
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

async function importAction(path: string, options: Options): Promise<void> {
  const name = basename(path)
  const import_name = options.name ?? name
  if (import_name.trim() === '') throw new UsageError('--name must not be blank')
  const size = await sizeOf(path)
  const file = await openImportFile(path, name)
  const report = options.report === undefined ? null : await openReport(options.report, path)
  try {
    const summary = startSummary(file, import_name, options)
    await withContext(context => importFile(context, file, summary, { size, report }))
    if (summary.rows === 0) throw new CommandFailed(`${name} has no rows; nothing was written`)
    print(options, summary, summaryWords(summary, options.report))
    if (summary.refused > 0 || summary.stopped !== null) process.exitCode = 1
  } finally {
    await report?.close()
  }
}

async function sizeOf(path: string): Promise<number> {
  if (!/\.(csv|jsonl)$/.test(path)) {
    throw new UsageError(`${path} must be named .csv or .jsonl, by what is in it`)
  }
  const [found] = await Promise.all([stat(path), access(path, constants.R_OK)]).catch(error => {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`)
  })
  if (!found.isFile()) throw new UsageError(`cannot read ${path}: it is no file`)
  return found.size
}

/** Empties the report that was there, but never the file that is read. */
async function openReport(path: string, read_path: string): Promise<FileHandle> {
  const [there, read] = await Promise.all([stat(path).catch(() => null), stat(read_path)])
  if (there !== null && there.dev === read.dev && there.ino === read.ino) {
    throw new UsageError('--report names the file that is read')
  }
  return open(path, 'w').catch((error: Error) => {
    throw new UsageError(`cannot write ${path}: ${error.message}`)
  })
}

function startSummary(file: ImportFile, import_name: string, options: Options): Summary {
  return {
    file: file.name,
    import: import_name,
    account: options.account,
    dry_run: options.dryRun === true,
    stopped: null,
    rows: 0,
    created: 0,
    matched: 0,
    matched_by: {},
    imported_before: 0,
    refused: 0,
    unanswered: 0,
    refused_rows: [],
    last_line: 0,
    duration_ms: 0,
    rows_per_second: 0,
  }
}

async function importFile(
  { sql, url }: Context,
  file: ImportFile,
  summary: Summary,
  { size, report }: { size: number; report: FileHandle | null },
): Promise<void> {
  const { account, dry_run } = summary
  await findAccount(sql, account)
  // Plans made while the table is small must not scan it when it is large.
  const pool = connect(url, {
    max: 4,
    as: 'service',
    application_name: 'corridor import',
    look_ups: true,
  })
  const interrupt = listenForInterrupt()
  const bar = startBar(file.name, size)
  const started = performance.now()
  try {
    const { unanswered, stopped } = await runImport({
      file,
      import_name: summary.import,
      problemsOf: await openEntityReader(),
      importer: dry_run ? previewingImporter(pool, account) : await writingImporter(pool, account),
      stopped: interrupt.came,
      async onResults(results, bytes_read) {
        for (const result of results) count(summary, result)
        const lines = results.map(result => `${JSON.stringify(presentResult(result))}\n`)
        await report?.writeFile(lines.join('')).catch((error: Error) => {
          throw new CommandFailed(`the report cannot be written: ${error.message}; run again`)
        })
        bar?.update(bytes_read, { rows: summary.rows.toLocaleString('en') })
      },
    })
    summary.unanswered = unanswered
    if (unanswered > 0) summary.stopped = 'unavailable'
    else if (stopped) summary.stopped = 'interrupted'
  } finally {
    bar?.stop()
    interrupt.end()
    await pool.end({ timeout: 5 })
  }
  const duration_ms = Math.ceil(performance.now() - started)
  summary.duration_ms = duration_ms
  summary.rows_per_second = Math.floor((summary.rows * 1000) / duration_ms)
}

/** Ctrl-C once ends the run in order; twice ends the process. */
function listenForInterrupt() {
  let came = false
  const listener = () => {
    came = true
    process.stderr.write('\nstopping after the rows in hand; Ctrl-C again stops at once\n')
  }
  process.once('SIGINT', listener)
  return { came: () => came, end: () => void process.off('SIGINT', listener) }
}

/** The bar goes to standard error, and only to a person: output stays clean for scripts. */
function startBar(name: string, size: number): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined
  const named = visible(name).replaceAll(/[{}]/g, '_')
  const options = {
    format: `${named} {bar} {percentage}% | {rows} rows | {eta_formatted} left`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  }
  const bar = new SingleBar(options, Presets.shades_classic)
  bar.start(size, 0, { rows: '0' })
  return bar
}

function count(summary: Summary, result: RowResult): void {
  summary.rows += 1
  summary[result.result] += 1
  summary.last_line = result.line
  const { rule } = result
  if (rule !== null) summary.matched_by[rule] = (summary.matched_by[rule] ?? 0) + 1
  if (result.result !== 'refused' || summary.refused_rows.length === MAX_NAMED) return
  summary.refused_rows.push(presentResult(result))
}

/** A line of the report; problems as the API answers them. */
function presentResult({ line, result, entity, rule, matched_line, problems }: RowResult) {
  const errors = problems.map(({ reason, message, remarks }) => ({
    code: CATALOGUE[reason].code,
    reason,
    message,
    remarks,
  }))
  return { line, result, entity, rule, matched_line, problems: errors }
}

function summaryWords(summary: Summary, report: string | undefined): string {
  const by = Object.entries(summary.matched_by).sort(([, a], [, b]) => b - a)
  const counts: [string, number][] = [
    ['created', summary.created],
    ['matched', summary.matched],
    ...by.map(([rule, times]): [string, number] => [`  by ${rule}`, times]),
    ['imported before', summary.imported_before],
    ['refused', summary.refused],
    ['rows', summary.rows],
  ]
  const texts = counts.map(([what, times]) => [what, times.toLocaleString('en')] as const)
  const width = Math.max(...texts.map(([, times]) => times.length))
  const { duration_ms, rows_per_second } = summary
  const rows = texts.map(([what, times]) => [what, times.padStart(width)])
  return [
    `${visible(summary.file)} into ${summary.account}, as the import "${visible(summary.import)}"` +
      (summary.dry_run ? '; a dry run, nothing was written' : ''),
    '',
    table([summary.dry_run ? 'would be' : 'became', ''], rows),
    '',
    `${rows_per_second.toLocaleString('en')} rows/s, ${Math.ceil(duration_ms / 1000)} s`,
    ...refusedWords(summary, report),
    ...stopWords(summary),
  ].join('\n')
}

function refusedWords({ refused, refused_rows }: Summary, report: string | undefined): string[] {
  if (refused === 0) return []
  const lines = refused_rows.map(({ line, problems }) => {
    const words = problems.map(({ message, remarks }) => problemWords(message, remarks))
    return `  line ${line}: ${visible(words.join('; '))}`
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
  return ['', `${why} ${then}`]
}

function wrapped(names: readonly string[]): string {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || `${last}, ${name}`.length > 96) lines.push(`  ${name}`)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines.join(',\n')
}
