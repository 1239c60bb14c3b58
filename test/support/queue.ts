// The processes that run the test files. Most of the time of a small file would be the start of a
// process of its own, with all modules to be loaded and compiled: small files are taken from one queue
// by processes that run several, one after the other. A file is a suite there: its hooks are the
// suite's, and the next begins when it has ended.
import { mkdir, open, writeFile } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { after, suite } from 'node:test'

/** Of what a file leaves behind no more files than these see something. */
const FILES_OF_A_PROCESS = 40

/**
 * They measure microseconds and memory of their own process. What others ask is a service or a
 * database.
 */
const ALONE: readonly string[] = [
  'test/api/guessing-timing.test.ts',
  'test/input/memory.test.ts',
  'test/live/http-memory.test.ts',
]

/** What takes long comes first, the longest before all: nothing is left to wait for at the end. */
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

/** How long a process may go on when its tests have ended, for what one that failed has left open. */
const LEFT_OPEN_MS = 10_000

/**
 * The files for Node's runner, each a process, that run these; made in an empty folder. `at_once` is
 * how many of them run side by side.
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

/** Runs those of these files that no other process has taken, one after the other. */
export async function runFiles(taken: string, files: readonly string[]): Promise<void> {
  let count = 0
  for (const file of files) {
    if (count === FILES_OF_A_PROCESS) break
    if (!(await take(join(taken, encodeURIComponent(file))))) continue
    count += 1
    await runFile(file)
    // For processes that start before this one ends.
    flushCompileCache()
  }
  // Node's own --test-force-exit would lose what was not said yet of the last tests.
  setTimeout(() => process.exit(), LEFT_OPEN_MS).unref()
}

/** Whoever makes the mark has it. */
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
    // Of the hooks behind one that fails, Node runs none.
    after(() => void setTimeout(ended.resolve, LEFT_OPEN_MS).unref())
    try {
      await import(resolve(file))
    } catch (error) {
      ended.resolve()
      throw error
    }
    // Behind those of the file.
    after(() => ended.resolve())
  })
  return ended.promise
}
