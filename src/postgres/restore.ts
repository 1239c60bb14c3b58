// Restores a backup into a data folder without a cluster, by one rename of a checked folder. After
// an interruption the data folder has no cluster, and no server starts.
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseProblem } from '../sql/failure.ts'
import { syncFolder } from '../values/fsync.ts'
import { instantFromIso } from '../values/instant.ts'
import { type BackupFacts, readBackup } from './backup-file.ts'
import { type EmptyCluster, makeEmptyCluster, restoringIn, syncCluster } from './cluster.ts'
import { ignoring, makePlace, type Place } from './place.ts'
import { leaveArchive, type Recovered, type Recovery, recover } from './recover.ts'
import { findPostmaster, stopServer, takeStartLock } from './server.ts'
import type { TarEntry } from './tar.ts'

export interface Restored extends BackupFacts {
  /** The data folder with the copy: the wanted folder, or the folder of a copy not accepted. */
  readonly data_dir: string
  /** How far the log was recovered; undefined for a backup alone. */
  readonly recovered: Recovered | undefined
  readonly took: Took
}

/** The milliseconds of each step. */
export interface Took {
  readonly unpack_ms: number
  readonly recover_ms: number
  /** For the caller's checks of the copy. */
  readonly accept_ms: number
}

/**
 * @param options.recovery recovers the copy by the archive of its log; without it the copy has what
 * the backup has
 * @param options.mayRestore refuses the caller by throwing, before anything is unpacked
 * @param options.accept checks the copy, which is the embedded database of the folder it gets;
 * false leaves the copy in that folder for inspection
 * @throws DatabaseProblem when the folder has a database already, or the file is no complete backup
 * of this version of PostgreSQL
 */
export async function restoreBackup(options: {
  file: string
  data_dir: string
  log: (line: string) => void
  recovery?: Recovery | undefined
  mayRestore?: (operators: readonly string[]) => void
  accept: (data_dir: string, recovered: Recovered | undefined) => Promise<boolean>
}): Promise<Restored> {
  const { log, accept } = options
  const place = await makePlace(options.data_dir, log)
  const lock = takeStartLock(place)
  if (!lock) throw new DatabaseProblem(`another process uses ${place.data_dir}`)
  try {
    await refuseCluster(place)
    const restoring = { data_dir: restoringIn(place.data_dir), log }
    await removeUnfinished(restoring)
    await fs.mkdir(restoring.data_dir, { mode: 0o711 })
    try {
      const unpacked = await unpack(restoring, options)
      const accepting_at = performance.now()
      const is_accepted = await accept(restoring.data_dir, unpacked.recovered)
      const took = { ...unpacked.took, accept_ms: msSince(accepting_at) }
      if (!is_accepted) return { ...unpacked, took, data_dir: restoring.data_dir }
      await fs.rename(join(restoring.data_dir, 'postgres'), join(place.data_dir, 'postgres'))
      await syncFolder(place.data_dir)
      await removeUnfinished(restoring)
      return { ...unpacked, took, data_dir: place.data_dir }
    } catch (error) {
      await removeUnfinished(restoring)
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'ENOSPC') throw error
      throw new DatabaseProblem(`${place.data_dir} has no room for the copy: ${message}`)
    }
  } finally {
    lock.close()
  }
}

/**
 * Restores into a scratch folder, which is there only while `accept` works. Removes first what a
 * killed process has left in it.
 */
export async function restoreScratch(options: Options): Promise<Restored> {
  const place = await makePlace(options.data_dir, options.log)
  const lock = takeStartLock(place)
  if (!lock) throw new DatabaseProblem(`another process uses ${place.data_dir}`)
  const data_dir = join(place.data_dir, 'copy')
  const remove = async () => {
    await removeUnfinished({ ...place, data_dir: restoringIn(data_dir) })
    await removeUnfinished({ ...place, data_dir })
  }
  try {
    await remove()
    return await restoreBackup({ ...options, data_dir })
  } finally {
    await remove().finally(() => lock.close())
    await fs.rm(place.data_dir, { recursive: true, force: true })
  }
}

async function refuseCluster({ data_dir }: Place): Promise<void> {
  const path = join(data_dir, 'postgres')
  if (await fs.lstat(path).catch(ignoring('ENOENT'))) {
    throw new DatabaseProblem(`${path} is there already: restore into another CORRIDOR_DATA`)
  }
}

/** Removes a copy with its folder, and stops its server first. */
async function removeUnfinished(restoring: Place): Promise<void> {
  const link = join(restoring.data_dir, 'postgres')
  const folder = await fs.realpath(link).catch(ignoring('ENOENT'))
  if (folder) {
    if ((await findPostmaster(folder))?.alive) await stopServer(restoring, folder)
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  await fs.rm(restoring.data_dir, { recursive: true, force: true, maxRetries: 3 })
}

const msSince = (at: number) => Math.ceil(performance.now() - at)

type Options = Parameters<typeof restoreBackup>[0]

/** Unpacks the backup, and recovers it by the archive if that is wanted. */
async function unpack(restoring: Place, options: Options) {
  const { file, recovery, mayRestore = () => {} } = options
  const began_at = performance.now()
  const cluster = await makeEmptyCluster(restoring)
  const facts = await readBackup(
    file,
    ({ postgresql, operators, as_of }) => {
      mayRestore(operators)
      if (recovery?.to && recovery.to < (instantFromIso(as_of) ?? '')) {
        const words = `${recovery.to} is before the backup, which began at ${as_of}`
        throw new DatabaseProblem(`${words}: restore an earlier backup`)
      }
      if (postgresql === cluster.postgresql) return
      const versions = `PostgreSQL ${postgresql}, and this is ${cluster.postgresql}`
      throw new DatabaseProblem(
        `${file} is of ${versions}: restore it by the version it was made by`,
      )
    },
    entry => keep(cluster, entry),
  )
  const archive = await leaveArchive(cluster)
  await syncCluster(restoring, cluster)
  const unpack_ms = msSince(began_at)
  const from = { file, archive, first_segment: facts.first_segment }
  const recovered = recovery && (await recover(restoring, cluster, from, recovery))
  const took = { unpack_ms, recover_ms: recovery ? msSince(began_at) - unpack_ms : 0 }
  return { ...facts, recovered, took }
}

/** Only the server's user can read it. */
async function keep({ folder, user }: EmptyCluster, { name, content }: TarEntry): Promise<void> {
  const path = join(folder, name)
  if (content === undefined) {
    await fs.mkdir(path, { mode: 0o700 })
    if (user) await fs.chown(path, user.uid, user.gid)
    return
  }
  const file = await fs.open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    if (user) await file.chown(user.uid, user.gid)
  } finally {
    await file.close()
  }
}
