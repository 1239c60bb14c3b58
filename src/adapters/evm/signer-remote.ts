// Signs by a server that keeps the key, by web3signer's `eth_signTransaction`. Its answer is read
// field by field: another transaction than the one that was asked is refused.
import { exchange } from '../../webhooks/exchange.ts'
import type { Hex } from './chain.ts'
import type { RemoteConfig } from './config-signer.ts'
import { quantity, readData } from './hex.ts'
import { readPrivateFile, readSecretLine } from './private-file.ts'
import type { Eip1559, Signature, Signer } from './signer.ts'
import { differences, readTransaction, SignerFault } from './transaction.ts'

const ANSWER_WITHIN_MS = 7_000
const MAX_BYTES = 64 * 1024

interface RemoteOptions {
  readonly allow_private: boolean
  readonly answer_within_ms?: number
}

export class RemoteSigner implements Signer {
  readonly address: Hex
  readonly #config: RemoteConfig
  readonly #options: RemoteOptions
  #last_id = 0

  constructor(address: Hex, config: RemoteConfig, options: RemoteOptions) {
    this.address = address
    this.#config = config
    this.#options = options
  }

  async sign(transaction: Eip1559): Promise<Signature> {
    const raw = await this.#ask(transaction)
    const signed = readSigned(raw)
    const other = differences(transaction, signed.tx)
    if (other.length > 0) throw fault(`signed other values of ${other.join(', ')}`)
    if (signed.sender !== this.address) throw fault(`signed with the key of ${signed.sender}`)
    return signed.signature
  }

  async #ask(transaction: Eip1559): Promise<Hex> {
    const { allow_private, answer_within_ms = ANSWER_WITHIN_MS } = this.#options
    this.#last_id += 1
    const id = this.#last_id
    const body = { jsonrpc: '2.0', id, method: 'eth_signTransaction' }
    const params = [this.#paramsOf(transaction)]
    const tls = await this.#tls()
    const { answer, error } = await exchange(
      {
        ...{ url: this.#config.url, allow_private, timeout_ms: answer_within_ms },
        headers: { 'content-type': 'application/json', ...(await this.#token()) },
        body: JSON.stringify({ ...body, params }),
        ...(tls === undefined ? {} : { tls }),
      },
      { read_bytes: MAX_BYTES + 1, kept_bytes: MAX_BYTES },
    )
    if (answer === null) throw new Error(`the signer did not answer: ${error}`)
    if (answer.status_code !== 200) {
      throw new Error(`the signer answered ${answer.status_code}`)
    }
    if (!answer.is_whole) throw new Error(`the signer answered more than ${MAX_BYTES} bytes`)
    return resultIn(answer.body.toString(), id)
  }

  #paramsOf(transaction: Eip1559) {
    const { chain_id, nonce, tip, max_fee, gas, to, value, data } = transaction
    return {
      ...{ from: this.address, to, data, gas: quantity(gas), value: quantity(value) },
      nonce: quantity(nonce),
      chainId: quantity(chain_id),
      maxFeePerGas: quantity(max_fee),
      maxPriorityFeePerGas: quantity(tip),
    }
  }

  /** Read for each request, so that a renewed token counts at once. */
  async #token(): Promise<{ authorization?: string }> {
    const { token_file } = this.#config
    if (token_file === '') return {}
    return { authorization: `Bearer ${await readSecretLine("the signer's token", token_file)}` }
  }

  async #tls() {
    const { tls } = this.#config
    if (tls === null) return undefined
    const { cert_file, key_file, ca_file } = tls
    const [cert, key] = await Promise.all([
      readPrivateFile('the certificate', cert_file),
      readPrivateFile('the key of the certificate', key_file),
    ])
    if (ca_file === '') return { cert, key }
    return { cert, key, ca: await readPrivateFile("the signer's certificates", ca_file) }
  }
}

function fault(words: string): SignerFault {
  return new SignerFault(`the signer ${words}`)
}

function readSigned(raw: Hex) {
  try {
    return readTransaction(raw)
  } catch (error) {
    throw fault(`gave bytes of no transaction that was asked: ${(error as Error).message}`)
  }
}

/** Its words stay out of the message: they may repeat the token. */
function resultIn(text: string, id: number): Hex {
  const { id: its, result, error } = parsed(text)
  if (its !== id) throw new Error('the signer answered no JSON-RPC')
  const { code } = (error ?? {}) as { code?: unknown }
  if (Number.isInteger(code)) throw new Error(`the signer refused with code ${code}`)
  const raw = readData(result, MAX_BYTES)
  if (raw === undefined) throw fault('gave no bytes')
  return raw
}

function parsed(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
