// corridor file resend|reseal sends a file, or its payments, again. corridor file
// quarantine|read|close handles what was not applied. The other commands are actions.
import type { Command } from 'commander'
import {
  closeQuarantined,
  closeSetAsideLines,
  findInboxFiles,
  type InboxFile,
  type InboxQuery,
  listInbox,
  listSetAsideLines,
  readAgain,
  type StoredSetAsideLine,
} from '../adapters/bank-file/inbox-store.ts'
import { listItemsOf } from '../adapters/bank-file/item-store.ts'
import { resealFile, resendFile } from '../adapters/bank-file/resend.ts'
import { takenBackWords } from '../operator/file-decisions.ts'
import { files } from '../operator/files.ts'
import { fileNamed, presentFile } from '../operator/shown-file.ts'
import { toSecond } from '../values/text/age.ts'
import { commandsOf } from './action.ts'
import { addCommand, type Context, example, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_REASON, readLimit, readReason, readText } from './input.ts'
import { listing } from './table.ts'

const ID = 'C1M7XPM2M0C6HKD4'
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const REASON = `why, up to ${MAX_REASON} characters`

export function fileCommands(file: Command): void {
  commandsOf(files)(file)
  addFileCommand(
    file,
    'resend',
    'send a file again: the same bytes, message id and name',
    RESEND_HELP,
  )
    .requiredOption('--reason <text>', REASON, readReason)
    .option('--force', 'the bank does not have it, and is to have it')
    .action(resendAction)
  const reseal = 'put the payments of a file that the bank has refused into the next file'
  addFileCommand(file, 'reseal', reseal, RESEAL_HELP)
    .requiredOption('--reason <text>', REASON, readReason)
    .option('--force', 'the bank pays none of them, though it has said something else')
    .action(resealAction)
  quarantineCommands(file)
}

function addFileCommand(file: Command, name: string, description: string, help: string): Command {
  return addCommand(file, name, description)
    .argument('<file>', 'its message id')
    .addHelpText('after', help)
}

const RESEND_HELP = `
For a file that may not have arrived. A bank that takes each file once, by its
message id, refuses what it has (the profile says so: resend_is_safe). Ask any
other bank first: a file that arrives twice is paid twice.

Example:
  corridor file resend ${ID} --force \\
    --reason "The bank has no such file, says Ms Ito by phone"`

const RESEAL_HELP = `
For a file that the bank has refused as a whole, once its cause is mended. The
payments keep their ids; those that are over by now, that wait for a person, or
that the bank has accepted by name, are left out.

Example:
  corridor file reseal ${ID} \\
    --reason "The account was blocked until today"`

interface ReasonOptions {
  readonly reason: string
  readonly force?: boolean
}

async function resendAction(msg_id: string, { reason, force = false }: ReasonOptions) {
  const file = await withContext(async context => {
    const { sql, audit } = context
    const note = noteOf(context, reason)
    const file = await fileNamed(sql, msg_id)
    const items = await listItemsOf(audit, msg_id)
    const fault = await resendFile(sql, file, { force, note, items })
    if (fault !== undefined) throw new CommandFailed(fault)
    return fileNamed(sql, msg_id)
  })
  print(presentFile(file), `${msg_id}  is sent again, as it is`)
}

async function resealAction(msg_id: string, { reason, force = false }: ReasonOptions) {
  const taken_back = await withContext(async context => {
    const { sql, audit } = context
    const file = await fileNamed(sql, msg_id)
    const note = noteOf(context, reason)
    const items = await listItemsOf(audit, msg_id)
    if (items.length === 0) throw new CommandFailed(`file ${msg_id} has no payment any more`)
    if (file.state !== 'rejected') {
      throw new CommandFailed(`file ${msg_id} is ${file.state}: the bank has not refused it`)
    }
    const done = await resealFile(sql, { file, note, items, force })
    if ('fault' in done) throw new CommandFailed(done.fault)
    return { file: msg_id, payments: done.count, left_out: items.length - done.count }
  })
  print(taken_back, takenBackWords(taken_back))
}

function noteOf(context: Context, reason: string): string {
  return `${personOf(context)}: ${reason}`
}

function quarantineCommands(file: Command): void {
  file
    .command('quarantine')
    .description('list files of banks, and lines of them, that were not applied, newest first')
    .option('--rail <rail>', 'only those of this rail')
    .option('--all', 'what somebody has closed, too')
    .option('--limit <count>', `most of each to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .addHelpText('after', example('file quarantine --rail main_bank'))
    .action(listQuarantined)
  addCommand(file, 'read', 'read a quarantined file again, after what was wrong is mended')
    .argument('<sha256>', 'the beginning of its hash')
    .addHelpText('after', example(`file read ${HASH.slice(0, 12)}`))
    .action(readAgainAction)
  file
    .command('close')
    .description('note that you have looked at what was not applied, a file or lines of it')
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
  corridor file close ${HASH.slice(0, 12)} \\
    --note "A fee of the bank; booked by hand"`

async function listQuarantined({ rail, limit, all = false }: InboxQuery): Promise<void> {
  const { files, lines } = await withContext(async ({ audit }) => ({
    files: await listInbox(audit, { rail, state: 'quarantined', all, limit }),
    lines: await listSetAsideLines(audit, { rail, all, limit }),
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

function withCloser({ reason, closed_by, note }: InboxFile | StoredSetAsideLine): string {
  return closed_by === '' ? reason : `${reason} (${closed_by}: ${note})`
}

const readNote = (text: string) => readText('--note', text, MAX_REASON)

function presentInboxFile(file: InboxFile) {
  return { ...file, size: Number(file.size) }
}

async function readAgainAction(prefix: string): Promise<void> {
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
    const is_closed = position === undefined && (await closeQuarantined(context.sql, sha256, by))
    return {
      file,
      count: is_closed ? null : await closeSetAsideLines(context.sql, sha256, position, by),
    }
  })
  const { sha256, name } = file
  if (count === null) return print({ file: sha256, closed: 'file' }, `${name}  is closed`)
  if (count === 0) {
    const where = position === undefined ? '' : ` at position "${position}"`
    throw new CommandFailed(`file ${name} has no open line${where}`)
  }
  const words = count === 1 ? 'one line is closed' : `${count} lines are closed`
  print({ file: sha256, closed: count }, `${name}  ${words}`)
}

/** The hash has this beginning, 4 hex digits at least. */
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
