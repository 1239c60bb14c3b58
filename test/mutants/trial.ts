// Tries a mutant: runs the tests that ought to notice it in a process that loads the mutant in place
// of the source, and says what became of it.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Loaded } from './load.ts'
import type { Change } from './mutate.ts'

/** `timeout`: the tests did not end, which no suite lets pass. */
export type Outcome = 'killed' | 'timeout' | 'survived'

/** How tests are run: by files, in processes with these variables beside the usual ones. */
export interface Tests {
  readonly files: readonly string[]
  /** One process for all files, ended by the first failure; else a process a file, as `npm test`. */
  readonly together: boolean
  readonly env?: Readonly<Record<string, string>>
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOAD = new URL('./load.ts', import.meta.url).href
const JUDGE = fileURLToPath(new URL('./judge.ts', import.meta.url))

/** A mutant may ask for memory without end. */
const MEMORY = '--max-old-space-size=1024'

/** `change` in `file`, or the sources as they are when there is none. */
export async function tryChange(
  change: (Change & { readonly file: string }) | undefined,
  tests: Tests,
  timeout_ms: number,
): Promise<Outcome> {
  const runner = tests.together ? [JUDGE] : ['--test', '--test-concurrency=2']
  const child = spawn(process.execPath, [MEMORY, ...runner, ...tests.files], {
    cwd: ROOT,
    stdio: 'ignore',
    // Of its own group: with it end the processes that tests have started.
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
  // A test runner that is itself run by one would report to that one instead.
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
