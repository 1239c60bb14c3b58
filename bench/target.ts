// Starts the measured target: an embedded PostgreSQL in a temporary folder, and the service on it
// as a process of its own, with one funded account.
import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openEmbedded } from '../src/postgres/embedded.ts'
import { ageLog } from './database.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const FUNDS = '900000000000.00'

/** An account that can send requests. */
export interface Caller {
  readonly account_id: string
  /** Value of the Authorization header. */
  readonly authorization: string
  post(path: string, body: object, idempotency_key?: string): Promise<PostAnswer>
}

interface PostAnswer {
  readonly status: number
  readonly text: string
}

/** The service as a process. */
export interface ServiceProcess {
  readonly address: string
  readonly pid: number
  stop(): Promise<void>
}

export interface Target extends Caller {
  /** A temporary folder; `stop` removes it. */
  readonly folder: string
  /** URL of the database, for its owner. */
  readonly database_url: string
  readonly address: string
  readonly service_pid: number
  readonly postgres_pid: number
  /** Runs a corridor command on this database; returns its output. */
  command(...args: string[]): Promise<string>
  /** Starts another process of the service on the same database, with other settings. */
  startAnother(env?: Readonly<Record<string, string>>): Promise<ServiceProcess>
  stop(): Promise<void>
}

interface TargetOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Lines for postgresql.conf, such as auto_explain's. */
  readonly postgres?: string | undefined
}

/** Starts a target, calls `work` with it, and stops it. */
export function withTarget<T>(
  options: TargetOptions,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  return withTargets(1, options, ([target]) => work(target as Target))
}

/** Starts `count` targets, calls `work` with them, and stops all of them, also after a signal. */
export async function withTargets<T>(
  count: number,
  options: TargetOptions,
  work: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const starting: Promise<Target>[] = []
  const stop = async () => {
    const started = await Promise.allSettled(starting)
    const targets = started.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
    await Promise.all(targets.map(target => target.stop()))
  }
  const interrupted = () => void stop().finally(() => process.exit(130))
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    const targets: Target[] = []
    while (targets.length < count) {
      const next = startTarget(options)
      starting.push(next)
      targets.push(await next)
    }
    return await work(targets)
  } finally {
    await stop()
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/**
 * Settling is off, because it has its own scenario. Level info makes the log name the process's
 * address.
 */
const ENVIRONMENT = {
  CORRIDOR_SETTLE: 'off',
  CORRIDOR_RATE_LIMIT_PER_S: '0',
  LOG_LEVEL: 'info',
  PORT: '0',
}

/** Starts database and service. */
async function startTarget(options: TargetOptions): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-bench-'))
  // When root starts PostgreSQL, it runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711)
  const data_dir = join(folder, 'data')
  const remove = () => rm(folder, { recursive: true, force: true })
  const server = await openServer(data_dir, options.postgres).catch(async error => {
    await remove()
    throw error
  })
  await ageLog(server.url)
  const cwd = folder
  const env = { ...inherited(), CORRIDOR_DATA: data_dir, ...ENVIRONMENT, ...options.env }
  const command = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [MAIN, ...args], { cwd, env })).stdout
  const children: ChildProcess[] = []
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> => {
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit']
    const how = { cwd, env: { ...env, ...more }, stdio }
    const child = spawn(process.execPath, [MAIN, 'start'], how)
    children.push(child)
    const address = await readAddress(child)
    return { address, pid: child.pid as number, stop: () => stopProcess(child) }
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= Promise.all(children.map(stopProcess))
      .then(() => server.release())
      .then(remove)
    return stopped
  }
  try {
    const { address, pid } = await start()
    return {
      folder,
      database_url: server.url,
      address,
      ...(await openAccount(command, address)),
      service_pid: pid,
      postgres_pid: await readPostgresPid(data_dir),
      command,
      startAnother: start,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openServer(data_dir: string, settings: string | undefined) {
  const server = await openEmbedded({ data_dir })
  if (settings === undefined) return server
  await server.release()
  await appendFile(join(data_dir, 'postgres', 'postgresql.conf'), `\n${settings}\n`)
  return openEmbedded({ data_dir })
}

async function post(
  url: string,
  authorization: string,
  body: object,
  idempotency_key: string | undefined,
): Promise<PostAnswer> {
  const headers = {
    authorization,
    'content-type': 'application/json',
    ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
  }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

async function openAccount(command: Target['command'], address: string): Promise<Caller> {
  const args = ['account', 'create', '--json', '--name', 'Bench', '--currencies', 'USD,EUR,GBP,HKD']
  args.push('--sandbox', '--duplicate-window-s', '0')
  const stdout = await command(...args, '--primary-currency', 'USD', '--fund', `USD=${FUNDS}`)
  const caller = callerOf(address, JSON.parse(stdout))
  await untilKeysAreKnown()
  return caller
}

export function callerOf(
  address: string,
  opened: { readonly account_id: string; readonly key_id: string; readonly secret: string },
): Caller {
  const { account_id, key_id, secret } = opened
  const authorization = `Basic ${Buffer.from(`${key_id}:${secret}`).toString('base64')}`
  return {
    account_id,
    authorization,
    post: (path, body, key) => post(`${address}${path}`, authorization, body, key),
  }
}

/** Waits until the running service knows new keys, which takes it half a second. */
export function untilKeysAreKnown(): Promise<void> {
  return delay(1500)
}

/** This process's environment without its CORRIDOR_ settings. */
function inherited(): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !name.startsWith('CORRIDOR_'))
  return Object.fromEntries(rest)
}

/** Reads the address from the log of the service. */
async function readAddress(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('the service has no output')
  for await (const line of createInterface({ input: service.stdout })) {
    const address = /"address":"(http:[^"]+)"/.exec(line)?.[1]
    if (address === undefined) continue
    service.stdout.resume()
    return address
  }
  throw new Error('the service ended before it listened')
}

export async function readPostgresPid(data_dir: string): Promise<number> {
  const text = await readFile(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number.parseInt(text, 10)
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
