// corridor events archive|check: old events of an account in a file that is proved by itself, and
// held against the database.
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { recordActs } from '../audit/store.ts'
import type { TransactionSql } from '../db/connect.ts'
import { transact } from '../db/transact.ts'
import {
  type ArchivedRow,
  type ArchiveEnd,
  type ArchiveHead,
  ArchiveWalk,
} from '../event/archive.ts'
import { findChainHash, listArchived } from '../event/archive-store.ts'
import { instantFromIso } from '../instant.ts'
import { CommandFailed, findAccount, type Json, print, UsageError, withContext } from './context.ts'

const PORTION = 1_000

export function archiveCommands(events: Command): void {
  events
    .command('archive')
    .description('write the events of an account before a time to a file')
    .argument('<account>', 'account id')
    .requiredOption('--before <time>', 'events before this ISO 8601 time')
    .requiredOption('--to <file>', 'the file, which must not be there: JSON lines, gzip')
    .option('--after <number>', 'only events after this one, as an earlier archive ended', '0')
    .addHelpText('after', ARCHIVE_HELP)
    .action(archiveAction)
  events
    .command('check')
    .description('prove an archive, and hold it against the database')
    .argument('<file>', 'what corridor events archive has written')
    .option('--offline', 'without the database: the chain within the file alone')
    .addHelpText('after', CHECK_HELP)
    .action(checkAction)
}

const ARCHIVE_HELP = `
The file has each row with its hash in the chain, and is proved before it gets
its name. The events stay in the database: the rows of payouts are proved by
them. It holds personal data, which no erasure reaches: see docs/privacy.md.

Example:
  npx corridor events archive acc_7k2m9x4q --before 2026-01-01T00:00:00Z \\
    --to acc_7k2m9x4q-2025.jsonl.gz`

const CHECK_HELP = `
Each row must follow the one before it by number and hash, and the last must be
in the database under the same hash. Exits 1 naming the first wrong line.

Examples:
  npx corridor events check acc_7k2m9x4q-2025.jsonl.gz
  npx corridor events check acc_7k2m9x4q-2025.jsonl.gz --offline`

interface ArchiveOptions extends Json {
  readonly before: string
  readonly to: string
  readonly after: string
}

async function archiveAction(account_id: string, options: ArchiveOptions): Promise<void> {
  const before = instantFromIso(options.before)
  if (before === undefined) {
    throw new UsageError('--before is an ISO 8601 time with an offset, as 2026-01-01T00:00:00Z')
  }
  if (!/^\d{1,18}$/.test(options.after)) throw new UsageError('--after is the number of an event')
  const { after, to } = options
  const part = `${to}.part`
  const end = await withContext(async ({ audit, sql }) => {
    await findAccount(audit, account_id)
    const previous = await findChainHash(audit, account_id, BigInt(after))
    if (previous === undefined) throw new CommandFailed(`no row ends with event ${after}`)
    const head = { archive: 'corridor events', version: 1, account_id, before, after, previous }
    // First the act: what cannot be recorded is not written.
    await transact(sql, tx => recordActs(tx, [actOf(account_id, after, before)]))
    await audit.begin('isolation level repeatable read read only', tx =>
      pipeline(linesOf(tx, head as ArchiveHead), createGzip(), createWriteStream(part, EXCLUSIVE)),
    )
    return (await readArchive(part)).end
  }).catch(async error => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(part, { force: true })
    throw error
  })
  await renameNew(part, to)
  const data = { account_id, file: to, after, ...end }
  print(options, data, `${to}  ${end.rows} rows, up to event ${end.sequence}, hash ${end.hash}`)
}

/** Flushed before the file is closed; a file that is there is left alone. */
const EXCLUSIVE = { flags: 'wx', flush: true, mode: 0o600 } as const

async function renameNew(part: string, to: string): Promise<void> {
  const taken = createReadStream(to)
  const is_there = await new Promise<boolean>(resolve => {
    taken.once('open', () => resolve(true)).once('error', () => resolve(false))
  })
  taken.destroy()
  if (is_there) {
    await rm(part, { force: true })
    throw new CommandFailed(`${to} is there already; nothing was written`)
  }
  await rename(part, to)
}

function actOf(account_id: string, after: string, before: string) {
  const archived = { account_id, id: '', archived_after: after, archived_before: before }
  return { table_name: 'events' as const, reason: '', before: null, after: archived }
}

async function* linesOf(tx: TransactionSql, head: ArchiveHead): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`
  const walk = new ArchiveWalk(head)
  for (;;) {
    const { sequence: after } = walk.end
    const rows = await listArchived(tx, head.account_id, { ...head, after }, PORTION)
    for (const row of rows) {
      const wrong = walk.step(row)
      if (wrong !== undefined) throw new CommandFailed(`event ${row.sequence}: ${wrong}`)
      yield `${JSON.stringify(row)}\n`
    }
    if (rows.length < PORTION) break
  }
  yield `${JSON.stringify(walk.end)}\n`
}

interface Archive {
  readonly head: ArchiveHead
  readonly end: ArchiveEnd
}

/** Reads an archive line by line, and fails at the first that is wrong. */
async function readArchive(path: string): Promise<Archive> {
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
      head = headOf(value)
      if (head === undefined) throw fail('it is no head of an archive')
      walk = new ArchiveWalk(head)
    } else if ('told' in value) {
      const wrong = walk.step(value as ArchivedRow)
      if (wrong !== undefined) throw fail(wrong)
    } else {
      const wrong = walk.finish(value as ArchiveEnd)
      if (wrong !== undefined) throw fail(wrong)
      end = value as ArchiveEnd
    }
  }
  if (head === undefined || end === undefined) throw fail('the archive ends before its last line')
  return { head, end }
}

function headOf(value: object): ArchiveHead | undefined {
  const { archive, version } = value as Partial<ArchiveHead>
  return archive === 'corridor events' && version === 1 ? (value as ArchiveHead) : undefined
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

async function checkAction(path: string, options: Json & { offline?: boolean }): Promise<void> {
  const { head, end } = await readArchive(path).catch(error => {
    const { code } = error as NodeJS.ErrnoException
    throw code?.startsWith('Z_') ? new CommandFailed(`${path} is no whole gzip file`) : error
  })
  const { account_id } = head
  if (options.offline !== true) {
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
  const held = options.offline === true ? '' : ', as in the database'
  const words =
    `${path}  ${end.rows} rows of ${account_id} in order, up to ` + `event ${end.sequence}${held}`
  print(options, { ok: true, account_id, ...end }, words)
}
