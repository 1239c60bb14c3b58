// Recovers an unpacked backup by the archive of the log: to an instant, or to the end of the log.
import * as fs from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseProblem } from '../sql/failure.ts'
import { openPool, type Sql } from '../sql/pool.ts'
import { type Instant, instantFromPostgres } from '../values/instant.ts'
import { readArchive } from './archive.ts'
import type { BackupFacts } from './backup-file.ts'
import { type EmptyCluster, OWNER, readPassword, writeAs } from './cluster.ts'
import {
  ARCHIVE_FILE,
  findGap,
  LOST_FILE,
  RECOVERY_FILE,
  recoveryText,
  SEGMENT,
  segmentName,
  segmentNumber,
  segmentOf,
} from './log-scripts.ts'
import { type Place, run } from './place.ts'
import { ensureRunning, findPostmaster, logTail } from './server.ts'

export interface Recovery {
  /** The archive, which has a folder for each cluster. */
  readonly archive_dir: string
  /** Every transaction that ended up to then is in the copy; null: all of the log. */
  readonly to: Instant | null
  /** Whether a gap ends the recovery to the end of the log, in place of a refusal. */
  readonly stops_at_gap?: boolean
}

export interface Recovered {
  /** When the last transaction in the copy ended; null if the log has none since the backup. */
  readonly reached: Instant | null
  /** The first segment that the archive lacks; undefined for none. */
  readonly gap: string | undefined
}

/** A copy writes to no archive until its service starts: the archive belongs to the original. */
export async function leaveArchive({ folder }: EmptyCluster): Promise<string | undefined> {
  const archive = await readArchive(folder)
  for (const name of [ARCHIVE_FILE, LOST_FILE]) await fs.rm(join(folder, name), { force: true })
  return archive
}

/**
 * The server of the copy runs when this resolves, on a timeline of its own.
 * @param archive the folder in the archive that the backup names
 * @throws DatabaseProblem that says how far the archive reaches, or what it lacks
 */
export async function recover(
  restoring: Place,
  cluster: EmptyCluster,
  {
    file,
    archive,
    first_segment,
  }: Pick<BackupFacts, 'first_segment'> & {
    readonly file: string
    readonly archive: string | undefined
  },
  recovery: Recovery,
): Promise<Recovered> {
  const { to } = recovery
  const source = await findArchive(cluster, file, archive, recovery)
  const archived = (await fs.readdir(source))
    .map(name => basename(name, '.gz'))
    .filter(name => SEGMENT.test(name))
  const unpacked = await fs.readdir(join(cluster.folder, 'pg_wal'))
  const gap = findGap([...archived, ...unpacked], first_segment)
  if (gap !== undefined && to === null && recovery.stops_at_gap !== true) {
    throw new DatabaseProblem(`${lacks(source, gap)}: name an instant before it by --to`)
  }
  await writeAs(cluster.user, join(cluster.folder, RECOVERY_FILE), recoveryText(source, to))
  await writeAs(cluster.user, join(cluster.folder, 'recovery.signal'), '')
  const explain = (words: string) => explainLog(words, { source, gap, to })
  try {
    await ensureRunning(restoring, false)
    const { reached, position } = await waitForEnd(restoring, cluster)
    const last = lastOf(archived, first_segment, gap)
    if (to === null && segmentOf(position) < segmentNumber(last)) {
      const unread = segmentName(first_segment, segmentOf(position) + 1)
      throw new DatabaseProblem(`${unread} in ${source} is no segment of this log`)
    }
    return { reached, gap }
  } catch (error) {
    if (!(error instanceof DatabaseProblem)) throw error
    throw explain(await logTail(restoring, 0, Number.POSITIVE_INFINITY)) ?? error
  } finally {
    await writeAs(cluster.user, join(cluster.folder, RECOVERY_FILE), '')
  }
}

