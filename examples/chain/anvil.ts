// Starts anvil, a chain of the test's own: blocks come when the test says so, or by the clock. It is
// stopped with the test, and with its process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

export type Hex = `0x${string}`

/** An error that the node itself has answered. */
export class NodeError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface Anvil {
  /** `http://127.0.0.1:40123` */
  readonly url: string
  /** Sends a call of JSON-RPC. Rejects with NodeError for an error of the node. */
  ask(method: string, params?: readonly unknown[]): Promise<unknown>
  head(): Promise<number>
  /** Makes so many blocks now; the first has what waits. */
  mine(blocks?: number): Promise<void>
  /** Gives an account wei, and takes what it had. */
  give(account: Hex, wei: bigint): Promise<void>
  /** Sends a transaction of any account, without its key; returns the hash. */
  sendAs(from: Hex, to: Hex, data: Hex, more?: Sent): Promise<Hex>
  /**
   * Takes the newest `depth` blocks back and makes as many others. They have the given raw
   * transactions, each in the block of its number, counted from 0. Those that were in the old blocks
   * are gone, also from the pool.
   */
  reorg(depth: number, raws?: readonly (readonly [raw: Hex, block: number])[]): Promise<void>
  /** The least price of gas in the next block, in wei. */
  setBaseFee(wei: bigint): Promise<void>
  /** Ends it; no call may follow. */
  close(): Promise<void>
}

interface Sent {
  readonly nonce?: number
  readonly gas?: number
  readonly max_fee?: bigint
  readonly tip?: bigint
}

export interface AnvilOptions {
  /** 0: a block comes only by `mine`. */
  readonly block_time_s: number
  readonly chain_id?: number
  /** So many newer blocks make one final, as the node itself says: an even number. */
  readonly final_after?: number
}

/** The chain id of anvil itself; no real chain has it. */
export const ANVIL_ID = 31_337

/** The longest wait for its first word; it takes half a second on an idle machine. */
const START_MS = 60_000

export const inHex = (number: number | bigint): Hex => `0x${number.toString(16)}`

/** Those that run, which must not outlive this process. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** The program in the package for this platform. Throws with what to install when there is none. */
export function findAnvil(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const path = join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
    if (existsSync(path)) return path
  } catch {
    // Said below.
  }
  throw new Error(
    `there is no anvil for this machine: in a checkout, npm ci installs it from ${name}`,
  )
}

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { block_time_s, chain_id = ANVIL_ID, final_after = 64 } = options
  const mining = block_time_s === 0 ? ['--no-mining'] : ['--block-time', String(block_time_s)]
  // It keeps old states under the home of its user.
  const home = await mkdtemp(join(tmpdir(), 'corridor-anvil-'))
  const epoch = ['--slots-in-an-epoch', String(final_after / 2)]
  const place = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chain_id)]
  const child = spawn(findAnvil(), [...place, ...mining, ...epoch], {
    env: { HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const ended = once(child, 'exit')
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
    running.delete(child)
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const url = await listening(child)
    const anvil = clientOf(url, end)
    await anvil.ask('anvil_setLoggingEnabled', [false])
    return anvil
  } catch (error) {
    await end()
    throw error
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const found = Promise.withResolvers<string>()
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream as NodeJS.ReadableStream }).on('line', line => {
      if (said.length < 200) said.push(line)
      const [, port = '0'] = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line.trim()) ?? []
      if (port !== '0') found.resolve(`http://127.0.0.1:${port}`)
    })
  }
  const fail = (why: string) => found.reject(new Error(`anvil ${why}\n${said.join('\n')}`))
  child.once('exit', (code, signal) => fail(`ended: ${code ?? signal}`))
  child.once('error', error => fail(String(error)))
  const timer = setTimeout(() => fail('does not listen'), START_MS)
  return found.promise.finally(() => clearTimeout(timer))
}

let calls = 0

/** Sends one call of JSON-RPC to a node. */
export async function askNode(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  calls += 1
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: calls, method, params }),
  })
  const answer = (await response.json()) as {
    result?: unknown
    error?: { code: number; message: string }
  }
  if (answer.error === undefined) return answer.result
  throw new NodeError(answer.error.code, answer.error.message)
}

function clientOf(url: string, close: () => Promise<void>): Anvil {
  const ask: Anvil['ask'] = (method, params) => askNode(url, method, params)
  return {
    url,
    ask,
    close,
    head: async () => Number(await ask('eth_blockNumber')),
    async mine(blocks = 1) {
      for (let made = 0; made < blocks; made++) await ask('evm_mine')
    },
    async give(account, wei) {
      await ask('anvil_setBalance', [account, inHex(wei)])
    },
    async sendAs(from, to, data, { nonce, gas = 200_000, max_fee, tip } = {}) {
      const transaction = {
        ...{ from, to, data, gas: inHex(gas) },
        ...(nonce !== undefined && { nonce: inHex(nonce) }),
        ...(max_fee !== undefined && { maxFeePerGas: inHex(max_fee) }),
        ...(tip !== undefined && { maxPriorityFeePerGas: inHex(tip) }),
      }
      await ask('anvil_impersonateAccount', [from])
      const hash = await ask('eth_sendTransaction', [transaction])
      await ask('anvil_stopImpersonatingAccount', [from])
      return hash as Hex
    },
    async reorg(depth, raws = []) {
      await ask('anvil_reorg', [depth, raws])
    },
    async setBaseFee(wei) {
      await ask('anvil_setNextBlockBaseFeePerGas', [inHex(wei)])
    },
  }
}
