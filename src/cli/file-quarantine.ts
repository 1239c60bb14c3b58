// corridor file quarantine|read|close: what banks have sent that was not applied, whole files and
// single lines.
import type { Command } from 'commander'
import {
  closeQuarantined,
  closeStrays,
  findInboxFiles,
  type InboxFile,
  listInbox,
  listStrays,
  readAgain,
} from '../bank-file/inbox-store.ts'
import { type Context, named, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_REASON, readLimit, readText } from './input.ts'
import { table, toSecond } from './table.ts'

const HASH = '9f86d081884c'

export function quarantineCommands(file: Command): void {
  file
    .command('quarantine')
    .description('list files of banks, and lines of them, that were not applied, newest first')
    .option('--rail <rail>', 'only those of this rail')
    .option('--all', 'what somebody has closed, too')
    .option('--limit <count>', `most of each to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .addHelpText('after', '\nExample:\n  npx corridor file quarantine --rail main_bank')
    .action(listAction)
  named(file, 'read', 'read a quarantined file again, after what was wrong is mended')
    .argument('<sha256>', 'the beginning of its hash')
    .addHelpText('after', `\nExample:\n  npx corridor file read ${HASH}`)
    .action(readAction)
  named(file, 'close', 'note that you have looked at what was not applied, a file or lines of it')
    .argument('<sha256>', 'the beginning of the hash of the file')
    .requiredOption('--note <text>', `what came of it, up to ${MAX_REASON} characters`)
    .option('--position <position>', 'one line, by its position; otherwise all')
    .addHelpText('after', CLOSE_HELP)
    .action(closeAction)
}

const CLOSE_HELP = `
Closing applies nothing: what a line says of a payout, you book or move by hand.
A payment or a file that a line speaks of, and that waits, is sent after it.

Example:
  npx corridor file close ${HASH} \\
    --note "A fee of the bank; booked by hand"`

interface ListOptions {
  readonly rail?: string
  readonly all?: boolean
  readonly limit: number
}

async function listAction(options: ListOptions): Promise<void> {
  const { rail, limit, all = false } = options
  const { files, lines } = await withContext(async ({ audit }) => ({
    files: await listInbox(audit, { rail, state: 'quarantined', all, limit }),
    lines: await listStrays(audit, { rail, all, limit }),
  }))
  const fileRows = files.map(file => [
    file.sha256.slice(0, 12),
    file.rail,
    file.name,
    toSecond(file.received_at),
    withCloser(file.reason, file),
  ])
  const lineRows = lines.map(line => [
    line.sha256.slice(0, 12),
    line.name,
    line.position,
    withCloser(line.reason, line),
  ])
  const words = [
    files.length === 0
      ? 'no file is quarantined'
      : table(['file', 'rail', 'name', 'received', 'nothing of it is applied'], fileRows),
    lines.length === 0
      ? 'no line is set aside'
      : table(['file', 'name', 'position', 'this line is not applied'], lineRows),
  ]
  print({ files: files.map(presentInboxFile), lines }, words.join('\n\n'))
}

function withCloser(reason: string, by: { closed_by: string; note: string }): string {
  return by.closed_by === '' ? reason : `${reason} (${by.closed_by}: ${by.note})`
}

function presentInboxFile(file: InboxFile) {
  return { ...file, size: Number(file.size) }
}

async function readAction(prefix: string): Promise<void> {
  const file = await withContext(async context => {
    const file = await inboxFileOf(context, prefix)
    if (await readAgain(context.sql, file.sha256)) return file
    const why = file.state !== 'quarantined' ? `it is ${file.state}` : whereBytesAre(file)
    throw new CommandFailed(`file ${file.name} cannot be read again: ${why}`)
  })
  const data = { ...presentInboxFile(file), state: 'stored' }
  print(data, `${file.name}  is read again by the running service`)
}

function whereBytesAre({ swept_at }: InboxFile): string {
  return swept_at === null ? 'its bytes are not here' : `its bytes were swept at ${swept_at}`
}

interface CloseOptions {
  readonly note: string
  readonly position?: string
}

async function closeAction(prefix: string, options: CloseOptions): Promise<void> {
  const note = readText('--note', options.note, MAX_REASON)
  const { file, count } = await withContext(async context => {
    const person = personOf(context)
    const file = await inboxFileOf(context, prefix)
    const by = { person, note }
    const whole = options.position === undefined
    if (whole && (await closeQuarantined(context.sql, file.sha256, by)))
      return { file, count: null }
    return { file, count: await closeStrays(context.sql, file.sha256, options.position, by) }
  })
  if (count === null) {
    return print({ file: file.sha256, closed: 'file' }, `${file.name}  is closed`)
  }
  if (count === 0) throw new CommandFailed(`no line of ${file.name} is open that this names`)
  const words = count === 1 ? 'one line is closed' : `${count} lines are closed`
  print({ file: file.sha256, closed: count }, `${file.name}  ${words}`)
}

async function inboxFileOf({ audit }: Context, prefix: string): Promise<InboxFile> {
  const hash = prefix.trim().toLowerCase()
  if (!/^[0-9a-f]{4,64}$/.test(hash)) {
    throw new UsageError(`"${prefix}" is not the beginning of a sha256, 4 hex digits at least`)
  }
  const [file, another] = await findInboxFiles(audit, hash)
  if (file === undefined) {
    throw new CommandFailed(`there is no file ${prefix}; corridor file quarantine lists them`)
  }
  if (another !== undefined) throw new UsageError(`${prefix} begins several: give more digits`)
  return file
}
