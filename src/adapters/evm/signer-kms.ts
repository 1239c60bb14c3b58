// Signs with a key of AWS KMS, of the kind ECC_SECG_P256K1. The key never leaves KMS.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { exchange } from '../../webhooks/exchange.ts'
import type { Hex } from './chain.ts'
import type { KmsConfig } from './config-signer.ts'
import { readPrivateFile } from './private-file.ts'
import type { Eip1559, Signature, Signer } from './signer.ts'
import { type AwsKeys, authorizationOf } from './sigv4.ts'
import { digestOf, recover, SignerFault, withLowS } from './transaction.ts'

const ANSWER_WITHIN_MS = 7_000
const MAX_BYTES = 64 * 1024

interface KmsOptions {
  readonly allow_private: boolean
  /** The variables that AWS's own tools read. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly answer_within_ms?: number
}

export class KmsSigner implements Signer {
  readonly address: Hex
  readonly #config: KmsConfig
  readonly #options: KmsOptions

  constructor(address: Hex, config: KmsConfig, options: KmsOptions) {
    this.address = address
    this.#config = config
    this.#options = options
  }

  /** KMS gives neither parity nor the lower s. The parity that recovers our address is right. */
  async sign(transaction: Eip1559): Promise<Signature> {
    const digest = digestOf(transaction)
    const { r, s } = readDer(await this.#ask(digest))
    const found = ([0, 1] as const)
      .map(y => withLowS({ r, s, y }))
      .find(signature => recover(digest, signature) === this.address)
    if (found !== undefined) return found
    throw new SignerFault(`KMS signed with the key of another address than ${this.address}`)
  }

  async #ask(digest: Uint8Array): Promise<Uint8Array> {
    const { key_id, region, endpoint } = this.#config
    const { allow_private, env, answer_within_ms = ANSWER_WITHIN_MS } = this.#options
    const keys = await readAwsKeys(env)
    const url = endpoint || `https://kms.${region}.amazonaws.com/`
    const body = JSON.stringify({
      KeyId: key_id,
      Message: Buffer.from(digest).toString('base64'),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    })
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
      'x-amz-target': 'TrentService.Sign',
      ...(keys.session_token === '' ? {} : { 'x-amz-security-token': keys.session_token }),
    }
    const request = { method: 'POST', url, headers, body } as const
    const authorization = authorizationOf(request, keys, { region, service: 'kms' })
    const { answer, error } = await exchange(
      {
        ...request,
        headers: { ...headers, authorization },
        timeout_ms: answer_within_ms,
        allow_private,
      },
      { read_bytes: MAX_BYTES, kept_bytes: MAX_BYTES },
    )
    if (answer === null) throw new Error(`KMS did not answer: ${error}`)
    const { __type, Signature: signature } = parsed(answer.body.toString())
    if (answer.status_code !== 200)
      throw new Error(`KMS answered ${answer.status_code}${typeOf(__type)}`)
    if (typeof signature !== 'string') throw new SignerFault('KMS gave no signature')
    return Buffer.from(signature, 'base64')
  }
}

/** The name of an error, such as AccessDeniedException; its message names accounts and users. */
function typeOf(type: unknown): string {
  const name = typeof type === 'string' ? /(?:^|#)([A-Za-z]{1,60})$/.exec(type)?.[1] : undefined
  return name === undefined ? '' : `: ${name}`
}

function readDer(der: Uint8Array): { readonly r: bigint; readonly s: bigint } {
  try {
    const { r, s } = secp256k1.Signature.fromBytes(der, 'der')
    return { r, s }
  } catch {
    throw new SignerFault('KMS gave no signature in DER')
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

/**
 * The keys of AWS in the environment, else in the shared file of credentials, by AWS_PROFILE. Read
 * for each request, so that renewed ones count at once. Rejects when there are none.
 */
export async function readAwsKeys(env: KmsOptions['env']): Promise<AwsKeys> {
  const { AWS_ACCESS_KEY_ID: access_key, AWS_SECRET_ACCESS_KEY: secret_key } = env
  if (access_key && secret_key) {
    return { access_key, secret_key, session_token: env.AWS_SESSION_TOKEN ?? '' }
  }
  const profile = env.AWS_PROFILE || 'default'
  const path = env.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials')
  const section = sectionOf(await readPrivateFile("AWS's credentials", path), profile)
  const keys = {
    access_key: section.get('aws_access_key_id') ?? '',
    secret_key: section.get('aws_secret_access_key') ?? '',
    session_token: section.get('aws_session_token') ?? '',
  }
  if (keys.access_key !== '' && keys.secret_key !== '') return keys
  throw new Error(`AWS's credentials "${path}" have no keys of the profile ${profile}`)
}

function sectionOf(text: string, profile: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  let name = ''
  for (const line of text.split(/\r?\n/)) {
    name = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1] ?? name
    const [, key = '', value = ''] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(line) ?? []
    if (name === profile && key !== '') values.set(key, value)
  }
  return values
}
