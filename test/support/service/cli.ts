// Runs CLI commands on a test's database and returns exit code and output. Tests run hundreds of
// commands, each of which would spend most of its time on its start. Commands on a running database
// therefore share a few processes (cli-runners.ts); all others get their own.
import assert from 'node:assert/strict'
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
/** The environment of every process of the product: the path of programs and the compile cache. */
export const BARE: Readonly<Record<string, string>> = { PATH, NODE_COMPILE_CACHE }

/** What makes a pipe look like a terminal. */
const TERMINAL = 'process.stdout.isTTY=true;process.stdout.columns=80'
/** The environment of a command in a terminal of 80 columns. */
export const IN_TERMINAL: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${TERMINAL}`,
  NO_COLOR: '1',
}

/** The runners of this process, for a run without shared ones. */
const runners = new Runners(BARE)

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output parsed as JSON; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any output
  readonly json: any
}

export interface Cli {
  run(...args: readonly string[]): Promise<CommandResult>
  /** Runs a command with this standard input. */
  pipe(input: string, ...args: readonly string[]): Promise<CommandResult>
  /** Runs a command with this standard input in a process of its own. */
  spawn(input: string, ...args: readonly string[]): Promise<CommandResult>
  /** Writes a file into the commands' folder; returns its path. */
  file(name: string, text: string): Promise<string>
  close(): Promise<void>
}

/**
 * The command line on one database, with these further variables. Without a URL its commands may
 * start an embedded database, so each gets a process of its own, unless `none` says that they start
 * none.
 */
export async function openCli(
  database_url: string,
  environment: Readonly<Record<string, string>> = {},
  none = false,
): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-cli-'))
  const env = { ...BARE, DATABASE_URL: database_url, ...environment }
  const own = async (input: string, ...args: readonly string[]): Promise<CommandResult> => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    // A command may end without reading its input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const [code] = await once(child, 'close')
    return { code, stdout, stderr, json: parsed(stdout) }
  }
  // A command that gets signals or starts a database needs its own process.
  const starts = database_url === '' && !none
  const alone = (args: readonly string[]) => starts || args[0] === 'start'
  const pipe = async (input: string, ...args: readonly string[]): Promise<CommandResult> => {
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

/**
 * The most commands that run side by side: without it, a test with dozens of commands would start
 * dozens of processes.
 */
const AT_ONCE = 2
let running = 0
const queue: (() => void)[] = []

/** Runs a command in a shared process, once fewer than AT_ONCE run. */
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

/** Runs a command that succeeds; returns what it prints. */
export async function succeed(cli: Cli, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(...args)
  assert.equal(code, 0, stderr)
  return stdout
}
