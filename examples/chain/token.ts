// A token of the tests at an address of a chain, and what its issuer does with it.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Anvil, type Hex, inHex } from './anvil.ts'
import COMPILED from './tokens/compiled.json' with { type: 'json' }

export type TokenKind = 'UsdcLike' | 'UsdtLike' | 'FalseToken' | 'FeeToken'

export interface Token {
  readonly address: Hex
  /** The calldata of a transfer. */
  transferData(to: Hex, units: bigint): Hex
  balanceOf(account: Hex): Promise<bigint>
  /** Makes a block. All others count at once, without one. */
  mint(to: Hex, units: bigint): Promise<void>
  freeze(account: Hex, is_frozen: boolean): Promise<void>
  pause(is_paused: boolean): Promise<void>
  /** Basis points; of a UsdtLike alone. */
  setFee(basis_points: bigint): Promise<void>
  /** What the account has from now on. */
  setBalance(account: Hex, units: bigint): Promise<void>
  /**
   * Gives this address other code: of another token, of one that reverts each call, or none. The
   * variables stay.
   */
  become(kind: TokenKind | 'reverts' | 'nothing'): Promise<void>
}

/** The order of the variables in Base.sol. */
const PLACES = { balances: 0n, frozen: 1n, paused: 2n, decimals: 3n, fee: 4n }

/** Who mints. */
const ISSUER: Hex = `0x${'15'.repeat(20)}`

type Word = Hex | bigint

/** 32 bytes, as hexadecimal digits. */
function wordOf(word: Word): string {
  return (typeof word === 'string' ? word.slice(2) : word.toString(16)).padStart(64, '0')
}

/** Where a mapping at this place has the account. */
function placeOf(account: Hex, place: bigint): Hex {
  const bytes = Buffer.from(`${wordOf(account)}${wordOf(place)}`, 'hex')
  return `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`
}

const CODES: ReadonlyMap<string, { readonly code: string; readonly methods: object }> = new Map(
  Object.entries(COMPILED),
)

function codeOf(kind: Parameters<Token['become']>[0]): string {
  if (kind === 'nothing') return '0x'
  // PUSH1 0, PUSH1 0, REVERT
  if (kind === 'reverts') return '0x60006000fd'
  const { code } = CODES.get(kind) ?? {}
  if (code === undefined) throw new Error(`${kind}: run TOKENS=write npm test -- chain/tokens`)
  return code
}

function dataOf(method: string, ...words: readonly Word[]): Hex {
  const known = Object.assign({}, ...[...CODES.values()].map(({ methods }) => methods))
  if (known[method] === undefined) throw new Error(`no token has ${method}`)
  return `0x${known[method]}${words.map(wordOf).join('')}`
}

/** Puts a token at the address, whatever is there; it has so many decimals. */
export async function tokenAt(
  anvil: Anvil,
  kind: TokenKind,
  address: Hex,
  decimals = 6,
): Promise<Token> {
  const put = async (place: Hex, value: bigint) => {
    await anvil.ask('anvil_setStorageAt', [address, place, `0x${wordOf(value)}`])
  }
  const at = (place: bigint): Hex => `0x${wordOf(place)}`
  const token: Token = {
    address,
    transferData: (to, units) => dataOf('transfer(address,uint256)', to, units),
    async balanceOf(account) {
      const call = { to: address, data: dataOf('balanceOf(address)', account) }
      return BigInt((await anvil.ask('eth_call', [call, 'latest'])) as Hex)
    },
    async mint(to, units) {
      await anvil.give(ISSUER, 10n ** 24n)
      const hash = await anvil.sendAs(ISSUER, address, dataOf('mint(address,uint256)', to, units))
      await anvil.mine()
      const receipt = await anvil.ask('eth_getTransactionReceipt', [hash])
      const { status } = (receipt ?? {}) as { status?: Hex }
      if (status !== '0x1') throw new Error(`${kind}: nothing was minted`)
    },
    freeze: (account, is_frozen) => put(placeOf(account, PLACES.frozen), is_frozen ? 1n : 0n),
    pause: is_paused => put(at(PLACES.paused), is_paused ? 1n : 0n),
    setFee: basis_points => put(at(PLACES.fee), basis_points),
    setBalance: (account, units) => put(placeOf(account, PLACES.balances), units),
    async become(other) {
      await anvil.ask('anvil_setCode', [address, codeOf(other)])
    },
  }
  await token.become(kind)
  await put(at(PLACES.decimals), BigInt(decimals))
  return token
}

/** `Transfer(address,address,uint256)` */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Moved {
  readonly token: Hex
  readonly from: Hex
  readonly to: Hex
  readonly units: bigint
  readonly tx_hash: Hex
  readonly block: number
}

const accountOf = (topic = ''): Hex => `0x${topic.slice(26)}`

/** Every transfer of these tokens on the chain as it is now, except what was minted. */
export async function transfersOn(anvil: Anvil, tokens: readonly Hex[]): Promise<Moved[]> {
  const filter = { fromBlock: inHex(0), toBlock: 'latest', address: tokens, topics: [TRANSFER] }
  const logs = (await anvil.ask('eth_getLogs', [filter])) as {
    readonly address: Hex
    readonly topics: readonly Hex[]
    readonly data: Hex
    readonly transactionHash: Hex
    readonly blockNumber: Hex
  }[]
  return logs
    .map(({ address, topics, data, transactionHash, blockNumber }) => ({
      token: address.toLowerCase() as Hex,
      from: accountOf(topics[1]),
      to: accountOf(topics[2]),
      units: BigInt(data),
      tx_hash: transactionHash,
      block: Number(blockNumber),
    }))
    .filter(({ from }) => BigInt(from) !== 0n)
}
