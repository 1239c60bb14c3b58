// What commands that import files share: their options, the report, the bar, Ctrl-C, and the run
// from the first row to the summary. Knows not what rows stand for.
import { access, constants, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Account } from '../account/rules.ts'
import { connect, type Sql } from '../db/connect.ts'
import {
  CommandFailed,
  type Context,
  findAccount,
  print,
  UsageError,
  withContext,
} from './context.ts'
import type { ColumnSet } from './import-columns.ts'
import { type ImportFile, openImportFile } from './import-file.ts'
import { openReport, type Presented, type Report } from './import-report.ts'
import { type ImportRun, runImport } from './import-run.ts'
import type { ImportSummary } from './import-words.ts'
import { type Bar, cutTo, startBar, visible } from './terminal.ts'

export interface ImportOptions {
  readonly account: string
  readonly dryRun?: boolean
  readonly report?: string
  readonly name?: string
  readonly json?: boolean
}

/** What one kind of import is made of. */
export interface ImportKind<Draft, Result, Summary extends ImportSummary> {
  readonly columns: ColumnSet
  start(base: ImportSummary): Summary
  open(work: ImportWork<Summary>): Promise<OpenImport<Draft, Result>>
  count(summary: Summary, result: Result): void
  present(result: Result): Presented
  /** The summary as JSON; as it is unless said. */
  data?(summary: Summary): object
  words(summary: Summary, report: string | undefined): string
}

export interface ImportWork<Summary> {
  /** As many connections as batches need that follow each other at once, and some. */
  readonly pool: Sql
  readonly context: Context
  readonly account: Account
  readonly file: ImportFile
  readonly summary: Summary
}

export type OpenImport<Draft, Result> = Pick<ImportRun<Draft, Result>, 'draft' | 'importer'> & {
  close?(): Promise<void>
}

/** `corridor … import FILE` with the options that all imports have. */
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
    .option('--json', 'print JSON')
    .addHelpText('after', words.help)
}

/** Imports the file and prints the summary. */
export async function importFrom<Draft, Result, Summary extends ImportSummary>(
  kind: ImportKind<Draft, Result, Summary>,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const name = basename(path)
  const import_name = options.name ?? name
  if (import_name.trim() === '') throw new UsageError('--name must not be blank')
  const size = await sizeOf(path)
  const file = await openImportFile(path, name, kind.columns)
  const summary = kind.start(startSummary(file, import_name, options))
  await withContext(async context => {
    const account = await findAccount(context.sql, options.account)
    // Last, as it empties the report of the run before.
    const report = options.report === undefined ? null : await openReport(options.report, path)
    try {
      await importFile(kind, { context, account, file, summary }, { size, report })
    } finally {
      await report?.close()
    }
  })
  // Of rows that nobody answered for, it says so below.
  if (summary.rows === 0 && summary.stopped === null) {
    throw new CommandFailed(`${name} has no rows; nothing was written`)
  }
  print(options, kind.data?.(summary) ?? summary, kind.words(summary, options.report))
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

function startSummary(
  file: ImportFile,
  import_name: string,
  options: ImportOptions,
): ImportSummary {
  return {
    file: file.name,
    import: import_name,
    account: options.account,
    dry_run: options.dryRun === true,
    stopped: null,
    rows: 0,
    imported_before: 0,
    refused: 0,
    unanswered: 0,
    refused_rows: [],
    last_line: 0,
    duration_ms: 0,
    rows_per_second: 0,
  }
}

async function importFile<Draft, Result, Summary extends ImportSummary>(
  kind: ImportKind<Draft, Result, Summary>,
  work: Omit<ImportWork<Summary>, 'pool'>,
  { size, report }: { size: number; report: Report | null },
): Promise<void> {
  const { file, summary, context } = work
  // Plans made while the table is small must not scan it when it is large.
  const pool = connect(context.url, {
    max: 4,
    as: 'service',
    application_name: 'corridor import',
    look_ups: true,
  })
  const interrupt = listenForInterrupt()
  const bar = barOf(file.name, size)
  const started = performance.now()
  let opened: OpenImport<Draft, Result> | undefined
  try {
    opened = await kind.open({ ...work, pool })
    const { unanswered, stopped } = await runImport({
      ...opened,
      file,
      stopped: interrupt.came,
      async onResults(results, bytes_read) {
        for (const result of results) kind.count(summary, result)
        await report?.write(results.map(kind.present))
        bar?.update(bytes_read, { rows: summary.rows.toLocaleString('en') })
      },
    })
    summary.unanswered = unanswered
    if (unanswered > 0) summary.stopped = 'unavailable'
    else if (stopped) summary.stopped = 'interrupted'
  } finally {
    bar?.stop()
    interrupt.end()
    await opened?.close?.()
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

/** Columns of the file's name and of the bar, so that the line of both and counts has 80. */
const NAME_WIDTH = 20
const BAR_WIDTH = 20

function barOf(name: string, total: number): Bar | undefined {
  const named = cutTo(visible(name).replaceAll(/[{}]/g, '_'), NAME_WIDTH)
  const format = `${named} {bar} {percentage}% | {rows} rows | {eta_formatted} left`
  return startBar(format, { total, payload: { rows: '0' }, barsize: BAR_WIDTH })
}
