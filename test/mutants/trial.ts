// Tries a mutant: runs the tests that should catch it, in a process that loads the mutant in place
// of the source, and returns the outcome.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Loaded } from './load.ts'
import type { Change } from './mutate.ts'

/** `timeout`: the tests did not end in time, which counts as caught. */
export type Outcome = 'killed' | 'timeout' | 'survived'

/** Test files and how to run them; `env` has variables in addition to this process's. */
export interface Tests {
  readonly files: readonly string[]
  /**
   * True: one process for all files, ended by the first failure. False: Node's runner, with a
   * process for each file.
   */
  readonly together: boolean
  readonly env?: Readonly<Record<string, string>>
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOAD = new URL('./load.ts', import.meta.url).href
const JUDGE = fileURLToPath(new URL('./judge.ts', import.meta.url))

/** A mutant may allocate memory without end. */
const MEMORY = '--max-old-space-size=1024'

/** Runs the tests with the change in its file, or with the unchanged sources. */
export async function tryChange(
  change: (Change & { readonly file: string }) | undefined,
  tests: Tests,
  timeout_ms: number,
): Promise<Outcome> {
  const runner = tests.together ? [JUDGE] : ['--test', '--test-concurrency=2']
  const child = spawn(process.execPath, [MEMORY, ...runner, ...tests.files], {
    cwd: ROOT,
    stdio: 'ignore',
    // A process group of its own, so that killing it also ends the processes that tests have
    // started.
    detached: true,
    env: { ...process.env, ...tests.env, ...variables(change) },
  })
  let late = false
  const timer = setTimeout(() => {
    late = true
    end(child.pid)
  }, timeout_ms)
  const stop = () => end(child.pid)
  process.once('exit', stop)
  try {
    const code = await new Promise<number | null>((ended, failed) => {
      child.once('error', failed).once('exit', ended)
    })
    if (late) return 'timeout'
    if (code === 3) throw new Error(`no test in ${tests.files.join(', ')}`)
    return code === 0 ? 'survived' : 'killed'
  } finally {
    clearTimeout(timer)
    process.off('exit', stop)
  }
}

function variables(change: (Change & { readonly file: string }) | undefined) {
  // With this variable, a test runner inside another one would report to the outer one.
  const plain = { NODE_TEST_CONTEXT: undefined }
  if (change === undefined) return plain
  const { file, start, end, text } = change
  const loaded: Loaded = { url: pathToFileURL(resolve(ROOT, file)).href, start, end, text }
  return { ...plain, NODE_OPTIONS: `--import=${LOAD}`, CORRIDOR_MUTANT: JSON.stringify(loaded) }
}

function end(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
