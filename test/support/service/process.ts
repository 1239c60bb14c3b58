// Starts real service processes by the command line, signals them, and calls them by HTTP clients
// with kept-alive connections.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onDatabase } from '../../../src/cli/context.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { OpenedAccount } from '../../../src/operator/account-operations.ts'
import { parsed } from '../given/parsed.ts'
import { share } from '../share.ts'
import { BARE } from './cli.ts'
import { keepOutput } from './logs.ts'
import { basic, openFunded } from './service.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export type Environment = Readonly<Record<string, string>>

/** A line of the service's log, or of a command's output. */
export interface LogLine {
  readonly level?: number
  readonly msg?: string
  readonly [name: string]: unknown
}

export interface RunningProcess {
  /** `http://127.0.0.1:40123` */
  readonly address: string
  readonly pid: number
  /** All lines of its log and standard error so far. */
  readonly log: readonly LogLine[]
  /** The exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Whether it has not ended yet. */
  running(): boolean
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void
  /** Sends SIGKILL and waits for the end: for the clean-up after a test. */
  kill(): Promise<void>
}

/** Longest wait for a process to listen; a first start makes a PostgreSQL cluster. */
const START_TIMEOUT_MS = 120_000

/**
 * Runs `corridor start` with these variables; resolves when it listens, rejects when it ends
 * before. `main` can be the command line of another version.
 */
export async function startProcess(env: Environment, main = MAIN): Promise<RunningProcess> {
  const settings = {
    PORT: '0',
    CORRIDOR_SIMULATOR_DELAY_MS: '0',
    CORRIDOR_SETTLE_POLL_MS: '200',
    ...env,
    LOG_LEVEL: 'trace',
  }
  const child = spawnCommand(['start'], settings, main)
  keepOutput(child)
  const log: LogLine[] = []
  const listening = Promise.withResolvers<string>()
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => {
    const entry = readLine(line)
    log.push(entry)
    if (entry.msg === 'corridor is listening') listening.resolve(String(entry.address))
  })
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', line => {
    log.push({ msg: line, stderr: true })
  })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  void ended.then(how => listening.reject(new Error(`ended: ${how}\n${JSON.stringify(log)}`)))
  const timer = setTimeout(() => {
    listening.reject(new Error(`does not listen\n${JSON.stringify(log)}`))
  }, START_TIMEOUT_MS)
  const running = () => child.exitCode === null && child.signalCode === null
  try {
    const address = await listening.promise
    return {
      address,
      pid: child.pid as number,
      log,
      ended,
      running,
      signal: name => void child.kill(name),
      async kill() {
        if (running()) child.kill('SIGKILL')
        await ended
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const FAILPOINT = new URL('./failpoint.ts', import.meta.url).href

/**
 * The environment of a service that kills itself at this point, such as `before rail simulator 3`.
 * The count begins at a SIGUSR2.
 */
export function failingAt(point: string): Environment {
  return { NODE_OPTIONS: `--import=${FAILPOINT}`, FAILPOINT: point }
}

/** Runs a command to its end; returns its exit code and its output. */
export async function runCommand(args: readonly string[], env: Environment, main = MAIN) {
  const child = spawnCommand(args, env, main)
  const output = outputOf(child)
  const [code] = await once(child, 'close')
  return { code: code as number | null, output: output() }
}

/** What a process has printed so far, on both of its outputs. */
export function outputOf(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return () => output
}

/** Starts a command as a process. */
export function spawnCommand(args: readonly string[], env: Environment, main = MAIN): ChildProcess {
  const { NODE_OPTIONS = '', TEST_STATEMENTS = '' } = process.env
  return spawn(process.execPath, [main, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...BARE, NODE_OPTIONS, TEST_STATEMENTS, ...env },
  })
}

function readLine(line: string): LogLine {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

/** Opens an account on a migrated database, with or without a service on it. */
export async function openAccountOn(
  url: string,
  fund: Readonly<Record<string, bigint>>,
  currencies: readonly string[] = ['USD'],
  sandbox = true,
): Promise<OpenedAccount> {
  const [opened] = await openAccountsOn(url, 1, fund, currencies, sandbox)
  return opened as OpenedAccount
}

/** Opens so many accounts alike. */
export function openAccountsOn(
  url: string,
  count: number,
  fund: Readonly<Record<string, bigint>>,
  currencies: readonly string[] = ['USD'],
  sandbox = true,
): Promise<OpenedAccount[]> {
  const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' })
  const amounts = Object.entries(fund).map(([currency, amount]) => ({ currency, amount }))
  const primary_currency = currencies[0] ?? 'USD'
  // Tests make the same payout many times.
  const guards = { sandbox, duplicate_window_s: 0 }
  const wanted = { name: 'Test', currencies, primary_currency, fund: amounts, ...guards }
  return onDatabase(config, url, context =>
    Promise.all(Array.from({ length: count }, () => openFunded(context, wanted))),
  )
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
  readonly json: any
  /** Milliseconds from the request to the answer's last byte. */
  readonly took_ms: number
}

/**
 * Calls with one account's key over kept-alive connections; a lost connection rejects with its
 * error code.
 */
export interface HttpClient {
  get(address: string, path: string): Promise<HttpAnswer>
  /** Sends a text as it is, any other `body` as JSON. */
  post(address: string, path: string, body: unknown, key?: string): Promise<HttpAnswer>
  close(): void
  /** Whether `close` was called: a loop of requests then stops, for example after a failed test. */
  closed(): boolean
}

/** Longest wait for an answer, far above the service's promises. */
const ANSWER_TIMEOUT_MS = 120_000

export function httpClient(
  opened: Pick<OpenedAccount, 'key_id' | 'secret'>,
  connections = Infinity,
): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let closed = false
  const authorization = basic(opened.key_id, opened.secret)
  const call = (method: string, url: string, payload: string, headers: object) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      const started = performance.now()
      const all = { authorization, ...headers }
      const asked = request(url, { method, agent, headers: all }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0, headers: received } = response
          const took_ms = performance.now() - started
          resolve({ status, headers: received, text, json: parsed(text), took_ms })
        })
      })
      asked.setTimeout(ANSWER_TIMEOUT_MS, () => asked.destroy(new Error(`no answer from ${url}`)))
      asked.on('error', reject)
      asked.end(payload)
    })
  return {
    get: (address, path) => call('GET', `${address}${path}`, '', {}),
    post(address, path, body, key) {
      const payload = typeof body === 'string' ? body : JSON.stringify(body)
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      }
      return call('POST', `${address}${path}`, payload, headers)
    },
    close() {
      closed = true
      agent.destroy()
    },
    closed: () => closed,
  }
}

