// What the soak needs: a primary with two synchronous standbys, two processes of the service behind
// a front, a rail and a webhook receiver, each a process that can be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asOwner } from '../../src/cli/context.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { type Replicas, startReplicas } from '../support/database/replicas.ts'
import { requireNoLists } from '../support/database/without-lists.ts'
import { freePort } from '../support/network/port.ts'
import {
  type Environment,
  type HttpClient,
  httpClient,
  runCommand,
  spawnCommand,
  until,
} from '../support/service/process.ts'
import { startTcpFront } from './front.ts'
import type { Victim } from './kills.ts'

export interface Scene {
  readonly folder: string
  readonly url: string
  readonly client: HttpClient
  readonly replicas: Replicas
  /** The address of the front. */
  readonly address: string
  /** The ports of the processes: the first is killed, the second never. */
  readonly ports: readonly number[]
  /** The process id of the second. */
  readonly lasting_pid: number
  kill(victim: Victim): Promise<void>
  startAgain(victim: Victim): Promise<void>
  /** The ids of the events that the receiver has had. */
  received(): Promise<string[]>
  /** The lines of the rail's book. */
  railBook(): Promise<{ kind: string; id: string; step?: { status: string } }[]>
  /** Warnings and errors that the processes of the service have logged, the newest of them. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}

const MOST_WARNINGS = 200
const MOST_CONNECTIONS = 128

/** A program that is started, killed and started again alike, and listens on one port. */
class Program {
  readonly #port: number
  readonly #start: () => ChildProcess
  #child: ChildProcess | undefined

  constructor(port: number, start: () => ChildProcess) {
    this.#port = port
    this.#start = start
  }

