// A provider over real HTTP whose answers a test scripts: what it says of its chain, and how it
// lies, breaks off or stays silent.
import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Hex } from '../../../src/adapters/evm/chain.ts'
import { listenOn } from '../network/port.ts'

export interface AskedOfNode {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** An answer: a result, an error, any bytes with any status, none at all, or a cut connection. */
export type Said =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | {
      readonly text: string
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
    }
  | 'silent'
  | 'cut'

export type Script = (asked: AskedOfNode) => Said

export interface ScriptedNode {
  /** `http://127.0.0.1:40123/v2/` */
  readonly url: string
  /** The calls, also those of batches. */
  readonly asked: AskedOfNode[]
  /** How many calls each request had. */
  readonly requests: number[]
  say(script: Script): void
  close(): Promise<void>
}

export async function startScriptedNode(script: Script): Promise<ScriptedNode> {
  const asked: AskedOfNode[] = []
  const requests: number[] = []
  let says = script
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      const { url: path = '', headers } = request
      const sent = JSON.parse(body)
      const all: readonly AskedOfNode[] = (Array.isArray(sent) ? sent : [sent]).map(one => {
        return { ...one, path, headers }
      })
      asked.push(...all)
      requests.push(all.length)
      const said = all.map(says)
      // What is no answer to a call is none to the whole request.
      const whole = said.find(one => typeof one === 'string' || 'text' in one)
      if (whole === 'silent') return
      if (whole === 'cut') {
        response.destroy()
        return
      }
      if (whole !== undefined && 'text' in whole) {
        response.writeHead(whole.status ?? 200, whole.headers ?? {})
        response.end(whole.text)
        return
      }
      const replies = said.map((one, i) => ({ jsonrpc: '2.0', id: all[i]?.id, ...(one as object) }))
      response.end(JSON.stringify(Array.isArray(sent) ? replies : replies[0]))
    })
  })
  return {
    url: `http://127.0.0.1:${await listenOn(server)}/v2/`,
    asked,
    requests,
    say(next) {
      says = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** What a node sees of a chain. */
export interface View {
  chain_id: number
  head: number
  final: number
  /** The name of its history, and the first block that is of this history alone. */
  fork: string
  forked_at: number
}

/** The history that others fork from. */
const ROOT = 'a'

export function hash32(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

export function hashAt({ fork, forked_at }: Pick<View, 'fork' | 'forked_at'>, number: number): Hex {
  return hash32(`block ${number} of ${number < forked_at ? ROOT : fork}`)
}

const hex = (number: number | bigint): Hex => `0x${number.toString(16)}`

export function blockJson(view: Pick<View, 'fork' | 'forked_at'>, number: number) {
  const timestamp = hex(1_790_000_000 + 2 * number)
  return { number: hex(number), hash: hashAt(view, number), baseFeePerGas: '0x3b9aca00', timestamp }
}

/** Answers about blocks by a view, and everything else by `others`. */
export function byView(view: View, others: Script = () => ({ result: null })): Script {
  return asked => {
    const { method, params } = asked
    if (method === 'eth_chainId') return { result: hex(view.chain_id) }
    if (method !== 'eth_getBlockByNumber') return others(asked)
    const [at] = params as [string]
    const number =
      at === 'latest' ? view.head : at === 'finalized' ? view.final : Number.parseInt(at, 16)
    return { result: number > view.head ? null : blockJson(view, number) }
  }
}