/** Only a hanging operation takes as long, even on a busy machine. */
const HANGS_MS = 120_000

/** The longest pause between two looks, far shorter than any state that a test waits for. */
const LONGEST_PAUSE_MS = 80

/** Waits until `done` is true; after HANGS_MS fails with `what` and the text of `seen`. */
export async function until(
  what: string,
  done: () => Promise<boolean> | boolean,
  seen: () => string = () => '',
): Promise<void> {
  const began_at = performance.now()
  while (!(await done())) {
    const waited_ms = performance.now() - began_at
    if (waited_ms > HANGS_MS) throw new Error(`${what}: not within ${HANGS_MS} ms\n${seen()}`)
    // A longer wait looks less often, to leave the processor to others.
    await delay(Math.min(Math.max(10, waited_ms / 10), LONGEST_PAUSE_MS))
  }
}

/** How many file descriptors a service has open, by its own metrics. */
export async function openFiles(client: HttpClient, address: string): Promise<number> {
  const { text } = await client.get(address, '/metrics')
  return Number(/^process_open_fds (\d+)$/m.exec(text)?.[1])
}

/** Counts the answers by status and first reason: `{ '200': 1, '422 quote_used': 49 }`. */
export function tally(answers: readonly Pick<HttpAnswer, 'status' | 'json'>[]) {
  const counts: Record<string, number> = {}
  for (const { status, json } of answers) {
    const reason = json?.errors?.[0]?.reason
    const name = reason === undefined ? String(status) : `${status} ${reason}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/**
 * A generator of random numbers from 0 to 1, 1 excluded, that repeats for the same seed
 * (mulberry32).
 */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * The seed in SEED. Without it the long run searches with a new one, which the test prints, and
 * `npm test` judges every change by the same cases.
 */
export function pickSeed(): number {
  return Number(process.env.SEED ?? share(USUAL_SEED, Math.floor(Math.random() * 2 ** 31)))
}

const USUAL_SEED = 1
