// corridor file quarantine|read|close: what banks have sent that was not applied, whole files and
// single lines.
import type { Command } from 'commander'
import {
  closeQuarantined,
  closeStrays,
  findInboxFiles,
  type InboxFile,
  type InboxQuery,
  type KeptStray,
  listInbox,
  listStrays,
  readAgain,
} from '../bank-file/inbox-store.ts'
import { type Context, example, named, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_REASON, readLimit, readText } from './input.ts'
import { listing, toSecond } from './table.ts'

const HASH = '9f86d081884c'

export function quarantineCommands(file: Command): void {
  file
    .command('quarantine')
    .description('list files of banks, and lines of them, that were not applied, newest first')
    .option('--rail <rail>', 'only those of this rail')
    .option('--all', 'what somebody has closed, too')
    .option('--limit <count>', `most of each to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .addHelpText('after', example('file quarantine --rail main_bank'))
    .action(listAction)
  named(file, 'read', 'read a quarantined file again, after what was wrong is mended')
    .argument('<sha256>', 'the beginning of its hash')
    .addHelpText('after', example(`file read ${HASH}`))
    .action(readAction)
  named(file, 'close', 'note that you have looked at what was not applied, a file or lines of it')
    .argument('<sha256>', 'the beginning of the hash of the file')
    .requiredOption('--note <text>', `what came of it, up to ${MAX_REASON} characters`, readNote)
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

async function listAction({ rail, limit, all = false }: InboxQuery): Promise<void> {
  const { files, lines } = await withContext(async ({ audit }) => ({
    files: await listInbox(audit, { rail, state: 'quarantined', all, limit }),
    lines: await listStrays(audit, { rail, all, limit }),
  }))
  const fileRows = files.map(file => ({
    file: file.sha256.slice(0, 12),
    rail: file.rail,
    name: file.name,
    received: toSecond(file.received_at),
    'nothing of it is applied': withCloser(file),
  }))
  const lineRows = lines.map(line => ({
    file: line.sha256.slice(0, 12),
    name: line.name,
    position: line.position,
    'this line is not applied': withCloser(line),
  }))
  const words = [
    listing(fileRows, 'no file is quarantined'),
    listing(lineRows, 'no line is set aside'),
  ]
  print({ files: files.map(presentInboxFile), lines }, words.join('\n\n'))
}

function withCloser({ reason, closed_by, note }: InboxFile | KeptStray): string {
  return closed_by === '' ? reason : `${reason} (${closed_by}: ${note})`
}

function readNote(text: string): string {
  return readText('--note', text, MAX_REASON)
}

function presentInboxFile(file: InboxFile) {
  return { ...file, size: Number(file.size) }
}

async function readAction(prefix: string): Promise<void> {
  const file = await withContext(async context => {
    const file = await inboxFileOf(context, prefix)
    if (await readAgain(context.sql, file.sha256)) return file
    const { state, swept_at } = file
    const bytes = swept_at === null ? 'are not here' : `were swept at ${swept_at}`
    const why = state === 'quarantined' ? `its bytes ${bytes}` : `it is ${state}`
    throw new CommandFailed(`file ${file.name} cannot be read again: ${why}`)
  })
  const data = { ...presentInboxFile(file), state: 'stored' }
  print(data, `${file.name}  is read again by the running service`)
}

async function closeAction(prefix: string, options: { note: string; position?: string }) {
  const { note, position } = options
  const { file, count } = await withContext(async context => {
    const by = { person: personOf(context), note }
    const file = await inboxFileOf(context, prefix)
    const { sha256 } = file
    const whole = position === undefined && (await closeQuarantined(context.sql, sha256, by))
    return { file, count: whole ? null : await closeStrays(context.sql, sha256, position, by) }
  })
  const { sha256, name } = file
  if (count === null) return print({ file: sha256, closed: 'file' }, `${name}  is closed`)
  if (count === 0) throw new CommandFailed(`no line of ${name} is open that this names`)
  const words = count === 1 ? 'one line is closed' : `${count} lines are closed`
  print({ file: sha256, closed: count }, `${name}  ${words}`)
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
