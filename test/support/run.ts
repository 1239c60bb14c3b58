// `npm test`, and `npm run test:long` for the large shares (see share.ts): every test file through
// Node's own runner, with one PostgreSQL server for all of them, started here and stopped at the end
// whatever happens. What the services have logged meanwhile is searched for secrets and names.
import { spawn } from 'node:child_process'
import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/db/connect.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { faultsOfRun } from './logs.ts'

const long = process.argv.includes('--long')
const wanted = process.argv.slice(2).filter(word => word !== '--long')
const all = await Array.fromAsync(glob('{src,test}/**/*.test.ts'))
const files = all.filter(file => wanted.length === 0 || wanted.some(w => file.includes(w))).sort()

let code = 1
const server = await openServer()
const logs = await mkdtemp(join(tmpdir(), 'corridor-logs-'))
try {
  code = await runTests(await makeTemplate(server.url))
  const { password } = new URL(server.url)
  const faults = await faultsOfRun(logs, password === '' ? [] : [password], await server.log())
  for (const fault of faults.slice(0, 20)) console.log(`in the log of a service: ${fault}`)
  if (faults.length > 0) {
    console.log(`${faults.length} faults in the logs of services`)
    code = 1
  }
} finally {
  await server.close()
  await rm(logs, { recursive: true, force: true })
}
process.exitCode = code

/** The server TEST_DATABASE_URL names (its user may create databases and roles), or one of our own. */
async function openServer() {
  const { TEST_DATABASE_URL } = process.env
  if (TEST_DATABASE_URL !== undefined) {
    return { url: TEST_DATABASE_URL, log: async () => '', close: async () => {} }
  }
  const folder = await mkdtemp(join(tmpdir(), 'corridor-test-'))
  // PostgreSQL runs as an ordinary user, who must be able to reach its folder.
  await chmod(folder, 0o711)
  const embedded = await openEmbedded({ data_dir: folder })
  return {
    url: embedded.url,
    log: () => readFile(join(folder, 'postgres.log'), 'utf8'),
    async close() {
      await embedded.release()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A migrated database that nobody stays connected to, so that test files can clone it. */
async function makeTemplate(server_url: string): Promise<string> {
  const admin = connect(server_url, { max: 1, as: 'owner' })
  await admin`drop database if exists corridor_template`
  await admin`create database corridor_template`
  await admin.end()
  const url = new URL(server_url)
  url.pathname = '/corridor_template'
  const owner = connect(url.href, { max: 1, as: 'owner' })
  await migrate(owner)
  await owner.end()
  return url.href
}

/** Each test file clones the template (see database.ts). */
function runTests(template_url: string): Promise<number> {
  const timeout_ms = long ? 36_000_000 : 300_000
  const share = long ? { CORRIDOR_TEST_LONG: '1' } : {}
  const env = { ...share, CORRIDOR_TEST_TEMPLATE: template_url, CORRIDOR_TEST_LOGS: logs }
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=2', `--test-timeout=${timeout_ms}`, ...files],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  )
  // Stopped halfway, the server must not stay behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill())
  return new Promise(resolve => child.on('exit', status => resolve(status ?? 1)))
}
