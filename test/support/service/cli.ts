// The command line as an operator runs it, on a test's database: its exit code and both of its outputs.
// Hundreds of commands are run, and most of the time of each would be its start: those on a database
// that is there run one after the other in a few processes that have the product loaded
// (cli-runner.ts), all others in one of their own.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ended, Fault, Order } from './cli-runner.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

const RUNNER = fileURLToPath(new URL('./cli-runner.ts', import.meta.url))

const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
/** What each process of the product has: where programs are, and what the run has compiled. */
export const BARE: Readonly<Record<string, string>> = { PATH, NODE_COMPILE_CACHE }

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
  const pipe = async (input: string, ...args: readonly string[]): Promise<Ran> => {
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
  const own = database_url === '' && !none
  const alone = (args: readonly string[]) => own || args[0] === 'start'
  return {
    pipe,
    async run(...args) {
      if (alone(args)) return pipe('', ...args)
      const ended = await runIn(folder, env, args)
      return { ...ended, json: parsed(ended.stdout) }
    },
    async file(name, text) {
      const path = join(folder, name)
      await writeFile(path, text)
      return path
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Those that wait for a command, of whatever database, by what Node was told at their start. */
const idle = new Map<string, ChildProcess[]>()

/** So many run side by side: a test that calls dozens at once would start a process for each. */
const AT_ONCE = 2
let running = 0
const queue: (() => void)[] = []

/** When it is its turn, in a process that has nothing to do, or in a new one. */
async function runIn(folder: string, env: Order['env'], args: readonly string[]): Promise<Ended> {
  if (running < AT_ONCE) running += 1
  else await new Promise<void>(resolve => queue.push(resolve))
  try {
    return await runNow(folder, env, args)
  } finally {
    const next = queue.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

async function runNow(folder: string, env: Order['env'], args: readonly string[]): Promise<Ended> {
  const { NODE_OPTIONS = '' } = env
  const waiting = idle.get(NODE_OPTIONS) ?? []
  idle.set(NODE_OPTIONS, waiting)
  const runner = waiting.pop() ?? startRunner({ ...BARE, NODE_OPTIONS })
  runner.ref()
  runner.channel?.ref()
  const ended = await new Promise<Ended | Fault>(resolve => {
    const gone = (code: number | null) => resolve({ fault: `its process has ended by ${code}` })
    runner.once('exit', gone)
    runner.once('message', message => {
      runner.off('exit', gone)
      resolve(message as Ended | Fault)
    })
    runner.send({ args, env, folder } satisfies Order)
  })
  if ('fault' in ended) {
    runner.kill('SIGKILL')
    throw new Error(`corridor ${args.join(' ')}: ${ended.fault}`)
  }
  // No test process waits for who has nothing to do, and it goes with the process.
  runner.unref()
  runner.channel?.unref()
  waiting.push(runner)
  return ended
}

function startRunner(env: Order['env']): ChildProcess {
  return fork(RUNNER, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
