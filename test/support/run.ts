// Runs `npm test`, and `npm run test:long` with the large shares (share.ts): every test file in
// Node's runner, on one PostgreSQL server, which it starts and always stops. Then it searches the
// services' logs for secrets and names, and checks their statements against the rules of a spread
// database.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { promisify } from 'node:util'
import { judgeStatements } from '../statements/judge.ts'
import { NOT_ON_CLUSTER, onCluster } from './database/citus.ts'
import { makeTemplate, openServer } from './database/server.ts'
import { makeProcesses } from './queue.ts'
import { listenForOrders } from './service/cli-runners.ts'
import { faultsOfRun } from './service/logs.ts'
import { findTemporary } from './temporary.ts'

const long = process.argv.includes('--long')
/** `--name=^POST`: runs only the tests whose name matches. */
const named = process.argv.flatMap(word => (word.startsWith('--name=') ? [word.slice(7)] : []))
/**
 * `--timeout=300`: the seconds that a test process may take; only a hanging process takes longer.
 */
const timeout_s = process.argv.flatMap(word =>
  word.startsWith('--timeout=') ? [word.slice(10)] : [],
)
const wanted = process.argv.slice(2).filter(word => !word.startsWith('--'))
const all = await Array.fromAsync(glob('{src,test}/**/*.test.ts'))
const left_out = onCluster ? NOT_ON_CLUSTER : []
for (const { file, test = '', why } of left_out)
  console.log(`not on a cluster: ${file} ${test}: ${why}`)
const files = all
  .filter(file => wanted.length === 0 || wanted.some(w => file.includes(w)))
  .filter(file => !left_out.some(left => left.test === undefined && file.startsWith(left.file)))
  .sort()

/** Most tests wait for most of their time, so this is more than a small machine's processors. */
const PROCESSES = 6
/** The long run gives the machine to each file that judges a promised duration (share.ts). */
const timed = long ? files.filter(file => readFileSync(file, 'utf8').includes('promised(')) : []

// Commands then name themselves `corridor`, as where the product is installed.
process.env.PATH = `${join(import.meta.dirname, '../../bin')}:${process.env.PATH}`

/** A signal stops the run, and the server with it. */
const stopped = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort())

let green = false
// The long run may write more than memory holds.
const under = long ? tmpdir() : await findTemporary()
const server = await openServer(under)
/**
 * The tmpdir() of the tests, open to all users: root starts PostgreSQL and other programs as other
 * users.
 */
const temporary = await mkdtemp(join(under, 'corridor-tests-'))
await chmod(temporary, 0o1777)
const logs = await mkdtemp(join(under, 'corridor-logs-'))
const statements = await mkdtemp(join(under, 'corridor-statements-'))
const queue = await mkdtemp(join(under, 'corridor-queue-'))
/** Node's compile cache: tests start hundreds of processes. */
const compiled = await mkdtemp(join(under, 'corridor-compiled-'))
try {
  const [template_url] = await Promise.all([makeTemplate(server.url), compileProduct()])
  // Commands of all files share a few processes: each would take a second to load the product.
  const commands = join(queue, 'commands')
  await listenForOrders(commands, {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: compiled,
  })
  const others = files.filter(file => !timed.includes(file))
  const timed_green = await runTests(template_url, commands, timed, 1)
  green = (await runTests(template_url, commands, others, PROCESSES)) && timed_green
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
    green = false
  }
  const judged = await judgeStatements({ folder: statements, whole: wanted.length === 0 })
  for (const fault of judged.faults.slice(0, 20)) console.log(`a statement in ${fault}`)
  console.log(
    `${judged.count} statements sent, ${judged.faults.length} that no shard can run alone`,
  )
  // A broken recorder would find no fault either.
  if (judged.faults.length > 0 || (wanted.length === 0 && judged.count === 0)) green = false
} finally {
  await server.close()
  // A process that a test has left running may still write there.
  await rm(temporary, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  for (const folder of [logs, statements, queue, compiled])
    await rm(folder, { recursive: true, force: true })
}
process.exitCode = green ? 0 : 1

/**
 * Loads the product once to fill the compile cache: a killed process stores nothing there, and
 * processes that start together find it empty.
 */
async function compileProduct(): Promise<void> {
  const commands = new URL('../../src/cli/commands.ts', import.meta.url).href
  const load = `await (await import('${commands}')).makeProgram(() => true)`
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', load], { env })
}

/** Runs test files, each on a clone of the template (database.ts). True when all tests pass. */
async function runTests(
  template_url: string,
  commands: string,
  some: readonly string[],
  at_once: number,
): Promise<boolean> {
  if (some.length === 0) return true
  const share = long ? { CORRIDOR_TEST_LONG: '1' } : {}
  const env = {
    ...process.env,
    ...share,
    CORRIDOR_TEST_TEMPLATE: template_url,
    CORRIDOR_TEST_LOGS: logs,
    CORRIDOR_TEST_COMMANDS: commands,
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: compiled,
    TEST_STATEMENTS: statements,
    NODE_OPTIONS: `--import ${new URL('../statements/record.ts', import.meta.url)}`,
  }
  const stream = run({
    files: await makeProcesses(await mkdtemp(join(queue, 'files-')), some, at_once),
    env,
    // A test may stop a machine of the cluster, which all tests share.
    concurrency: onCluster ? 1 : at_once,
    timeout: 1_000 * Number(timeout_s[0] ?? (long ? 36_000 : 3_600)),
    testSkipPatterns: left_out.flatMap(({ test }) =>
      test === undefined ? [] : [new RegExp(test)],
    ),
    signal: stopped.signal,
    ...(named.length > 0 && { testNamePatterns: named }),
  })
  const took: { file: string; seconds: number }[] = []
  let success = false
  stream.on('test:summary', summary => {
    if (summary.file === undefined) success = summary.success
  })
  stream.on('test:complete', ({ name, nesting, details }) => {
    const seconds = details.duration_ms / 1000
    if (nesting === 0 && details.type === 'suite') took.push({ file: name, seconds })
  })
  for await (const text of stream.compose(spec)) process.stdout.write(text)
  const slowest = took.sort((a, b) => b.seconds - a.seconds).slice(0, 20)
  for (const { file, seconds } of slowest) {
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${file}`)
  }
  return success
}
