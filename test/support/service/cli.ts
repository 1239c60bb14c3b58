// The command line as an operator runs it, on a test's database: its exit code and both of its outputs.
// Hundreds of commands are run, and most of the time of each would be its start: those on a database
// that is there run one after the other in a few processes that have the product loaded
// (cli-runners.ts), all others in one of their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parsed } from '../given/parsed.ts'
import type { Ended, Order } from './cli-runner.ts'
import { Runners, sendOrder } from './cli-runners.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

const { PATH = '', NODE_COMPILE_CACHE = '', CORRIDOR_TEST_COMMANDS: shared = '' } = process.env
/** What each process of the product has: where programs are, and what the run has compiled. */
export const BARE: Readonly<Record<string, string>> = { PATH, NODE_COMPILE_CACHE }

/** Of this process alone, where a run has none for all. */
const runners = new Runners(BARE)

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any output
  readonly json: any
}

export interface Cli {
  run(...args: readonly string[]): Promise<Ran>
  /** The same with this on standard input. */
  pipe(input: string, ...args: readonly string[]): Promise<Ran>
  /** The same in a process of its own. */
  spawn(input: string, ...args: readonly string[]): Promise<Ran>
  /** A file with this in it; its path. */
  file(name: string, text: string): Promise<string>
  close(): Promise<void>
}

/**
 * The command line on one database; `environment` is all it is told besides. Without a URL its commands
 * may start a database of their own, and are processes, unless there is `none` to be started.
 */
export async function openCli(
  database_url: string,
  environment: Readonly<Record<string, string>> = {},
  none = false,
): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-cli-'))
  const env = { ...BARE, DATABASE_URL: database_url, ...environment }
  const own = async (input: string, ...args: readonly string[]): Promise<Ran> => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    // A command that does not read its input may be gone before it is written.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const [code] = await once(child, 'close')
    return { code, stdout, stderr, json: parsed(stdout) }
  }
  // What takes signals, or starts a database, is a process.
  const starts = database_url === '' && !none
  const alone = (args: readonly string[]) => starts || args[0] === 'start'
  const pipe = async (input: string, ...args: readonly string[]): Promise<Ran> => {
    if (alone(args)) return own(input, ...args)
    const ended = await runIn({ folder, env, args, input })
    return { ...ended, json: parsed(ended.stdout) }
  }
  return {
    run: (...args) => pipe('', ...args),
    pipe,
    spawn: own,
    async file(name, text) {
      const path = join(folder, name)
      await writeFile(path, text)
      return path
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** So many run side by side: a test that calls dozens at once would start a process for each. */
const AT_ONCE = 2
let running = 0
const queue: (() => void)[] = []

/** When it is its turn, in a process that has nothing to do, or in a new one. */
async function runIn(order: Order): Promise<Ended> {
  if (running < AT_ONCE) running += 1
  else await new Promise<void>(resolve => queue.push(resolve))
  try {
    const ended = await (shared === '' ? runners.run(order) : sendOrder(shared, order))
    if ('fault' in ended) throw new Error(`corridor ${order.args.join(' ')}: ${ended.fault}`)
    return ended
  } finally {
    const next = queue.shift()
    if (next === undefined) running -= 1
    else next()
  }
}
