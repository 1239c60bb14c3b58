// corridor start: what a first start prints, and starts that cannot be: one line, exit code 1,
// nothing made and nothing left open.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { startService } from '../../src/app/service.ts'
import { readConfig } from '../../src/config/config.ts'
import { makeLog } from '../../src/values/log.ts'
import { createDatabase } from '../support/database/database.ts'
import { listenOn } from '../support/network/port.ts'
import { BARE, openCli } from '../support/service/cli.ts'
import { basic } from '../support/service/service.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-start-'))
// PostgreSQL runs as an ordinary user, who must be able to reach its folder.
await chmod(folder, 0o711)
const first = spawn(process.execPath, ['src/main.ts', 'start', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...BARE, PORT: '0', CORRIDOR_DATA: join(folder, 'data'), LOG_LEVEL: 'silent' },
})
const lines = createInterface({ input: first.stdout as NodeJS.ReadableStream })
const ended = once(first, 'exit').then(([code]) => Promise.reject(new Error(`ended: ${code}`)))
ended.catch(() => {})
/** The first line of a first start that logs nothing. */
const line = String(await Promise.race([once(lines, 'line'), ended]))
after(async () => {
  await stopFirst()
  await rm(folder, { recursive: true, force: true })
})

async function stopFirst(): Promise<void> {
  if (first.exitCode !== null) return
  const ended = once(first, 'exit')
  first.kill('SIGTERM')
  await ended
}

test('corridor start --json, empty folder: a sandbox account as one line of JSON, its key is valid', async () => {
  const { address, key_id, secret, ...rest } = JSON.parse(line)
  assert.deepEqual(Object.keys(rest), ['account_id', 'deposit_address'])
  const headers = { authorization: basic(key_id, secret) }
  assert.equal((await fetch(`${address}/v3/balance`, { headers })).status, 200)
})

/** `corridor start` to its end, on a folder below the test's; killed when it does not end. */
async function startToEnd(data: string, more: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['src/main.ts', 'start'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...BARE, CORRIDOR_DATA: join(folder, data), LOG_LEVEL: 'silent', ...more },
    timeout: 45_000,
    killSignal: 'SIGKILL',
  })
  const outputs = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'close')
  const [stdout, stderr] = await outputs
  return { code, stdout, stderr }
}

test('corridor start, port in use: exit code 1, one line, nothing opened', async () => {
  const { address } = JSON.parse(line)
  const { port } = new URL(address)
  const { code, stdout, stderr } = await startToEnd('empty', { PORT: port })
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(
    stderr,
    `corridor: port ${port} on 127.0.0.1 is taken; stop what uses it or set PORT\n`,
  )
  assert.deepEqual(await readdir(folder), ['data'])
  assert.equal((await fetch(`${address}/v3/balance`)).status, 401)
})

test('corridor start, unknown HOST: exit code 1, one line naming it, nothing created', async () => {
  const { code, stdout, stderr } = await startToEnd('empty', { HOST: 'nohost.invalid' })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^corridor: cannot listen on HOST nohost\.invalid, PORT 8080: E[A-Z_]+\n$/)
  assert.deepEqual(await readdir(folder), ['data'])
})

test('any command, malformed DATABASE_URL: exit code 2, one line naming it', async () => {
  const cli = await openCli('nonsense')
  const { code, stdout, stderr } = await cli.run('verify')
  await cli.close()
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^corridor: DATABASE_URL must be like postgres:.*\n$/)
})

test('corridor start, listening fails last: exit code 1, one line, no process left', async () => {
  await stopFirst()
  // A port of 0 is not tried beforehand.
  const env = { PORT: '0', HOST: 'nohost.invalid' }
  const { code, stderr } = await startToEnd('data', env)
  assert.equal(code, 1)
  assert.match(stderr, /^corridor: cannot listen on HOST nohost\.invalid, PORT 0: E[A-Z_]+\n$/)
  assert.ok(!(await readdir(join(folder, 'data', 'postgres'))).includes('postmaster.pid'))
})

test('service start, port taken before it listens: rejects, no database connection left', async () => {
  const database = await createDatabase()
  const taker = createServer()
  const port = await listenOn(taker)
  try {
    const env = { DATABASE_URL: database.url, PORT: String(port), LOG_LEVEL: 'silent' }
    const config = readConfig(env)
    await assert.rejects(startService(config, makeLog(config.log_level)), { code: 'EADDRINUSE' })
    const left = () => database.owner`
      select application_name from pg_stat_activity
      where datname = current_database() and application_name <> 'corridor test'`
    // A backend ends a moment after its connection.
    const deadline = performance.now() + 120_000
    while ((await left()).length > 0 && performance.now() < deadline) await left()
    assert.deepEqual([...(await left())], [])
  } finally {
    taker.close()
    await database.drop()
  }
})
