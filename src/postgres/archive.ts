// The archive of the embedded database's log: a folder to which PostgreSQL copies each segment, so
// that a backup can be recovered to any moment since. Each cluster has a folder of its own in the
// archive, because a restored copy writes other segments of the same names.
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseProblem } from '../sql/failure.ts'
import { openPool, type Sql } from '../sql/pool.ts'
import { syncFolder } from '../values/fsync.ts'
import { findCluster, SUPERUSER, writeAs } from './cluster.ts'
import {
  ARCHIVE_FILE,
  archiveText,
  folderIn,
  LOST_FILE,
  NOT_YET,
  SEGMENT,
  SEGMENT_BYTES,
} from './log-scripts.ts'
import { findServerUser, ignoring, run, type User } from './place.ts'

/** Leaves a cluster without an archive. */
export const NO_ARCHIVE = 'off'

export interface ArchiveSettings {
  /** The folder, NO_ARCHIVE, or '' to leave the cluster as it is. */
  readonly archive_dir: string
  /** So many bytes of the log wait for a folder that takes nothing; more is given up. */
  readonly archive_queue_mb: number
}

interface Opened extends ArchiveSettings {
  readonly data_dir: string
  /** The embedded database's URL, as its owner. */
  readonly url: string
  readonly log: (line: string) => void
}

/**
 * Has the running server archive its log as the settings say. A folder that is gone later stops
 * nothing: its segments wait. @throws DatabaseProblem when a new folder cannot be used
 */
export async function keepArchive(opened: Opened): Promise<void> {
  const { data_dir, archive_dir, archive_queue_mb, url, log } = opened
  const cluster = await findCluster({ data_dir })
  if (cluster === undefined) return
  const before = await readArchive(cluster)
  if (before === undefined && (archive_dir === '' || archive_dir === NO_ARCHIVE)) return
  const user = await findServerUser(cluster)
  if (archive_dir === NO_ARCHIVE) {
    await writeAs(user, join(cluster, ARCHIVE_FILE), '')
    await reload(url)
    log(`the log is no longer archived in ${before}`)
    return
  }
  if (archive_dir !== '') {
    const root = await fs.realpath(archive_dir).catch(() => undefined)
    // An absent folder may be a disk that is not mounted: its segments wait.
    const is_same = before !== undefined && (root === undefined || dirname(before) === root)
    if (is_same && root === undefined) log(`${archive_dir} is not there: its log waits`)
    const folder = is_same ? before : await makeFolder(archive_dir, data_dir, user)
    const most = Math.ceil((archive_queue_mb * 2 ** 20) / SEGMENT_BYTES)
    // First, so that a kill in between leaves no gap untold.
    if (!is_same) await writeAs(user, join(cluster, LOST_FILE), NOT_YET)
    await writeAs(user, join(cluster, ARCHIVE_FILE), archiveText(folder, most))
    if (!is_same) log(`the log is archived in ${folder}: take a backup, which it continues`)
  }
  const { is_archiving, segment } = await reload(url)
  if (!is_archiving) log('the log is archived once PostgreSQL starts again')
  else if ((await readLost(cluster)) !== NOT_YET) return
  await writeAs(user, join(cluster, LOST_FILE), is_archiving ? segment : NOT_YET)
}

/** The cluster's folder in the archive; undefined without an archive. */
export async function readArchive(cluster: string): Promise<string | undefined> {
  const text = await fs.readFile(join(cluster, ARCHIVE_FILE), 'utf8').catch(ignoring('ENOENT'))
  return text === undefined ? undefined : folderIn(text)
}

async function makeFolder(archive_dir: string, data_dir: string, user: User | undefined) {
  const root = await fs.realpath(archive_dir).catch((error: Error) => {
    throw new DatabaseProblem(`CORRIDOR_ARCHIVE: ${error.message}: make the folder first`)
  })
  const data = await fs.realpath(data_dir)
  if (root === data || root.startsWith(`${data}/`)) {
    throw new DatabaseProblem(
      `CORRIDOR_ARCHIVE: ${root} is within CORRIDOR_DATA, and would be lost with it`,
    )
  }
  const day = new Date().toISOString().slice(0, 10)
  const folder = join(root, `${day}-${randomBytes(4).toString('hex')}`)
  await fs.mkdir(folder, { mode: 0o700 }).catch((error: Error) => {
    throw new DatabaseProblem(`CORRIDOR_ARCHIVE: ${error.message}`)
  })
  if (user) await fs.chown(folder, user.uid, user.gid)
  const write = ['-c', ': > "$1/.try" && rm "$1/.try"', 'sh', folder]
  const tried = await run('/bin/sh', write, { user })
  if (tried.code !== 0) {
    await fs.rmdir(folder)
    const who = user ? ` (uid ${user.uid})` : ''
    throw new DatabaseProblem(`CORRIDOR_ARCHIVE: PostgreSQL's user${who} cannot write to ${root}`)
  }
  await syncFolder(root)
  return folder
}

