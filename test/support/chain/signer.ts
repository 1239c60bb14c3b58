// A signer of the test: a server that has the key of a wallet and signs as web3signer does, or that is
// broken, slow or hostile.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../../examples/chain/anvil.ts'
import { listenOn } from '../network/port.ts'

/** How it treats what it is asked. */
export type Temper =
  | 'honest'
  | 'away'
  | 'refuses'
  | 'another key'
  | 'another payee'
  | 'another amount'
  | 'another nonce'
  | 'no transaction'

export interface TestSigner {
  readonly url: string
  readonly token: string
  temper: Temper
  /** The wait before each answer, in milliseconds. */
  delay_ms: number
  /** How often it was asked to sign. */
  readonly asked: () => number
  close(): Promise<void>
}

interface Asked {
  readonly to: Hex
  readonly data: Hex
  readonly gas: Hex
  readonly value: Hex
  readonly nonce: Hex
  readonly chainId: Hex
  readonly maxFeePerGas: Hex
  readonly maxPriorityFeePerGas: Hex
}

export async function startSigner(private_key: Hex): Promise<TestSigner> {
  const token = `token-${crypto.randomUUID()}`
  let asked = 0
  const server = createServer(async (request, response) => {
    const { id, params } = JSON.parse(await text(request))
    const answer = (status: number, body: object) =>
      void response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, {})
    asked += 1
    await delay(signer.delay_ms)
    if (signer.temper === 'away') return void response.destroy()
    if (signer.temper === 'refuses') return answer(200, { error: { code: -32000, message: 'no' } })
    if (signer.temper === 'no transaction') return answer(200, { result: '0xc0ffee' })
    answer(200, { result: await signed(signer.temper, private_key, params[0]) })
  })
  const port = await listenOn(server)
  const signer: TestSigner = {
    url: `http://127.0.0.1:${port}`,
    token,
    temper: 'honest',
    delay_ms: 0,
    asked: () => asked,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return signer
}

/** What a thief would sign in place of a transfer to a payee. */
function changed(temper: Temper, { data }: Asked): Hex {
  const [selector, payee, units] = [data.slice(2, 10), data.slice(10, 74), data.slice(74, 138)]
  const rest = data.slice(138)
  if (temper === 'another payee') {
    return `0x${selector}${'66'.repeat(20).padStart(64, '0')}${units}${rest}`
  }
  if (temper === 'another amount') {
    return `0x${selector}${payee}${(BigInt(`0x${units}`) * 10n).toString(16).padStart(64, '0')}${rest}`
  }
  return data
}

function signed(temper: Temper, private_key: Hex, asked: Asked): Promise<Hex> {
  const key = temper === 'another key' ? generatePrivateKey() : private_key
  return privateKeyToAccount(key).signTransaction({
    type: 'eip1559',
    chainId: Number(asked.chainId),
    to: asked.to,
    data: changed(temper, asked),
    gas: BigInt(asked.gas),
    value: BigInt(asked.value),
    nonce: Number(asked.nonce) + (temper === 'another nonce' ? 1 : 0),
    maxFeePerGas: BigInt(asked.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(asked.maxPriorityFeePerGas),
  })
}
