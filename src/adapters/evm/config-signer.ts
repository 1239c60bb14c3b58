// Reads from a rail's settings who signs for a wallet. Keys and passphrases are in files, never in
// the settings. Pure.
import type { Members } from '../../values/text/members.ts'
import { urlFault } from './config-provider.ts'

/** A server that keeps the key, such as web3signer. */
export interface RemoteConfig {
  readonly kind: 'remote'
  readonly url: string
  /** The file of a token that each request carries; '' for none. */
  readonly token_file: string
  /** The files of this client's certificate and key; null without mutual TLS. */
  readonly tls: {
    readonly cert_file: string
    readonly key_file: string
    /** The certificates that may sign the server's; '' for those of the system. */
    readonly ca_file: string
  } | null
}

/** A key of AWS KMS, of the kind ECC_SECG_P256K1. */
export interface KmsConfig {
  readonly kind: 'aws_kms'
  /** Id, ARN or alias. */
  readonly key_id: string
  readonly region: string
  /** Another address than that of the region; '' for none. */
  readonly endpoint: string
}

/** A file of Web3 Secret Storage, and the file of its passphrase. */
export interface KeystoreConfig {
  readonly kind: 'keystore'
  readonly path: string
  readonly passphrase_file: string
}

export type SignerConfig = RemoteConfig | KmsConfig | KeystoreConfig

const KINDS = ['remote', 'aws_kms', 'keystore'] as const

export function readSigner(signer: Members, allow_private: boolean): SignerConfig {
  const kind = signer.oneOf('kind', KINDS)
  if (kind === 'remote') return readRemote(signer, allow_private)
  return kind === 'aws_kms' ? readKms(signer, allow_private) : readKeystore(signer)
}

function readRemote(signer: Members, allow_private: boolean): RemoteConfig {
  signer.only(['kind', 'url', 'token_file', 'tls'])
  const url = readUrl(signer, 'url', allow_private)
  const token_file = signer.has('token_file') ? pathOf(signer, 'token_file') : ''
  const tls = signer.has('tls') ? readTls(signer.object('tls')) : null
  if (token_file === '' && tls === null && !allow_private) {
    signer.problem('token_file', 'is missing, and so is tls: one of them proves who asks')
  }
  return { kind: 'remote', url, token_file, tls }
}

function readTls(tls: Members): NonNullable<RemoteConfig['tls']> {
  tls.only(['cert_file', 'key_file', 'ca_file'])
  const ca_file = tls.has('ca_file') ? pathOf(tls, 'ca_file') : ''
  return { cert_file: pathOf(tls, 'cert_file'), key_file: pathOf(tls, 'key_file'), ca_file }
}

function readKms(signer: Members, allow_private: boolean): KmsConfig {
  signer.only(['kind', 'key_id', 'region', 'endpoint'])
  const region = signer.text('region', 32)
  if (region !== '' && !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    signer.problem('region', 'must be like eu-central-1')
  }
  const endpoint = signer.has('endpoint') ? readUrl(signer, 'endpoint', allow_private) : ''
  return { kind: 'aws_kms', key_id: signer.text('key_id', 2048), region, endpoint }
}

function readKeystore(signer: Members): KeystoreConfig {
  signer.only(['kind', 'path', 'passphrase_file'])
  const passphrase_file = pathOf(signer, 'passphrase_file')
  return { kind: 'keystore', path: pathOf(signer, 'path'), passphrase_file }
}

function readUrl(members: Members, name: string, allow_private: boolean): string {
  const written = members.text(name, 2000)
  if (written === '') return ''
  const fault = written.includes('{')
    ? 'must have no keys: name a token_file'
    : urlFault(written, allow_private)
  if (fault !== undefined) members.problem(name, fault)
  return written
}

function pathOf(members: Members, name: string): string {
  const written = members.text(name, 1000)
  if (written !== '' && !written.startsWith('/')) members.problem(name, 'is not an absolute path')
  return written
}
