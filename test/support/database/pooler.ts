// Starts a real PgBouncer in front of a test database, in each of its pool modes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findServerUser } from '../../../src/postgres/place.ts'
import { freePort } from '../network/port.ts'

const BINARY = '/usr/sbin/pgbouncer'

/** For `skip`: why there is no PgBouncer to test with; undefined when there is one. */
export const NO_POOLER = await access(BINARY).then(
  () => undefined,
  () => `${BINARY} is not installed (apt-get install pgbouncer)`,
)

export interface Pooler {
  url(mode: 'session' | 'transaction' | 'statement' | 'crowded'): string
  close(): Promise<void>
}

/** Runs as an ordinary user, because PgBouncer refuses to run as root. */
export async function startPooler(target: string): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(target)
  const user = await findServerUser()
  const folder = await mkdtemp(join(tmpdir(), 'corridor-pooler-'))
  await chmod(folder, 0o755)
  const at = `host=${hostname} port=${port} dbname=${pathname.slice(1)}`
  const own_port = await freePort()
  const settings = `[databases]
session = ${at} pool_mode=session pool_size=100
transaction = ${at} pool_mode=transaction
statement = ${at} pool_mode=statement
crowded = ${at} pool_mode=session pool_size=2
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own_port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
`
  await writeFile(join(folder, 'settings'), settings)
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  const child = spawn(BINARY, [join(folder, 'settings')], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    await untilUp(child)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    url: mode => `postgres://${username}:${password}@127.0.0.1:${own_port}/${mode}`,
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilUp(child: ChildProcess): Promise<void> {
  const up = Promise.withResolvers<void>()
  const lines: string[] = []
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', line => {
    lines.push(line)
    if (line.includes('process up')) up.resolve()
  })
  child.once('exit', code => up.reject(new Error(`ended: ${code}\n${lines.join('\n')}`)))
  await up.promise
}
