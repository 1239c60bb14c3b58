// corridor events archive|check|remove: moves old events of an account, with their chain of hashes,
// to a file.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { recordActs } from '../ledger/audit/store.ts'
import { accountNamed } from '../operator/operator-write.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { isSpread } from '../sql/shard.ts'
import {
  type ArchivedRow,
  type ArchiveEnd,
  type ArchiveHead,
  ArchiveWalk,
} from '../statements/event/archive.ts'
import { findChainHash, listRowsToArchive } from '../statements/event/archive-store.ts'
import type { Cut } from '../statements/event/cut.ts'
import { removeArchived } from '../statements/event/cut-operations.ts'
import { findCut } from '../statements/event/cut-store.ts'
import { syncFolder } from '../values/fsync.ts'
import { type Instant, instantFromIso } from '../values/instant.ts'
import { addCommand, type Context, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'

const PORTION = 1_000

export function archiveCommands(events: Command): void {
  addCommand(events, 'archive', 'write the events of an account before a time to a file')
    .argument('<account>', 'account id')
    .requiredOption('--before <time>', 'events before this ISO 8601 time', readBefore)
    .requiredOption('--to <file>', 'the file, which must not be there: JSON lines, gzip')
    .option(
      '--after <number>',
      'only events after this one; by default all that are there',
      readAfter,
    )
    .addHelpText('after', ARCHIVE_HELP)
    .action(archiveAction)
  addCommand(events, 'check', 'prove an archive, and hold it against the database')
    .argument('<file>', 'what corridor events archive has written')
    .option('--offline', 'without the database: the chain within the file alone')
    .addHelpText('after', CHECK_HELP)
    .action(checkAction)
  addCommand(events, 'remove', 'take the events that an archive has out of the database')
    .argument('<file>', 'what corridor events archive has written; keep it')
    .addHelpText('after', REMOVE_HELP)
    .action(removeAction)
}

const ARCHIVE_HELP = `
The file has each row with its hash in the chain, and is proved before it gets
its name. The events stay in the database until corridor events remove takes
them out. It holds personal data, which no erasure reaches: see docs/privacy.md.

Example:
  corridor events archive acc_7k2m9x4q --before 2026-01-01T00:00:00Z \\
    --to acc_7k2m9x4q-2025.jsonl.gz`

const CHECK_HELP = `
Each row must follow the one before it by number and hash, and the last must be
in the database under the same hash. Exits 1 naming the first wrong line.

Examples:
  corridor events check acc_7k2m9x4q-2025.jsonl.gz
  corridor events check acc_7k2m9x4q-2025.jsonl.gz --offline`

const REMOVE_HELP = `
First say how long events are kept: corridor privacy retention events. Each row
is held against the database before it goes, and digests stay, so that corridor
verify proves the books as before. What is owed to a webhook stays, and what
follows it. Interrupted, run it again. The file is then the only copy: keep it
in two places.

Example:
  corridor events remove acc_7k2m9x4q-2025.jsonl.gz`

const NEXT_STEP = 'They are in the database still: corridor events remove takes them out.'

function readBefore(text: string): Instant {
  const before = instantFromIso(text)
  if (before !== undefined) return before
  throw new UsageError('--before is an ISO 8601 time with an offset, as 2026-01-01T00:00:00Z')
}

function readAfter(text: string): string {
  if (/^\d{1,18}$/.test(text)) return text
  throw new UsageError('--after is the number of an event')
}

async function archiveAction(
  account_id: string,
  options: { before: Instant; to: string; after?: string },
): Promise<void> {
  const { before, to } = options
  const part = `${to}.part`
  const { after, ...end } = await withContext(async ({ audit, sql }) => {
    await accountNamed(audit, account_id)
    const cut = await findCut(audit, account_id)
    const after = options.after ?? String(cut?.sequence ?? 0n)
    if (cut !== undefined && BigInt(after) < cut.sequence) {
      throw new CommandFailed(`events up to ${cut.sequence} are in an earlier archive alone`)
    }
    const previous = await findChainHash(audit, account_id, BigInt(after))
    if (previous === undefined) throw new CommandFailed(`no row ends with event ${after}`)
    const head = { archive: 'corridor events', version: 1, account_id, before, after, previous }
    // The act comes first: if it cannot be recorded, nothing is written.
    const archived = { account_id, id: '', archived_after: after, archived_before: before }
    const act = { table_name: 'events' as const, reason: '', before: null, after: archived }
    await sql.begin(tx => recordActs(tx, [act]))
    await audit.begin('isolation level repeatable read read only', tx =>
      pipeline(linesOf(tx, head as ArchiveHead), createGzip(), createWriteStream(part, EXCLUSIVE)),
    )
    return { after, ...(await readArchive(part)).end }
  }).catch(async error => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(part, { force: true })
    throw error
  })
  await renameNew(part, to)
  const written = `${to}  ${end.rows} rows, up to event ${end.sequence}, hash ${end.hash}`
  print({ account_id, file: to, after, ...end }, `${written}\n${NEXT_STEP}`)
}

/** Creates a new file or fails, and flushes it before it is closed. */
const EXCLUSIVE = { flags: 'wx', flush: true, mode: 0o600 } as const

