// `npm test`, and `npm run test:long` for the large shares (see share.ts): every test file through
// Node's own runner, with one PostgreSQL server for all of them, started here and stopped at the end
// whatever happens. What the services have logged meanwhile is searched for secrets and names, and
// what they have asked the database is held against the rules of a spread one.
import { spawn } from 'node:child_process'
import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeStatements } from '../statements/judge.ts'
import { onCluster } from './citus.ts'
import { faultsOfRun } from './logs.ts'
import { makeTemplate, openServer } from './server.ts'

const long = process.argv.includes('--long')
const wanted = process.argv.slice(2).filter(word => word !== '--long')
const all = await Array.fromAsync(glob('{src,test}/**/*.test.ts'))
const files = all.filter(file => wanted.length === 0 || wanted.some(w => file.includes(w))).sort()

let code = 1
const server = await openServer()
const logs = await mkdtemp(join(tmpdir(), 'corridor-logs-'))
const statements = await mkdtemp(join(tmpdir(), 'corridor-statements-'))
/** Halves the start of a process, and tests start hundreds. */
const compiled = await mkdtemp(join(tmpdir(), 'corridor-compiled-'))
try {
  code = await runTests(await makeTemplate(server.url))
  const { password } = new URL(server.url)
  const faults = await faultsOfRun({
    folder: logs,
    databaseLog: await server.log(),
    secrets: password === '' ? [] : [password],
    whole: wanted.length === 0,
  })
  for (const fault of faults.slice(0, 20)) console.log(`in the log of a service: ${fault}`)
  if (faults.length > 0) {
    console.log(`${faults.length} faults in the logs of services`)
    code = 1
  }
  const judged = await judgeStatements({ folder: statements, whole: wanted.length === 0 })
  for (const fault of judged.faults.slice(0, 20)) console.log(`a statement of ${fault}`)
  console.log(
    `${judged.count} statements sent, ${judged.faults.length} that no shard can run alone`,
  )
  // A recorder that records nothing finds no fault either.
  if (judged.faults.length > 0 || (wanted.length === 0 && judged.count === 0)) code = 1
} finally {
  await server.close()
  for (const folder of [logs, statements, compiled])
    await rm(folder, { recursive: true, force: true })
}
process.exitCode = code

/** Each test file clones the template (see database.ts). */
function runTests(template_url: string): Promise<number> {
  const timeout_ms = long ? 36_000_000 : 300_000
  // Of a cluster a test stops machines, which all share.
  const side_by_side = onCluster ? 1 : 2
  const share = long ? { CORRIDOR_TEST_LONG: '1' } : {}
  const env = {
    ...share,
    CORRIDOR_TEST_TEMPLATE: template_url,
    CORRIDOR_TEST_LOGS: logs,
    NODE_COMPILE_CACHE: compiled,
    TEST_STATEMENTS: statements,
    NODE_OPTIONS: `--import ${new URL('../statements/record.ts', import.meta.url)}`,
  }
  const child = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${side_by_side}`, `--test-timeout=${timeout_ms}`, ...files],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  )
  // Stopped halfway, the server must not stay behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill())
  return new Promise(resolve => child.on('exit', status => resolve(status ?? 1)))
}
