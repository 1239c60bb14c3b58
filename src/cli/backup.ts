// corridor backup, of the embedded database.
import type { Command } from 'commander'
import { listUsers } from '../accounts/user/store.ts'
import { type Config, readConfig } from '../config/config.ts'
import { keepRun } from '../ledger/audit/upkeep-store.ts'
import { followBackup, isArchiving } from '../postgres/archive.ts'
import { type Backup, takeBackup } from '../postgres/backup.ts'
import { openDatabase } from '../postgres/open.ts'
import type { Sql } from '../sql/connect.ts'
import { refuseWithoutSchema } from '../sql/migrate.ts'
import { asOwner, print } from './context.ts'
import { UsageError } from './failure.ts'
import { type Bar, startBar } from './progress-bar.ts'

const BACKUP_HELP = `
The service may go on running. The file is a tar compressed by zstd. It holds
all that the database holds, its password besides: encrypt what leaves the
machine.

With an archive of the log (CORRIDOR_ARCHIVE), the log continues the backup:
corridor restore --to recovers any moment since. The archive grows, until a
backup removes what is old.

Examples:
  corridor backup /backups/corridor-2026-11-21.tar.zst
  corridor backup /backups/corridor-2026-11-21.tar.zst --keep-log-days 30`

export function backupCommand(command: Command): void {
  command
    .argument('<file>', 'file to make; never written over')
    .option(
      '--keep-log-days <days>',
      'then remove what the archive has from earlier, and no backup of these days needs',
      readDays,
    )
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string, { keepLogDays }: { keepLogDays?: number }) => {
      const config = requireEmbedded(readConfig())
      const { backup, is_archiving } = await backUp(config, file)
      const { first_segment } = backup
      const followed = { first_segment, is_archiving, keep_days: keepLogDays ?? null }
      const removed = await followBackup(config.data_dir, followed)
      print({ file, ...backup, removed_segments: removed }, backupWords(file, backup, removed))
    })
}

function readDays(text: string): number {
  const days = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (days > 0) return days
  throw new UsageError('--keep-log-days must be a whole number from 1 to 9999')
}

/** An external database has tools of its own. */
export function requireEmbedded(config: Config): Config {
  if (config.database_url === undefined) return config
  const tools = 'take a backup of it by pg_basebackup or pg_dump (docs/operations.md)'
  throw new UsageError(`DATABASE_URL names a database of your own; ${tools}`)
}

async function backUp(config: Config, file: string) {
  const database = await openDatabase(config, { create: false })
  let bar: Bar | undefined
  try {
    await asOwner(database.url, refuseWithoutSchema)
    bar = startBar('backing up {bar} {value} of about {total} MB')
    const progress = (done: number, about: number) => {
      bar?.setTotal(megabytes(Math.max(done, about)))
      bar?.update(megabytes(done))
    }
    const operators = await asOwner(database.url, listOperators)
    const backup = await takeBackup(database.url, file, { progress, operators })
    const told = `${megabytes(backup.bytes)} MB, of all before ${backup.as_of}`
    const is_archiving = await asOwner(database.url, async owner => {
      await keepRun(owner, { kind: 'backup', well: true, told })
      return isArchiving(owner)
    })
    return { backup, is_archiving }
  } finally {
    bar?.stop()
    await database.release()
  }
}

async function listOperators(owner: Sql): Promise<string[]> {
  const users = await listUsers(owner)
  return users
    .filter(({ role, disabled_at }) => role === 'operator' && disabled_at === null)
    .map(({ name }) => name)
}

function backupWords(file: string, { as_of, bytes, files }: Backup, removed: number): string {
  const size = `${megabytes(bytes).toLocaleString('en')} MB, ${files.toLocaleString('en')} files`
  return [
    `Backed up to ${file}: ${size}, read again and whole.`,
    `What was acknowledged before ${as_of} is in it.`,
    ...(removed > 0 ? [`${removed} segments of the log were removed from the archive.`] : []),
    'It holds the keys’ hashes and the webhooks’ secrets: keep it as you keep the database.',
  ].join('\n')
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
