// A primary and its synchronous standbys, of the embedded PostgreSQL, over TLS. Each can be killed,
// promoted, started again as it was, and made a standby of the present primary.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, open, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asOwner } from '../../../src/cli/context.ts'
import { openEmbedded } from '../../../src/postgres/embedded.ts'
import { findBinaries, findServerUser, run, type User } from '../../../src/postgres/place.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { openPool, type Sql } from '../../../src/sql/pool.ts'
import { freePort } from '../network/port.ts'
import { selfSigned } from '../network/self-signed.ts'
import { until } from '../service/process.ts'

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

const DAY_MS = 86_400_000

interface Replica {
  readonly name: Name
  readonly folder: string
  readonly port: number
  process: ChildProcess | undefined
  is_frozen: boolean
}

export interface Replicas {
  /** Names all servers, and checks their certificate. */
  readonly url: string
  /** A pool of one connection to this server alone, as its superuser; a standby answers too. */
  on<T>(name: Name, work: (sql: Sql) => Promise<T>): Promise<T>
  /** kill -9. */
  kill(name: Name): Promise<void>
  /** Stops all its processes where they are: it answers nothing, and refuses nothing. */
  freeze(name: Name): Promise<void>
  /** Lets them go on as if nothing had been. */
  thaw(name: Name): Promise<void>
  /** Starts it as it was left, with further settings such as `synchronous_standby_names=`. */
  start(name: Name, ...settings: string[]): Promise<void>
  /** Makes it the primary of the others that run: returns once it takes writes. */
  promote(name: Name): Promise<void>
  /** The standby that has received most. */
  mostAdvanced(of: readonly Name[]): Promise<Name>
  /** Replaces the files of a server that does not run by a copy of the primary's, and starts it. */
  rejoin(name: Name, primary: Name): Promise<void>
  close(): Promise<void>
}

/** `fill` works on the migrated database before it is copied. */
export async function startReplicas(fill: (url: string) => Promise<void>): Promise<Replicas> {
  const under = await mkdtemp(join(tmpdir(), 'corridor-replicas-'))
  // PostgreSQL runs as an ordinary user, who must be able to reach its folder.
  await chmod(under, 0o711)
  const data_dir = join(under, 'first')
  const embedded = await openEmbedded({ data_dir })
  try {
    await asOwner(embedded.url, owner => migrate(owner))
    await fill(embedded.url)
  } finally {
    await embedded.release()
  }
  const first = await realpath(join(data_dir, 'postgres'))
  const user = await findServerUser(first)
  const { postgres } = await findBinaries({ data_dir, log: () => {} }, user)
  const password = (await readFile(join(first, 'corridor.password'), 'utf8')).trim()
  const certificate = await addCertificate(first, user)
  await chmod(certificate, 0o644)
  const root = join(under, 'root.pem')
  await run('cp', [certificate, root], {})
  const replicas = new Map<Name, Replica>()
  for (const name of NAMES) {
    const replica = {
      name,
      folder: join(under, name),
      port: await freePort(),
      process: undefined,
      is_frozen: false,
    }
    replicas.set(name, replica)
    await run('cp', ['-a', first, replica.folder], {})
  }
  const set = new Cluster(under, postgres, user, password, replicas)
  await set.start('a')
  for (const name of ['b', 'c'] as const) {
    await set.follow(name, 'a')
    await set.start(name)
  }
  await set.inStep('a', 2)
  const hosts = [...replicas.values()].map(({ port }) => `localhost:${port}`).join(',')
  const query = `sslmode=verify-full&channel_binding=require&sslrootcert=${encodeURIComponent(root)}`
  const url = `postgres://corridor:${password}@${hosts}/corridor?${query}`
  return Object.assign(set, { url })
}

async function addCertificate(folder: string, user: User | undefined): Promise<string> {
  const { key, cert } = selfSigned('localhost', Date.now() - DAY_MS, Date.now() + DAY_MS)
  const paths = [join(folder, 'server.key'), join(folder, 'server.crt')] as const
  await writeFile(paths[0], key, { mode: 0o600 })
  await writeFile(paths[1], cert)
  if (user) for (const path of paths) await chown(path, user.uid, user.gid)
  return paths[1]
}

class Cluster implements Omit<Replicas, 'url'> {
  readonly #under: string
  readonly #postgres: string
  readonly #user: User | undefined
  readonly #password: string
  readonly #replicas: ReadonlyMap<Name, Replica>

  constructor(
    under: string,
    postgres: string,
    user: User | undefined,
    password: string,
    replicas: ReadonlyMap<Name, Replica>,
  ) {
    this.#under = under
    this.#postgres = postgres
    this.#user = user
    this.#password = password
    this.#replicas = replicas
  }