  get pid(): number {
    return this.#child?.pid as number
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const child = this.#start()
    this.#child = child
    await until(`port ${this.#port} takes connections`, async () => {
      if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} has ended`)
      const socket = connectTcp({ port: this.#port, host: '127.0.0.1' })
      const taken = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      return taken
    })
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

const command = async (env: Environment, ...args: string[]) => {
  const { code, output } = await runCommand(args, env)
  if (code !== 0) throw new Error(`corridor ${args.join(' ')}: ${output}`)
  return output
}

interface Opened {
  readonly account_id: string
  readonly key_id: string
  readonly secret: string
}

/** A live account with money, whose payouts go through the rail. */
async function fill(url: string, folder: string, rail_port: number): Promise<Opened> {
  const env = { DATABASE_URL: url }
  const most = '1000000000'
  const account = ['account', 'create', '--name', 'Soak', '--currencies', 'USD']
  const limits = ['--duplicate-window-s', '0', '--daily-rows', most, '--daily-mb', most]
  const opened: Opened = JSON.parse(
    await command(env, ...account, '--primary-currency', 'USD', ...limits, '--json'),
  )
  const { account_id } = opened
  await command(env, 'fund', account_id, 'USD', '1000000000.00', '--reference', 'SOAK')
  await command(env, 'fees', 'import', 'src/prices/fee/default-fees.csv')
  await command(env, 'rates', 'set', 'USD', 'EUR', '0.92')
  await asOwner(url, requireNoLists)
  const config = join(folder, 'rail.json')
  const address = `http://127.0.0.1:${rail_port}`
  await writeFile(
    config,
    JSON.stringify({ url: address, key_lifetime_s: null, allow_private: true }),
  )
  const added = ['--kind', 'connector', '--config', config, '--secret', join(folder, 'rail.key')]
  await command(env, 'rail', 'add', 'partner', ...added)
  await command(env, 'route', 'set', '--rail', 'partner')
  return opened
}

/** Starts all of it, and an endpoint that gets every event; what fails takes down what runs. */
export async function startScene(): Promise<Scene> {
  const closers: (() => void | Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    return { ...(await openScene(closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openScene(closers: (() => void | Promise<void>)[]): Promise<Omit<Scene, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-soak-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  const secret = newSecret(crypto.getRandomValues(new Uint8Array(32)))
  await writeFile(join(folder, 'rail.key'), secret, { mode: 0o600 })
  const [rail_port, receiver_port] = [await freePort(), await freePort()]
  const ports = [await freePort(), await freePort()]
  const start = async (program: Program) => {
    closers.push(() => program.kill())
    await program.start()
    return program
  }
  const front = await startTcpFront(ports)
  closers.push(() => front.close())
  const rail = await start(railOf(folder, rail_port, front.address))
  const receiver = await start(receiverOf(folder, receiver_port))
  const filled = Promise.withResolvers<Opened>()
  const replicas = await startReplicas(async url =>
    filled.resolve(await fill(url, folder, rail_port)),
  )
  closers.push(() => replicas.close())
  const warnings: string[] = []
  const services: Program[] = []
  for (const port of ports) services.push(await start(serviceOf(replicas.url, port, warnings)))
  const opened = await filled.promise
  const client = httpClient(opened, MOST_CONNECTIONS)
  closers.push(() => client.close())
  const url = `http://127.0.0.1:${receiver_port}/`
  const endpoint = await client.post(front.address, '/v3/webhook_endpoint', { url }, 'endpoint')
  if (endpoint.status !== 200) throw new Error(endpoint.text)
  const [service, lasting] = services as [Program, Program]
  const programs = { service, rail, receiver }
  return {
    folder,
    url: replicas.url,
    client,
    replicas,
    address: front.address,
    ports,
    lasting_pid: lasting.pid,
    kill: victim => killOf(victim, replicas, programs),
    startAgain: victim => startOf(victim, replicas, programs),
    received: async () => linesOf(join(folder, 'received.txt')),
    railBook: async () =>
      (await linesOf(join(folder, 'payments.jsonl'))).map(line => JSON.parse(line)),
    warnings,
  }
}

type Programs = Readonly<Record<'service' | 'rail' | 'receiver', Program>>

function killOf(victim: Victim, replicas: Replicas, programs: Programs): Promise<void> {
  if (victim === 'primary') return replicas.kill('a')
  if (victim === 'standby') return replicas.kill('b')
  return programs[victim].kill()
}

function startOf(victim: Victim, replicas: Replicas, programs: Programs): Promise<void> {
  if (victim === 'primary') return replicas.start('a')
  if (victim === 'standby') return replicas.start('b')
  return programs[victim].start()
}

async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').filter(line => line !== '')
}

function serviceOf(url: string, port: number, warnings: string[]): Program {
  const env = {
    DATABASE_URL: url,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    CORRIDOR_RATE_LIMIT_PER_S: '0',
    CORRIDOR_RAIL_TIMEOUT_MS: '2000',
    CORRIDOR_SETTLE_POLL_MS: '200',
    CORRIDOR_WEBHOOK_ALLOW_PRIVATE: 'on',
    // A killed worker's claims come due after this and five seconds.
    CORRIDOR_WEBHOOK_TIMEOUT_MS: '1000',
  }
  return new Program(port, () => {
    const child = spawnCommand(['start'], env)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        warnings.push(text.slice(0, 1_000))
        if (warnings.length > MOST_WARNINGS) warnings.shift()
      })
    }
    return child
  })
}

/** It tells the service of each step, as a provider would. */
function railOf(folder: string, port: number, address: string): Program {
  const options = {
    '--secret': join(folder, 'rail.key'),
    '--file': join(folder, 'payments.jsonl'),
    '--port': String(port),
    '--delay-ms': '20',
    '--wake': `${address}/connector/partner/webhook`,
  }
  const args = ['examples/connector/main.ts', ...Object.entries(options).flat()]
  return new Program(port, () => spawn(process.execPath, args, { stdio: 'ignore' }))
}

function receiverOf(folder: string, port: number): Program {
  const args = ['test/soak/receiver.ts', String(port), join(folder, 'received.txt')]
  return new Program(port, () => spawn(process.execPath, args, { stdio: 'ignore' }))
}
