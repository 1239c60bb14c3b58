// Creates and finds the embedded cluster. It is created completely or not at all.
import { randomBytes, randomInt } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { explainOutput } from '../sql/explain.ts'
import { DatabaseProblem } from '../sql/failure.ts'
import { syncFolder } from '../values/fsync.ts'
import { ARCHIVE_FILE, LOG_SCRIPTS, LOG_SETTINGS, RECOVERY_FILE } from './log-scripts.ts'
import {
  codeOf,
  findBinaries,
  findHome,
  findServerUser,
  hashOf,
  ignoring,
  type Place,
  run,
  type User,
} from './place.ts'

/** The bootstrap superuser. Only attachments (embedded.ts) and backups use it. */
export const SUPERUSER = 'postgres'
/** The database, and the role that owns it. The role may create databases and roles. */
export const OWNER = 'corridor'

export const restoringIn = (data_dir: string) => join(data_dir, 'postgres.restoring')

/**
 * Undefined when there is no cluster yet. @throws DatabaseProblem when its link is broken, the
 * folder is no cluster, or a restore is unfinished: an empty cluster must never replace a lost one.
 */
export async function findCluster({
  data_dir,
}: Pick<Place, 'data_dir'>): Promise<string | undefined> {
  const path = join(data_dir, 'postgres')
  const entry = await fs.lstat(path).catch(ignoring('ENOENT'))
  if (!entry) {
    const half = restoringIn(data_dir)
    if (!(await fs.lstat(half).catch(ignoring('ENOENT')))) return undefined
    throw new DatabaseProblem(`a restore did not end in ${half}: restore again, or remove it`)
  }
  const folder = await fs.realpath(path).catch(ignoring('ENOENT'))
  if (!folder) {
    const lost = `${path} leads to ${await fs.readlink(path)}, which is gone`
    throw new DatabaseProblem(`${lost}: restore it, or remove the link to begin anew`)
  }
  await fs.access(join(folder, 'PG_VERSION')).catch(error => {
    if (codeOf(error) === 'EACCES')
      throw new DatabaseProblem(`${folder} belongs to another user: run as its owner, or as root`)
    throw new DatabaseProblem(`${folder} is not a PostgreSQL data folder: move it away`)
  })
  return folder
}