  #of(name: Name): Replica {
    return this.#replicas.get(name) as Replica
  }

  async on<T>(name: Name, work: (sql: Sql) => Promise<T>): Promise<T> {
    const { port } = this.#of(name)
    const log_in = `postgres:${this.#password}`
    const sql = openPool(`postgres://${log_in}@127.0.0.1:${port}/corridor`, { max: 1 })
    try {
      return await work(sql)
    } finally {
      await sql.end({ timeout: 5 })
    }
  }

  async kill(name: Name): Promise<void> {
    const replica = this.#of(name)
    const child = replica.process
    replica.process = undefined
    replica.is_frozen = false
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  freeze(name: Name): Promise<void> {
    return this.#signal(name, 'SIGSTOP')
  }

  thaw(name: Name): Promise<void> {
    return this.#signal(name, 'SIGCONT')
  }

  async #signal(name: Name, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const replica = this.#of(name)
    replica.is_frozen = signal === 'SIGSTOP'
    const pid = replica.process?.pid as number
    // The postmaster first: it starts no more processes then.
    process.kill(pid, signal)
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    for (const child of children.trim().split(' ')) process.kill(Number(child), signal)
  }

  /** The old processes of a killed server may need a moment to end: then it is started again. */
  async start(name: Name, ...settings: string[]): Promise<void> {
    const replica = this.#of(name)
    const all = [...this.#settingsOf(replica), ...settings].flatMap(setting => ['-c', setting])
    const log = await open(join(this.#under, `${name}.log`), 'a')
    const spawnServer = () => {
      replica.process = spawn(this.#postgres, ['-D', replica.folder, ...all], {
        ...this.#user,
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
        stdio: ['ignore', log.fd, log.fd],
      })
    }
    spawnServer()
    await until(
      `${name} answers`,
      async () => {
        if (replica.process?.exitCode !== null) spawnServer()
        return this.on(name, sql => sql`select 1`).then(
          () => true,
          () => false,
        )
      },
      () => join(this.#under, `${name}.log`),
    )
    await log.close()
  }

  #settingsOf({ port }: Replica): string[] {
    return [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'ssl=on',
      // The test kills servers, and never their machine.
      'fsync=off',
      'shared_buffers=32MB',
      'synchronous_commit=on',
      `synchronous_standby_names=ANY 1 (${NAMES.join(', ')})`,
      'wal_retrieve_retry_interval=100ms',
      'wal_keep_size=256MB',
    ]
  }

  /** A server that runs follows at once, even one that tries in vain to reach another. */
  async follow(name: Name, primary: Name): Promise<void> {
    await this.#write(name, 'standby.signal', '')
    const { port } = this.#of(primary)
    const to =
      `host=127.0.0.1 port=${port} user=postgres password=${this.#password} ` +
      `application_name=${name}`
    await this.#write(name, 'postgresql.auto.conf', `primary_conninfo = '${to}'\n`)
    this.#of(name).process?.kill('SIGHUP')
  }

  async #write(name: Name, file: string, text: string): Promise<void> {
    const path = join(this.#of(name).folder, file)
    await writeFile(path, text)
    if (this.#user) await chown(path, this.#user.uid, this.#user.gid)
  }

  /** Until so many standbys stream from the primary. */
  async inStep(primary: Name, standbys: number): Promise<void> {
    await until(`${standbys} standbys follow ${primary}`, () =>
      this.on(primary, async sql => {
        const rows = await sql`select from pg_stat_replication where state = 'streaming'`
        return rows.length >= standbys
      }),
    )
  }

  async promote(name: Name): Promise<void> {
    await this.on(name, sql => sql`select pg_promote(true, 60)`)
    for (const other of this.#replicas.values()) {
      const follows = other.name !== name && other.process !== undefined && !other.is_frozen
      if (follows) await this.follow(other.name, name)
    }
  }

  async mostAdvanced(of: readonly Name[]): Promise<Name> {
    const received = await Promise.all(
      of.map(async name => {
        const [row] = await this.on(
          name,
          sql => sql<{ bytes: string }[]>`
            select (pg_last_wal_receive_lsn() - '0/0'::pg_lsn)::text as bytes`,
        )
        return { name, bytes: BigInt(row?.bytes ?? '0') }
      }),
    )
    return received.reduce((most, one) => (one.bytes > most.bytes ? one : most)).name
  }

  async rejoin(name: Name, primary: Name): Promise<void> {
    await this.kill(name)
    const { folder } = this.#of(name)
    await rm(folder, { recursive: true, force: true })
    await this.on(primary, async sql => {
      const session = await sql.reserve()
      await session`select pg_backup_start('rejoin', true)`
      // Files that vanish meanwhile are as they should be: the log has what is missing.
      await run('cp', ['-a', this.#of(primary).folder, folder], {})
      const [label] = await session<{ labelfile: string }[]>`
        select labelfile from pg_backup_stop(false)`
      await this.#write(name, 'backup_label', label?.labelfile ?? '')
      session.release()
    })
    await rm(join(folder, 'postmaster.pid'), { force: true })
    await this.follow(name, primary)
    await this.start(name)
    await this.inStep(primary, 2)
  }

  async close(): Promise<void> {
    for (const name of NAMES) await this.kill(name)
    await rm(this.#under, { recursive: true, force: true, maxRetries: 5 })
  }
}
