// Wallet addresses: their forms and checksums by chain. A valid address is of the main network, and
// somebody can hold the key of its account.
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base32nopad, base58, bech32, bech32m, createBase58check } from '@scure/base'
import { CHAINS } from '../../values/network/chain.ts'

/** Reads the account bytes of an address. Returns undefined or throws for an invalid address. */
type Reader = (address: string) => Uint8Array | undefined

/** The families of chains that share accounts. */
const FAMILIES: readonly (readonly [family: string, Reader])[] = [
  ['ethereum', readEvm],
  ['bitcoin', readBitcoin],
  ['solana', readSolana],
  ['stellar', readStellar],
  ['tron', readTron],
]

/** The readers by wallet types and networks, in lower case. */
const READERS: ReadonlyMap<string, Reader> = new Map(
  (
    [
      [readEvm, 'ethereum erc20 arbitrum avalanche avaxc base bsc bep20 optimism polygon'],
      [readBitcoin, 'bitcoin'],
      [readSolana, 'solana spl'],
      [readStellar, 'stellar'],
      [readTron, 'tron trc20'],
    ] as const
  ).flatMap(([reader, names]) => names.split(' ').map(name => [name, reader] as const)),
)

/**
 * Whether the address is of the wallet type's chain (in any letter case), or of any chain if the
 * type is unknown here.
 */
export function isWalletAddress(address: string, type: string): boolean {
  const named = READERS.get(type.trim().toLowerCase())
  return (named === undefined ? [...new Set(READERS.values())] : [named]).some(read =>
    isAccount(read, address),
  )
}

/** An example of an address of the chain. */
export function exampleAddress(type: string): string {
  switch (READERS.get(type)) {
    case readSolana:
      return 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'
    case readStellar:
      return 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'
    case readTron:
      return 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
    default:
      return '0x52908400098527886E0F7030069857D2E4169EE7'
  }
}

/** The address as sent, without outer spaces and invisible characters. */
export function plainAddress(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').trim()
}

/** The address in one spelling. Hexadecimal and Bech32 ignore the letter case. */
export function oneSpelling(address: string): string {
  return /^(?:0x|bc1)/i.test(address) ? address.toLowerCase() : address
}

/**
 * The accounts that an address may name, each with the family of its chain, for a comparison:
 * chains of one family share accounts. The address itself, in one spelling, when it is of no chain
 * here.
 */
export function accountsOf(address: string): string[] {
  const plain = plainAddress(address)
  // Lists have addresses of Ethereum with letters in any case.
  const spelled = /^0x/i.test(plain) ? plain.toLowerCase() : plain
  const found = FAMILIES.flatMap(([family, read]) => {
    const account = accountBy(read, spelled)
    return account === undefined ? [] : [`${family} ${Buffer.from(account).toString('hex')}`]
  })
  return found.length > 0 ? found : [oneSpelling(plain)]
}

/** The addresses of wallets in a text, by their form and checksum. */
export function addressesIn(text: string): string[] {
  const words = text.match(/[0-9A-Za-z]{26,100}/g) ?? []
  return words.filter(word => /\d/.test(word) && /[A-Za-z]/.test(word) && hasChecksum(word))
}

/** Solana's addresses have none: a text may have any word of their form. */
function hasChecksum(word: string): boolean {
  const spelled = /^0x/i.test(word) ? word.toLowerCase() : word
  return [readEvm, readBitcoin, readStellar, readTron].some(read => isAccount(read, spelled))
}

/**
 * The token whose contract, mint or issuer the address names, as `USDC on Base`; undefined for any
 * other address. A contract keeps for ever whatever is sent to it, and an issuer burns it. Chains
 * of one family share accounts, so a contract of one is refused on all of them.
 */
export function tokenAt(address: string): string | undefined {
  return accountsOf(address).flatMap(account => TOKENS_BY_ACCOUNT.get(account) ?? [])[0]
}

/**
 * Whether the address is valid and more than a small number. Nobody holds the key of the account
 * with zeros, where tokens are burnt, and EVM chains keep those up to 0xffff for contracts of their
 * own.
 */
function isAccount(read: Reader, address: string): boolean {
  return (
    accountBy(read, address)
      ?.subarray(0, -2)
      .some(byte => byte !== 0) ?? false
  )
}

