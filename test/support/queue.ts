// The test files of a run, taken from one queue by several processes: what would cost most of a small
// file is the start of a process of its own, with all modules to be loaded and compiled. A file is a
// suite there: its hooks are the suite's, and the next begins when it has ended.
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, suite } from 'node:test'

/** Files of one process: what one of them leaves behind is not there for long. */
const FILES_OF_A_PROCESS = 10

const LEFT_OPEN_MS = 10_000

/** What takes long comes first, so that nothing is left to wait for at the end. */
const LONG_FIRST: readonly string[] = [
  ...['test/crash', 'test/model', 'test/ops', 'test/ledger', 'test/input', 'test/race'],
  ...['test/live', 'test/cli', 'test/entity', 'test/story', 'test/api'],
]

function inOrder(files: readonly string[]): readonly string[] {
  const rank = (file: string) => {
    const found = LONG_FIRST.findIndex(folder => file.startsWith(folder))
    return found === -1 ? LONG_FIRST.length : found
  }
  return files.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** The processes to run, each as a file that takes from the queue in this folder. */
export async function makeQueue(folder: string, files: readonly string[]): Promise<string[]> {
  const queue = JSON.stringify(inOrder(files))
  const count = Math.ceil(files.length / FILES_OF_A_PROCESS)
  const paths = Array.from({ length: count }, (_, i) => join(folder, `process-${i + 1}.mjs`))
  await mkdir(join(folder, 'taken'))
  for (const path of paths) {
    const text = `import { runQueue } from '${import.meta.url}'
await runQueue(${JSON.stringify(join(folder, 'taken'))}, ${queue})\n`
    await writeFile(path, text)
  }
  return paths
}

/** Runs files that no other process has taken, one after the other. */
export async function runQueue(taken: string, files: readonly string[]): Promise<void> {
  let count = 0
  for (const [i, file] of files.entries()) {
    if (count === FILES_OF_A_PROCESS) break
    if (!(await take(join(taken, String(i))))) continue
    count += 1
    await runFile(file)
  }
  // A process whose tests have ended ends too, whatever a test that failed has left open.
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