/**
 * Has the server read its settings again. Returns whether it archives, and the segment that it
 * writes: later ones go to the archive whole.
 */
async function reload(url: string): Promise<{ is_archiving: boolean; segment: string }> {
  const superuser = new URL(url)
  superuser.username = SUPERUSER
  const sql = openPool(superuser.href, { max: 1, application_name: 'corridor archive' })
  try {
    // At the first byte of a segment, the one before it is the newest with content.
    const [row] = await sql<{ segment: string }[]>`
      select pg_walfile_name(pg_current_wal_lsn() - 1) as segment, pg_reload_conf()`
    return { is_archiving: await isArchiving(sql), segment: row?.segment ?? NOT_YET }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Whether the server archives its log since it started. Any role may ask. */
export async function isArchiving(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ mode: string }[]>`select current_setting('archive_mode') as mode`
  return row !== undefined && row.mode !== 'off'
}

export interface ArchiveState {
  /** Segments that are finished and not archived yet. */
  readonly waiting: number
  /** For how long the oldest of them has waited. */
  readonly lag_s: number
  /** The newest segment that the archive lacks and no backup follows, or NOT_YET; '' for none. */
  readonly lost: string
}

/** A segment is finished after a minute at the latest, and copied within seconds. */
const LATE_S = 120

interface ArchiveFault {
  readonly found: string
  /** What a person does. */
  readonly fix: string
}

/** What is wrong with the archive; empty when it is in order. Pure. */
export function judgeArchive({ waiting, lag_s, lost }: ArchiveState): readonly ArchiveFault[] {
  const faults: ArchiveFault[] = []
  if (lag_s > LATE_S) {
    const found = `${waiting} segments of the log wait for the archive, the first for ${lag_s} s`
    faults.push({ found, fix: 'see postgres.log, and docs/runbook.md, LogNotArchived' })
  }
  if (lost === NOT_YET) {
    const fix = 'stop all processes of Corridor here, start again, and run corridor backup FILE'
    faults.push({ found: 'PostgreSQL does not archive its log before it starts again', fix })
  } else if (lost !== '') {
    const found = `no backup is newer than ${lost}, a segment of the log that the archive lacks`
    faults.push({ found, fix: 'run corridor backup FILE' })
  }
  return faults
}

/** Undefined without an archive, or when this process may not look into the cluster's folder. */
export async function lookAtArchive(data_dir: string): Promise<ArchiveState | undefined> {
  const cluster = await findCluster({ data_dir })
  if (cluster === undefined || (await readArchive(cluster)) === undefined) return undefined
  const folder = join(cluster, 'pg_wal/archive_status')
  const names = (await fs.readdir(folder)).filter(name => name.endsWith('.ready'))
  const stats = await Promise.all(
    names.map(name => fs.stat(join(folder, name)).catch(ignoring('ENOENT'))),
  )
  const since = stats.flatMap(found => found?.mtimeMs ?? [])
  const oldest = since.reduce((a, b) => Math.min(a, b), Date.now())
  return {
    waiting: since.length,
    lag_s: Math.max(0, Math.floor((Date.now() - oldest) / 1000)),
    lost: await readLost(cluster),
  }
}

async function readLost(cluster: string): Promise<string> {
  const text = await fs.readFile(join(cluster, LOST_FILE), 'utf8').catch(ignoring('ENOENT'))
  return (text ?? '').trim()
}

interface Followed {
  /** With which a recovery of the backup begins. */
  readonly first_segment: string
  /** Whether the server archived while the backup was taken. */
  readonly is_archiving: boolean
  /** Removes the segments that are older and before the backup; null removes none. */
  readonly keep_days: number | null
}

/**
 * Follows a backup that is whole: a gap before it no longer matters, and nor do old segments.
 * @returns the number of removed files
 */
export async function followBackup(
  data_dir: string,
  { first_segment, is_archiving, keep_days }: Followed,
): Promise<number> {
  const cluster = await findCluster({ data_dir })
  const folder = cluster && (await readArchive(cluster))
  if (cluster === undefined || folder === undefined) return 0
  const lost = await readLost(cluster)
  const is_continued = lost === NOT_YET ? is_archiving : lost < first_segment
  if (is_continued) await fs.rm(join(cluster, LOST_FILE), { force: true })
  if (keep_days === null) return 0
  const before = Date.now() - keep_days * 86_400_000
  let removed = 0
  for (const file of (await fs.readdir(folder)).sort()) {
    const name = basename(file, '.gz').slice(0, 24)
    if (!SEGMENT.test(name) || name >= first_segment) continue
    // A segment that a younger backup needs was archived after that backup began.
    if ((await fs.stat(join(folder, file))).mtimeMs >= before) continue
    await fs.rm(join(folder, file))
    removed += 1
  }
  return removed
}