/** The last segment before the gap. */
function lastOf(archived: readonly string[], first: string, gap: string | undefined): string {
  const end = gap === undefined ? Number.POSITIVE_INFINITY : segmentNumber(gap)
  const reachable = archived.filter(
    name => name.startsWith(first.slice(0, 8)) && segmentNumber(name) < end,
  )
  return reachable.reduce((a, b) => (a > b ? a : b), first)
}

const lacks = (source: string, gap: string) => `${source} lacks ${gap}, a segment of the log`

async function findArchive(
  { user }: EmptyCluster,
  file: string,
  archive: string | undefined,
  { archive_dir }: Recovery,
): Promise<string> {
  if (archive === undefined) {
    const words = `${file} was taken without an archive of the log`
    throw new DatabaseProblem(`${words}: restore it without --to, or a later backup`)
  }
  const root = await fs.realpath(archive_dir).catch((error: Error) => {
    throw new DatabaseProblem(`CORRIDOR_ARCHIVE: ${error.message}`)
  })
  const source = join(root, basename(archive))
  const found = await fs.stat(source).catch(() => undefined)
  if (found?.isDirectory() !== true) {
    const words = `CORRIDOR_ARCHIVE: ${root} is the archive of another database`
    throw new DatabaseProblem(`${words}: it has no ${basename(archive)}, which ${file} names`)
  }
  const entered = await run('/bin/sh', ['-c', 'cd -- "$1" && ls', 'sh', source], { user })
  if (entered.code !== 0) {
    const who = user ? ` (uid ${user.uid})` : ''
    throw new DatabaseProblem(`PostgreSQL's user${who} cannot read ${source}: let it`)
  }
  return source
}

/** A server that listens may still read the log. */
async function waitForEnd(restoring: Place, { folder }: EmptyCluster) {
  const server = await findPostmaster(folder)
  if (server?.alive !== true) throw new DatabaseProblem('the recovery has ended early')
  const url = new URL(`postgres://${OWNER}@127.0.0.1:${server.port}/${OWNER}`)
  url.password = await readPassword(folder)
  if (server.socket) url.searchParams.set('host', folder)
  const sql = openPool(url.href, { max: 1, application_name: 'corridor restore' })
  try {
    for (;;) {
      const state = await readState(sql).catch(() => undefined)
      if (state?.is_over === true) return state
      if ((await findPostmaster(folder))?.alive !== true) {
        throw new DatabaseProblem(`the recovery has ended early:\n${await logTail(restoring)}`)
      }
      await delay(50)
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

interface RecoveryState {
  readonly is_over: boolean
  readonly reached: Instant | null
  /** Where the log ends. */
  readonly position: string
}

async function readState(sql: Sql): Promise<RecoveryState | undefined> {
  const [row] = await sql<RecoveryState[]>`
    select not pg_is_in_recovery() as is_over, pg_last_xact_replay_timestamp() as reached,
      coalesce(pg_last_wal_replay_lsn()::text, '0/0') as position`
  return row
}

interface Asked {
  readonly source: string
  readonly gap: string | undefined
  readonly to: Instant | null
}

/** Explains a recovery that failed by the server's log; undefined for an unknown failure. */
function explainLog(log: string, { source, gap, to }: Asked): DatabaseProblem | undefined {
  const [, unreadable] = /could not restore file "(\w+)" from archive/.exec(log) ?? []
  if (unreadable !== undefined) {
    return new DatabaseProblem(`${unreadable} in ${source} is damaged, or cannot be read`)
  }
  if (log.includes('before consistent recovery point')) {
    return new DatabaseProblem(`${to} is before the end of the backup: restore an earlier backup`)
  }
  if (!log.includes('recovery ended before configured recovery target')) return undefined
  const times = [...log.matchAll(/last completed transaction was at log time (\S+ \S+)/g)]
  const last = times.at(-1)?.[1]
  const end = last === undefined ? 'the end of the backup' : instantFromPostgres(last)
  const why = gap === undefined ? `${source} ends there` : lacks(source, gap)
  return new DatabaseProblem(`the log reaches to ${end}, and ${to} is later: ${why}`)
}
