// Distributes the test files to processes. A process of its own would spend most of a small file's
// time on loading modules, so a few processes take files from one queue and run several, one after
// the other. Each file is a suite: its hooks are the suite's, and the next file begins when it has
// ended.
import { mkdir, open, writeFile } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { after, suite } from 'node:test'

/** The most files of one process: a leftover of a file can disturb no more files than these. */
const FILES_OF_A_PROCESS = 40

/**
 * Files that measure microseconds or memory of their own process, and so need one for themselves.
 */
const ALONE: readonly string[] = [
  'test/api/guessing-timing.test.ts',
  'test/live/http-memory.test.ts',
]

/**
 * Slow files come first, the slowest at the top, so that the run does not wait for one at its end.
 */
const LONG_FIRST: readonly string[] = [
  'test/crash/database-away',
  'test/console/browser',
  'test/live/http-stop',
  'test/cli/entity-import',
  'test/bank/faults',
  'test/ops/backup',
  'test/crash/commit-unconfirmed',
  'test/connector',
  'test/live/http-turns',
  'test/input/every-field',
  'test/cli/payout-import',
  'test/cli/demo-bank',
  'test/bank-file',
  'test/crash',
  'test/chain',
  'test/model',
  'test/ops',
  'src/postgres/embedded',
  'test/ledger',
  'test/input',
  'test/story',
  'test/schedules',
  'test/screening',
  'test/race',
  'test/api/tenancy',
  'test/api/statement-stream',
]

/** How long a process may stay after its tests, when a failed test has left a resource open. */
const LEFT_OPEN_MS = 10_000

/**
 * Writes a script for each process into an empty folder; Node's runner runs `at_once` of them side
 * by side. Returns their paths.
 */
export async function makeProcesses(
  folder: string,
  files: readonly string[],
  at_once: number,
): Promise<string[]> {
  const rank = (file: string) => {
    const found = LONG_FIRST.findIndex(long => file.startsWith(long))
    return found === -1 ? LONG_FIRST.length : found
  }
  const sorted = files.toSorted((a, b) => rank(a) - rank(b))
  const alone = sorted.filter(file => ALONE.includes(file))
  const shared = sorted.filter(file => !ALONE.includes(file))
  const processes = alone.map(file => [file])
  const enough = Math.ceil(shared.length / FILES_OF_A_PROCESS)
  const sharing = Math.max(enough, Math.min(at_once, shared.length))
  for (let i = 0; i < sharing; i++) processes.push(shared)
  const taken = join(folder, 'taken')
  await mkdir(taken)
  const paths = processes.map(async (of, i) => {
    const path = join(folder, `${i + 1}.mjs`)
    const run = `runFiles(${JSON.stringify(taken)}, ${JSON.stringify(of)})`
    const first = new URL('./current-test.ts', import.meta.url)
    const then = `const { runFiles } = await import('${import.meta.url}')`
    await writeFile(path, `import '${first}'\n${then}\nawait ${run}\n`)
    return path
  })
  return Promise.all(paths)
}

/** Runs, one after the other, the files that no other process has taken. */
export async function runFiles(taken: string, files: readonly string[]): Promise<void> {
  let count = 0
  for (const file of files) {
    if (count === FILES_OF_A_PROCESS) break
    if (!(await take(join(taken, encodeURIComponent(file))))) continue
    count += 1
    await runFile(file)
    // Processes that start before this one ends can then use its compile cache.
    flushCompileCache()
  }
  // Node's --test-force-exit would lose the last tests' unsent results.
  setTimeout(() => process.exit(), LEFT_OPEN_MS).unref()
}

/** Takes a file by creating its mark; false when another process has created it. */
async function take(mark: string): Promise<boolean> {
  try {
    await (await open(mark, 'wx')).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function runFile(file: string): Promise<void> {
  const ended = Promise.withResolvers<void>()
  void suite(file, async () => {
    // Node runs no hook after one that fails, so this first hook starts a time-out.
    after(() => void setTimeout(ended.resolve, LEFT_OPEN_MS).unref())
    try {
      await import(resolve(file))
    } catch (error) {
      ended.resolve()
      throw error
    }
    // This hook runs after the hooks of the file.
    after(() => ended.resolve())
  })
  return ended.promise
}