function accountBy(read: Reader, address: string): Uint8Array | undefined {
  try {
    return read(address)
  } catch {
    return undefined
  }
}

/** EIP-55: mixed case is a checksum, one case has none. ICAP and names are not addresses. */
function readEvm(address: string): Uint8Array | undefined {
  const [, hex = ''] = /^0x([0-9a-fA-F]{40})$/.exec(address) ?? []
  if (hex === '') return undefined
  const lower = hex.toLowerCase()
  const mixed = hex !== lower && hex !== hex.toUpperCase()
  return mixed && hex !== withChecksum(lower) ? undefined : Buffer.from(hex, 'hex')
}

function withChecksum(lower: string): string {
  const hash = keccak_256(Buffer.from(lower, 'ascii'))
  return Array.from(lower, (digit, i) => {
    const nibble = (hash[i >> 1] ?? 0) >> (i % 2 === 0 ? 4 : 0)
    return (nibble & 8) === 0 ? digit : digit.toUpperCase()
  }).join('')
}

const base58check = createBase58check(sha256)

/** The 20 bytes after one of these versions. */
function readVersioned(address: string, versions: readonly number[]): Uint8Array | undefined {
  const bytes = base58check.decode(address)
  const [version = -1] = bytes
  return bytes.length === 21 && versions.includes(version) ? bytes.subarray(1) : undefined
}

/** P2PKH (version 0) and P2SH (5) in Base58Check, or a witness program. */
function readBitcoin(address: string): Uint8Array | undefined {
  return /^bc1/i.test(address) ? readWitness(address) : readVersioned(address, [0x00, 0x05])
}

/**
 * BIP-173: version 0 in bech32, 20 or 32 bytes; BIP-350: version 1 (taproot) in bech32m, 32 bytes.
 * Later versions and other lengths have the same form, but no key protects them yet: anybody can
 * spend such an output.
 */
function readWitness(address: string): Uint8Array | undefined {
  for (const [codec, version, lengths] of [
    [bech32, 0, [20, 32]],
    [bech32m, 1, [32]],
  ] as const) {
    const decoded = codec.decodeUnsafe(address)
    if (decoded?.prefix !== 'bc' || decoded.words[0] !== version) continue
    const program = codec.fromWords(decoded.words.slice(1))
    if (lengths.some(length => length === program.length)) return program
  }
  return undefined
}

/** TRON developer documentation, "Account": Base58Check of 0x41 and 20 bytes. */
function readTron(address: string): Uint8Array | undefined {
  return readVersioned(address, [0x41])
}

/** Solana: the 32 bytes of a key in Base58, without a checksum. */
function readSolana(address: string): Uint8Array | undefined {
  const bytes = base58.decode(address)
  return bytes.length === 32 ? bytes : undefined
}

/** SEP-23: accounts (G) and muxed accounts (M), the ones a payment can name. */
const STELLAR_LENGTHS: ReadonlyMap<number, number> = new Map([
  [6 << 3, 32],
  [12 << 3, 40],
])

function readStellar(address: string): Uint8Array | undefined {
  const bytes = base32nopad.decode(address)
  const length = STELLAR_LENGTHS.get(bytes[0] ?? -1)
  if (length === undefined || bytes.length !== length + 3) return undefined
  const sum = crc16(bytes.subarray(0, -2))
  const [low, high] = bytes.subarray(-2)
  return low === (sum & 0xff) && high === sum >> 8 ? bytes.subarray(1, 33) : undefined
}

/** CRC-16/XMODEM, as SEP-23 asks: x^16 + x^12 + x^5 + 1, from 0. */
function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) {
      sum = (sum & 0x8000) === 0 ? sum << 1 : ((sum << 1) ^ 0x1021) & 0xffff
    }
  }
  return sum & 0xffff
}

const TOKENS_BY_ACCOUNT: ReadonlyMap<string, string> = new Map(
  CHAINS.flatMap(({ title, tokens }) =>
    Object.entries(tokens).flatMap(([currency, contract]) =>
      accountsOf(contract).map(account => [account, `${currency} on ${title}`] as const),
    ),
  ),
)
