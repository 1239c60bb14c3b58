// PostgreSQL's own programs of the machine, such as Debian's, and servers that they start.
import { execFile, execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { appendFile, chmod, chown } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../network/port.ts'

/** Folders of programs where Debian, Fedora and Homebrew put them, by major version. */
export const PROGRAMS: ReadonlyMap<number, string> = new Map(
  globSync([
    '/usr/lib/postgresql/*/bin/pg_basebackup',
    '/usr/pgsql-*/bin/pg_basebackup',
    '/opt/homebrew/opt/postgresql@*/bin/pg_basebackup',
  ]).map(file => [Number(/\d+$/.exec(basename(dirname(dirname(file))))?.[0]), dirname(file)]),
)

/** Whoever may not run PostgreSQL lets another user do it. */
const USER = process.getuid?.() === 0 ? 'postgres' : undefined

function idsOf(user: string) {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export interface OwnServer {
  readonly port: number
  readonly data: string
  /** A URL of the database `corridor`. */
  url(user: string): string
  stop(): Promise<void>
}

/** Servers of one version, in a folder that exists. */
export class Programs {
  readonly #bin: string
  readonly #folder: string

  private constructor(bin: string, folder: string) {
    this.#bin = bin
    this.#folder = folder
  }

  static async in(folder: string, bin: string): Promise<Programs> {
    await chmod(folder, 0o755)
    if (USER !== undefined) await chown(folder, idsOf(USER).uid, idsOf(USER).gid)
    return new Programs(bin, folder)
  }

  /** Runs a program as the user who may; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    const options = { env: { PATH: process.env.PATH, LC_ALL: 'C' }, cwd: '/' }
    const ids = USER === undefined ? {} : idsOf(USER)
    return (await promisify(execFile)(join(this.#bin, program), args, { ...options, ...ids }))
      .stdout
  }

  /** Makes a cluster whose superuser is `postgres`, and starts it. */
  async make(name: string): Promise<OwnServer> {
    const data = join(this.#folder, name)
    await this.run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync')
    return this.start(name)
  }

  /** Starts the cluster in this folder on a free port. */
  async start(name: string): Promise<OwnServer> {
    const data = join(this.#folder, name)
    const port = await freePort()
    const settings = `\nport = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`
    await appendFile(join(data, 'postgresql.conf'), settings)
    await this.run(
      'pg_ctl',
      'start',
      '-s',
      '-w',
      '-D',
      data,
      '-l',
      join(this.#folder, `${name}.log`),
    )
    return {
      port,
      data,
      url: user => `postgres://${user}@127.0.0.1:${port}/corridor`,
      stop: async () => {
        await this.run('pg_ctl', 'stop', '-s', '-m', 'immediate', '-D', data)
      },
    }
  }

  /** Makes the role `corridor` and its database. */
  async prepare({ port }: OwnServer, ...attributes: string[]): Promise<void> {
    const psql = ['-q', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-c']
    await this.run('psql', ...psql, `create role corridor login createrole ${attributes.join(' ')}`)
    await this.run('psql', ...psql, 'create database corridor owner corridor')
  }
}
