// corridor entity import: entities created from a file, under the duplicate rules, as often as it
// takes. Options in, a summary and a report out; the run itself is in entity-import-run.ts.
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Presets, SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { connect } from '../db/connect.ts'
import { COLUMN_NAMES } from '../entity/import.ts'
import { findAccount } from './account.ts'
import { CommandFailed, type Context, print, UsageError, withContext } from './context.ts'
import {
  type ImportFile,
  openImportFile,
  previewingImporter,
  runImport,
  writingImporter,
} from './entity-import-run.ts'
import {
  countResult,
  presentResult,
  type Summary,
  summaryWords,
  wrapped,
} from './entity-import-words.ts'
import { openEntityReader } from './entity-reader.ts'
import { cutTo, visible } from './terminal.ts'

interface Options {
  account: string
  dryRun?: boolean
  report?: string
  name?: string
  json?: boolean
}

const HELP = `
.jsonl: one creation a line, as POST /v3/entity takes it.
.csv: cells separated by commas under a header of columns, in any order, of
which name and type must be there; an empty cell is a member that is not set.
The columns:
${wrapped(COLUMN_NAMES.join(', ').split(' '), '  ').join('\n')}

A row that the account has already is matched, by the rules of POST /v3/entity,
and creates nothing. A refused row stops no other.

Every row is known again under the name of the import, so the same file may be
run any number of times: correct what was refused, or go on after a stop, and
run it again. Under another file name, give the first one as --name.

A row that created an entity stays imported before when that one was rejected
since, with its approval_status in the report: run again, it does not bring back
what was rejected. To create it anew, import it alone, under another --name. A
row that was matched is judged again.

Exit code 1 when a row was refused or the run has not come to the end.

Examples:
  npx corridor entity import people.csv --dry-run \\
    --account acc_01m7xpm2kyj94bggdx1c
  npx corridor entity import people.csv --report results.jsonl \\
    --account acc_01m7xpm2kyj94bggdx1c`

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

async function importAction(path: string, options: Options): Promise<void> {
  const name = basename(path)
  const import_name = options.name ?? name
  if (import_name.trim() === '') throw new UsageError('--name must not be blank')
  const size = await sizeOf(path)
  const file = await openImportFile(path, name)
  const summary = startSummary(file, import_name, options)
  await withContext(async context => {
    await findAccount(context.sql, options.account)
    // Last, as it empties the report of the run before.
    const report = options.report === undefined ? null : await openReport(options.report, path)
    try {
      await importFile(context, file, summary, { size, report })
    } finally {
      await report?.close()
    }
  })
  if (summary.rows === 0) throw new CommandFailed(`${name} has no rows; nothing was written`)
  print(options, summary, summaryWords(summary, options.report))
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
    rejected_since: 0,
    refused: 0,
    unanswered: 0,
    refused_rows: [],
    last_line: 0,
    duration_ms: 0,
    rows_per_second: 0,
  }
}

async function importFile(
  { url }: Context,
  file: ImportFile,
  summary: Summary,
  { size, report }: { size: number; report: FileHandle | null },
): Promise<void> {
  const { account, dry_run } = summary
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
        for (const result of results) countResult(summary, result)
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

/** Columns of the file's name and of the bar, so that the line of both and counts has 80. */
const NAME_WIDTH = 20
const BAR_WIDTH = 20

/** The bar goes to standard error, and only to a person: output stays clean for scripts. */
function startBar(name: string, size: number): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined
  const named = cutTo(visible(name).replaceAll(/[{}]/g, '_'), NAME_WIDTH)
  const options = {
    format: `${named} {bar} {percentage}% | {rows} rows | {eta_formatted} left`,
    stream: process.stderr,
    barsize: BAR_WIDTH,
    clearOnComplete: true,
    hideCursor: true,
  }
  const bar = new SingleBar(options, Presets.shades_classic)
  bar.start(size, 0, { rows: '0' })
  return bar
}