/** Creates the cluster with its database. The caller holds the start lock. */
export async function initCluster(place: Place): Promise<void> {
  const user = await findServerUser()
  const { home, prefix, name } = await nameCluster(place, user)
  // Removes the folders that a killed first start has left.
  for (const entry of await fs.readdir(home)) {
    if (!entry.startsWith(`${prefix}.init-`)) continue
    await fs.rm(join(home, entry), { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  const temporary = await fs.mkdtemp(join(home, `${prefix}.init-`))
  try {
    if (user) await fs.chown(temporary, user.uid, user.gid)
    await fs.rename(await fillCluster(place, temporary, user), join(home, name))
    await syncFolder(home)
  } finally {
    await fs.rm(temporary, { recursive: true, force: true }).catch(() => {})
  }
  await linkCluster(place, join(home, name), user)
}

/** The folder of a new cluster: in the data folder, or elsewhere if the server cannot enter it. */
async function nameCluster(place: Place, user: User | undefined) {
  const home = await findHome(place, user)
  if (home === place.data_dir) return { home, prefix: 'postgres', name: 'postgres' }
  // Outside the data folder an earlier one at this path may have left a cluster, which must be
  // neither adopted nor deleted.
  const prefix = hashOf(place.data_dir)
  return { home, prefix, name: `${prefix}-${randomBytes(4).toString('hex')}` }
}

async function linkCluster({ data_dir, log }: Place, folder: string, user: User | undefined) {
  const path = join(data_dir, 'postgres')
  if (folder === path) return
  await fs.symlink(folder, path)
  const why = `${data_dir} cannot be entered by the server's user (uid ${user?.uid})`
  log(`${why}: the database is in ${folder}`)
}

/** `user` owns its files. */
export interface EmptyCluster {
  readonly folder: string
  readonly user: User | undefined
  /** Major version. */
  readonly postgresql: number
}

export async function makeEmptyCluster(place: Place): Promise<EmptyCluster> {
  const user = await findServerUser()
  const bin = await findBinaries(place, user)
  const { output } = await run(bin.postgres, ['--version'], { user })
  const postgresql = Number(/\) (\d+)/.exec(output)?.[1])
  const { home, name } = await nameCluster(place, user)
  const folder = join(home, name)
  // Creates the link first, because a clean-up finds the files by it.
  await linkCluster(place, folder, user)
  await fs.mkdir(folder, { mode: 0o700 })
  if (user) await fs.chown(folder, user.uid, user.gid)
  return { folder, user, postgresql }
}

export async function syncCluster(place: Place, { folder, user }: EmptyCluster): Promise<void> {
  const bin = await findBinaries(place, user)
  const { code, output } = await run(bin.initdb, ['--sync-only', '-D', folder], { user })
  if (code !== 0) throw explainOutput(folder, 'the copy cannot be written to disk', output)
}

/** Creates the files in single-user mode: no server listens before all files are on disk. */
async function fillCluster(place: Place, temporary: string, user: User | undefined) {
  const bin = await findBinaries(place, user)
  const folder = join(temporary, 'cluster')
  const secret = join(temporary, 'password')
  const password = randomBytes(32).toString('base64url')
  const initdb = async (...args: string[]) => {
    const { code, output } = await run(bin.initdb, ['-D', folder, ...args], { user })
    if (code !== 0) throw explainOutput(place.data_dir, 'initdb failed', output)
  }
  await writeAs(user, secret, `${password}\n`)
  await initdb(
    '--no-sync',
    '--data-checksums',
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...[`--username=${SUPERUSER}`, `--pwfile=${secret}`, '--auth=scram-sha-256'],
  )
  await fs.appendFile(join(folder, 'postgresql.conf'), "\ninclude = 'corridor.conf'\n")
  await writeSettings(folder, user)
  const single = ['--single', '-D', folder, '-c', 'exit_on_error=true', 'postgres']
  const input = `create role ${OWNER} login createdb createrole password '${password}'
create database ${OWNER} owner ${OWNER}
`
  const { code, output } = await run(bin.postgres, single, { user, input })
  if (code !== 0) throw explainOutput(place.data_dir, 'creating the database failed', output)
  await fs.rename(secret, join(folder, 'corridor.password'))
  await initdb('--sync-only')
  return folder
}

export async function readPassword(folder: string): Promise<string> {
  return (await fs.readFile(join(folder, 'corridor.password'), 'utf8')).trim()
}

/** The port of the server's last start; 0 if unknown. */
export async function findLastPort(folder: string): Promise<number> {
  const text = await fs.readFile(join(folder, 'corridor.conf'), 'utf8').catch(() => '')
  return Number(/^port = (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** The longest path of a Unix socket on macOS. Linux allows 107 bytes (man 7 unix). */
const MAX_SOCKET_BYTES = 103

/**
 * Written at each start, so that an older folder gets this version's settings. ALTER SYSTEM
 * overrides it. `socket` asks for a Unix socket in the folder; needs a short path.
 */
export async function writeSettings(
  folder: string,
  user: User | undefined,
  wanted = { port: 0, socket: true },
) {
  const fits = Buffer.byteLength(`${folder}/.s.PGSQL.65535`) <= MAX_SOCKET_BYTES
  const text = `# Written by corridor at each start: change postgresql.conf, below its include.
listen_addresses = '127.0.0.1'
port = ${await findFreePort(wanted.port)}
unix_socket_directories = '${wanted.socket && fits ? '.' : ''}'
# Several processes with a few lanes each: docs/operations.md counts them.
max_connections = 300
shared_buffers = 256MB
fsync = on
synchronous_commit = on
full_page_writes = on
checkpoint_timeout = 15min
max_wal_size = 2GB
min_wal_size = 256MB
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d '
# Without the row that was refused and its names and account numbers.
log_error_verbosity = terse
${LOG_SETTINGS}`
  for (const [name, script] of Object.entries(LOG_SCRIPTS)) {
    await writeAs(user, join(folder, name), script)
  }
  for (const name of [ARCHIVE_FILE, RECOVERY_FILE]) {
    const there = await fs.stat(join(folder, name)).catch(ignoring('ENOENT'))
    if (!there) await writeAs(user, join(folder, name), '')
  }
  await writeAs(user, join(folder, 'corridor.conf'), text)
}

/** Replaces a file completely or not at all: on a full disk the old file stays. */
export async function writeAs(user: User | undefined, file: string, text: string): Promise<void> {
  const temporary = `${file}.new`
  await fs.writeFile(temporary, text, { mode: 0o600 })
  if (user) await fs.chown(temporary, user.uid, user.gid)
  await fs.rename(temporary, file)
}

/**
 * Below the ephemeral ports, which begin at 32768 on Linux and 49152 on macOS. A client that
 * reconnects while the server is down could else get the server's port, connect to itself, and keep
 * the server from starting.
 */
const PORTS = { from: 15_433, before: 32_768 }

/** A free port of 127.0.0.1: `wanted` if possible. */
function findFreePort(wanted: number): Promise<number> {
  const port = wanted || randomInt(PORTS.from, PORTS.before)
  return new Promise(done => {
    const server = createServer()
    server.once('error', () => done(findFreePort(0)))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () =>
      server.close(() => done(port)),
    )
  })
}
