// What is measured: an embedded PostgreSQL in a temporary folder and the service as a process of its
// own on it, with one funded account and one beneficiary. Knows no load and no numbers.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { openEmbedded } from '../src/db/embedded.ts'

const PROJECT = join(import.meta.dirname, '..')
const FUNDS = '900000000000.00'

export interface Target {
  /** Of the database, as its owner. */
  readonly database_url: string
  readonly address: string
  /** Value of the Authorization header of the account. */
  readonly authorization: string
  readonly account_id: string
  readonly beneficiary: string
  readonly service_pid: number
  readonly postgres_pid: number
  stop(): Promise<void>
}

export interface TargetOptions {
  /** The project whose src/main.ts is started. */
  readonly project?: string
  readonly env?: Readonly<Record<string, string>>
  /** For node itself, such as --cpu-prof. */
  readonly node_options?: readonly string[]
  /** Lines for postgresql.conf, such as auto_explain's. */
  readonly postgres_settings?: string
}

/** Starts database and service; settling is off, as it is another scenario. */
export async function startTarget(options: TargetOptions = {}): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-bench-'))
  // PostgreSQL runs as another user when started by root, and must be able to pass.
  await chmod(folder, 0o711)
  const data_dir = join(folder, 'data')
  const server = await openServer(data_dir, options.postgres_settings)
  const env = {
    ...process.env,
    CORRIDOR_DATA: data_dir,
    CORRIDOR_SETTLE: 'off',
    LOG_LEVEL: 'warn',
    PORT: '0',
    ...options.env,
  }
  const main = join(options.project ?? PROJECT, 'src/main.ts')
  const service = spawn(process.execPath, [...(options.node_options ?? []), main, 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopProcess(service)
      .then(() => server.release())
      .then(() => rm(folder, { recursive: true, force: true }))
    return stopped
  }
  try {
    const address = await readAddress(service)
    const account = await openAccount(main, env)
    return {
      database_url: server.url,
      address,
      ...account,
      beneficiary: await makeBeneficiary(address, account.authorization),
      service_pid: service.pid as number,
      postgres_pid: await readPostgresPid(data_dir),
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

/** What is paid out, without its beneficiary; about 250 bytes with it. */
export const PAYOUTS = {
  'USD→USD': {
    amount: 10_000,
    currency: 'USD',
    type: 'local',
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041 of March, second part',
    reference_id: 'INV-2041-2',
    metadata: { order: 'A-77120', cost_centre: 'treasury' },
  },
  'USD→HKD': {
    amount: 78_000,
    currency: 'HKD',
    holding_currency: 'USD',
    type: 'local',
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041 of March, second part',
    reference_id: 'INV-2041-2',
    metadata: { order: 'A-77120', cost_centre: 'treasury' },
  },
} as const

export type PayoutName = keyof typeof PAYOUTS

/** One payout, so that its rows can be read; answers the payout's id. */
export async function payOnce(
  target: Pick<Target, 'address' | 'authorization'>,
  body: object,
): Promise<{ id: string; beneficiary: string }> {
  const response = await fetch(`${target.address}/v3/payout`, {
    method: 'POST',
    headers: {
      authorization: target.authorization,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  if (response.status !== 200 && response.status !== 201) {
    throw new Error(`a payout was answered ${response.status}: ${answer}`)
  }
  return JSON.parse(answer).data
}

/** By a first payout with the details inline. */
async function makeBeneficiary(address: string, authorization: string): Promise<string> {
  const details = {
    name: 'Harbour Trading Ltd',
    type: 'business',
    destination_details: {
      type: 'bank',
      bank: { account_number: '123456789012', bank_name: 'Harbour Bank', country: 'HK' },
    },
  }
  const body = { ...PAYOUTS['USD→USD'], beneficiary_details: details }
  return (await payOnce({ address, authorization }, body)).beneficiary
}

async function openAccount(main: string, env: NodeJS.ProcessEnv) {
  const args = ['account', 'create', '--json', '--name', 'Bench', '--currencies', 'USD,EUR,GBP,HKD']
  const more = ['--primary', 'USD', '--fund', `USD=${FUNDS}`]
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [main, ...args, ...more], { env })
  const { account_id, key_id, secret } = JSON.parse(stdout)
  // The running service learns of new keys within half a second.
  await new Promise(resolve => setTimeout(resolve, 1500))
  const credentials = Buffer.from(`${key_id}:${secret}`).toString('base64')
  return { account_id: account_id as string, authorization: `Basic ${credentials}` }
}

/** A first start says where it listens; anything after that is let through. */
async function readAddress(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('the service has no output')
  for await (const line of createInterface({ input: service.stdout })) {
    const address = /ready at (http:\S+[0-9])/.exec(line)?.[1]
    if (address === undefined) continue
    service.stdout.resume()
    return address
  }
  throw new Error('the service ended before it listened')
}

async function readPostgresPid(data_dir: string): Promise<number> {
  const text = await readFile(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number.parseInt(text, 10)
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