/** If the name is taken, deletes the file and fails. */
async function renameNew(part: string, to: string): Promise<void> {
  const is_there = await access(to, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (is_there) {
    await rm(part, { force: true })
    throw new CommandFailed(`${to} is there already; nothing was written`)
  }
  await rename(part, to)
  await syncFolder(dirname(to))
}

/** Fails at a row that breaks the chain. */
async function* linesOf(tx: TransactionSql, head: ArchiveHead): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`
  const walk = new ArchiveWalk(head)
  for (;;) {
    const { sequence: after } = walk.end
    const rows = await listRowsToArchive(tx, head.account_id, { ...head, after }, PORTION)
    for (const row of rows) {
      const wrong = walk.step(row)
      if (wrong !== undefined) throw new CommandFailed(`event ${row.sequence}: ${wrong}`)
      yield `${JSON.stringify(row)}\n`
    }
    if (rows.length < PORTION) break
  }
  yield `${JSON.stringify(walk.end)}\n`
}

type Archive = { readonly head: ArchiveHead; readonly end: ArchiveEnd }

async function readArchive(path: string): Promise<Archive> {
  const rows = walkArchive(path)
  for (;;) {
    const { done, value } = await rows.next()
    if (done === true) return value
  }
}

/** Throws at the first wrong line. */
async function* walkArchive(path: string): AsyncGenerator<ArchivedRow, Archive> {
  const file = createReadStream(path)
  const lines = createInterface({ input: file.pipe(createGunzip()), crlfDelay: Infinity })
  let number = 0
  let head: ArchiveHead | undefined
  let walk: ArchiveWalk | undefined
  let end: ArchiveEnd | undefined
  const fail = (what: string) => new CommandFailed(`line ${number}: ${what}`)
  for await (const line of lines) {
    number += 1
    const value = parsed(line)
    if (value === undefined || end !== undefined) throw fail('it is no line of an archive')
    if (walk === undefined) {
      if (!isHead(value)) throw fail('it is no head of an archive')
      head = value
      walk = new ArchiveWalk(head)
    } else if ('told' in value) {
      const wrong = walk.step(value as ArchivedRow)
      if (wrong !== undefined) throw fail(wrong)
      yield value as ArchivedRow
    } else {
      const wrong = walk.finish(value as ArchiveEnd)
      if (wrong !== undefined) throw fail(wrong)
      end = value as ArchiveEnd
    }
  }
  if (head === undefined || end === undefined) throw fail('the archive ends before its last line')
  return { head, end }
}

function isHead(value: object): value is ArchiveHead {
  const { archive, version } = value as Partial<ArchiveHead>
  return archive === 'corridor events' && version === 1
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** A file that is no whole gzip fails the command. */
function proveArchive(path: string): Promise<Archive> {
  return readArchive(path).catch(error => {
    const { code } = error as NodeJS.ErrnoException
    throw code?.startsWith('Z_') ? new CommandFailed(`${path} is no whole gzip file`) : error
  })
}

async function checkAction(path: string, { offline = false }: { offline?: boolean }) {
  const { head, end } = await proveArchive(path)
  const { account_id } = head
  if (!offline) {
    const found = await withContext(({ audit }) =>
      findChainHash(audit, account_id, BigInt(end.sequence)),
    )
    if (found !== end.hash) {
      throw new CommandFailed(
        `event ${end.sequence} of account ${account_id} has another hash in the database: ` +
          `${found ?? 'none'}, and ${end.hash} in the archive`,
      )
    }
  }
  const compared = offline ? '' : ', as in the database'
  const words = `${path}  ${end.rows} rows of ${account_id} in order, up to event ${end.sequence}`
  print({ ok: true, account_id, ...end }, `${words}${compared}`)
}

async function removeAction(path: string): Promise<void> {
  const { head, end } = await proveArchive(path)
  const done = await withContext(async context => {
    if (isSpread()) throw new CommandFailed(SPREAD)
    const person = personOf(context)
    return remove(context, path, head, { file: await digestOfFile(path), person })
  })
  const { account_id } = head
  const left = done.kept === undefined ? '' : `; ${done.kept}`
  const words = `${done.removed} rows of ${account_id} taken out, up to event ${done.last}${left}`
  print({ account_id, ...done, of: end.sequence, kept: done.kept ?? null }, words)
}

const SPREAD = 'a spread database has sandboxes alone and archives nothing'

/** By portions, each in a transaction of its own. */
async function remove(
  { sql, audit }: Context,
  path: string,
  head: ArchiveHead,
  by: { readonly file: string; readonly person: string },
) {
  const { account_id } = head
  await accountNamed(audit, account_id)
  const cut = await findCut(audit, account_id)
  const after = cut?.sequence ?? 0n
  if (BigInt(head.after) > after) {
    throw new CommandFailed(
      `the archive begins after event ${head.after}, and ${after} is the last ` +
        'that an archive has: begin with the events between them',
    )
  }
  let removed = 0
  let kept: string | undefined
  let rows: ArchivedRow[] = []
  const removePortion = async () => {
    if (rows.length === 0 || kept !== undefined) return
    const done = await removeArchived(sql, { account_id, rows, ...by })
    removed += done.removed
    kept = done.kept
    rows = []
  }
  for await (const row of walkArchive(path)) {
    if (kept !== undefined) break
    if (BigInt(row.sequence) <= after) checkCut(row, cut)
    else rows.push(row)
    if (rows.length === PORTION) await removePortion()
  }
  await removePortion()
  const last = (await findCut(audit, account_id))?.sequence ?? 0n
  return { removed, last: String(last), kept }
}

/** The row of the last cut must have the same hash in the archive, if the archive has that row. */
function checkCut({ sequence, hash }: ArchivedRow, cut: Cut | undefined): void {
  if (cut === undefined || BigInt(sequence) !== cut.sequence || hash === cut.hash) return
  throw new CommandFailed(`event ${sequence} has another hash than what was taken out`)
}

async function digestOfFile(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const bytes of createReadStream(path)) digest.update(bytes as Buffer)
  return digest.digest('hex')
}
