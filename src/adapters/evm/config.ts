// Reads the settings of a rail of kind `evm`, as an operator writes them. Every problem names its
// member.
import { testChains } from '../../config/config.ts'
import { isWalletAddress } from '../../parties/beneficiary/wallet-address.ts'
import { formatMajor, parseMajor } from '../../values/money/decimal.ts'
import type { Read } from '../../values/text/csv.ts'
import { Members } from '../../values/text/members.ts'
import type { Hex } from './chain.ts'
import { EVM_CHAINS, type EvmChain, type EvmToken, fewBlocks } from './chains.ts'
import { type ProviderConfig, readProviders } from './config-provider.ts'
import { readSigner, type SignerConfig } from './config-signer.ts'

export interface EvmWallet {
  readonly address: Hex
  readonly signer: SignerConfig
  /** Whether it takes no more payouts, and goes when its open ones have ended. */
  readonly draining: boolean
}

export interface EvmConfig {
  readonly chain: EvmChain
  /** By currency. */
  readonly tokens: ReadonlyMap<string, EvmToken>
  readonly providers: readonly ProviderConfig[]
  readonly wallets: readonly EvmWallet[]
  /** The most open payments of a wallet. */
  readonly in_flight: number
  /** What makes a block final: the chain, or a number of blocks on it. */
  readonly settles_on: 'finalized' | { readonly blocks: number }
  /** After so many blocks the lowest open payment gets higher fees. */
  readonly bump_after_blocks: number
  /** After so many seconds at a cap of fees a person is told. */
  readonly stuck_after_s: number
  /** A provider that is more blocks behind is left out. */
  readonly lag_blocks: number
  /** The most wei for a unit of gas. */
  readonly max_fee: bigint
  /** The most wei for a payment. */
  readonly max_cost: bigint
  /** The most of a payout, and of a wallet's day and token; minor units of 6 places; null: any. */
  readonly max_payout: bigint | null
  readonly max_day: bigint | null
  /** Warns when a wallet's coin pays for fewer payments than these. */
  readonly gas_low: number
  readonly gas_critical: number
  /** Whether calldata ends with the tag of the attempt. */
  readonly tag: boolean
  /** Where `corridor rail sweep` may send what a wallet has. */
  readonly treasury_address: Hex | null
  /** Whether providers and signers may have private addresses, or plain http. */
  readonly allow_private: boolean
}

/** The places of wei in a coin, and in a gwei. */
const COIN_PLACES = 18
const GWEI_PLACES = 9
/** The places of our USDC and USDT. */
const TOKEN_PLACES = 6
const MAX_WALLETS = 100

const MEMBERS = [
  ...['chain', 'test_chain', 'tokens', 'providers', 'wallets', 'in_flight', 'settles_on'],
  ...['bump_after_blocks', 'stuck_after_s', 'lag_blocks', 'fees', 'max_payout', 'max_day'],
  ...['gas_low', 'gas_critical', 'tag', 'treasury_address', 'allow_private'],
]

export const EXAMPLE = {
  chain: 'base',
  tokens: { USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  providers: [
    { name: 'alchemy', url: 'https://base-mainnet.g.alchemy.com/v2/{alchemy}' },
    { name: 'own', url: 'https://rpc.example' },
  ],
  wallets: [
    {
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      signer: {
        kind: 'remote',
        url: 'https://signer.example',
        token_file: '/etc/corridor/signer.token',
      },
    },
  ],
  in_flight: 16,
  settles_on: 'finalized',
  fees: { max_fee_gwei: '20', max_cost: '0.0005' },
  max_payout: '250000',
  max_day: '2000000',
  gas_low: 200,
  gas_critical: 50,
  tag: true,
}

export function readConfig(json: unknown): Read<EvmConfig> {
  const members = new Members(json, '', MEMBERS)
  const allow_private = members.flag('allow_private', false)
  const chain = readChain(members)
  if (chain === undefined) return { messages: members.problems }
  const tokens = readTokens(members, chain)
  const value: EvmConfig = {
    chain,
    tokens,
    providers: readProviders(members.objects('providers', 2, 5), allow_private),
    wallets: readWallets(members, allow_private, tokens),
    in_flight: members.integer('in_flight', 16, 1, 64),
    settles_on: readSettling(members),
    bump_after_blocks: members.integer('bump_after_blocks', fewBlocks(chain), 1, 100_000),
    stuck_after_s: members.integer('stuck_after_s', 3600, 60, 86_400),
    lag_blocks: members.integer('lag_blocks', fewBlocks(chain), 1, 100_000),
    ...readFees(members.object('fees')),
    max_payout: readMost(members, 'max_payout'),
    max_day: readMost(members, 'max_day'),
    gas_low: members.integer('gas_low', 200, 1, 1_000_000),
    gas_critical: members.integer('gas_critical', 50, 1, 1_000_000),
    tag: members.flag('tag', true),
    treasury_address: members.has('treasury_address')
      ? readAccount(members, 'treasury_address')
      : null,
    allow_private,
  }
  if (value.gas_critical > value.gas_low) {
    members.problem('gas_critical', `must be at most gas_low, ${value.gas_low}`)
  }
  checkTreasury(members, value)
  checkFees(members, value)
  return members.problems.length > 0 ? { messages: members.problems } : { value }
}

/** Money that is sent to a contract of a token is lost. */
function checkTreasury(members: Members, { treasury_address, tokens, wallets }: EvmConfig): void {
  if (treasury_address === null) return
  const is_ours = wallets.some(({ address }) => address === treasury_address)
  if (is_ours) members.problem('treasury_address', 'must be no wallet of this rail')
  if ([...tokens.values()].some(({ address }) => address === treasury_address)) {
    members.problem('treasury_address', 'must be no contract of a token')
  }
}

/** The least gas of any transaction. */
const LEAST_GAS = 21_000n

/** Below the least tip of the chain, nothing would ever be paid. */
function checkFees(members: Members, { chain, max_fee, max_cost }: EvmConfig): void {
  const fees = members.object('fees')
  const { title, min_tip, native } = chain
  if (max_fee < min_tip) {
    const least = formatMajor(min_tip, GWEI_PLACES)
    fees.problem('max_fee_gwei', `must be at least ${least}, the least tip of ${title}`)
  }
  const least_cost = min_tip * LEAST_GAS
  if (max_cost < least_cost) {
    const least = `${formatMajor(least_cost, COIN_PLACES)} ${native}`
    fees.problem('max_cost', `must be at least ${least}, the least cost of a payment on ${title}`)
  }
}

/** A test chain stands in for the chain that payouts name. */
function readChain(members: Members): EvmChain | undefined {
  const written = members.text('chain', 40)
  const names = EVM_CHAINS.map(({ type }) => type)
  const known = EVM_CHAINS.find(({ type }) => type === written)
  if (known === undefined) {
    if (written !== '') members.problem('chain', `must be one of ${names.join(', ')}`)
    return undefined
  }
  if (!members.has('test_chain')) return known
  const test = members.object('test_chain')
  test.only(['id', 'block_ms', 'final_ms', 'keeps_pending'])
  const id = BigInt(test.integer('id', 0, 1, Number.MAX_SAFE_INTEGER))
  if (EVM_CHAINS.some(chain => chain.id === id)) {
    test.problem('id', 'is of a chain with real money: leave test_chain out')
  } else if (!testChains().includes(id)) {
    test.problem('id', `must be in CORRIDOR_TEST_CHAINS, because tokens of ${id} are worthless`)
  }
  return {
    ...known,
    ...{ id, is_test: true, l1_fee: false, min_tip: 0n },
    block_ms: test.integer('block_ms', known.block_ms, 10, 60_000),
    final_ms: test.integer('final_ms', known.final_ms, 10, 3_600_000),
    keeps_pending: test.flag('keeps_pending', known.keeps_pending),
  }
}

function readTokens(members: Members, chain: EvmChain): ReadonlyMap<string, EvmToken> {
  const tokens = members.object('tokens')
  tokens.only(['USDC', 'USDT'])
  const found = ['USDC', 'USDT'].flatMap(currency => {
    const token = tokens.has(currency) ? readToken(tokens, currency, chain) : undefined
    return token === undefined ? [] : [[currency, token] as const]
  })
  const has_any = tokens.has('USDC') || tokens.has('USDT')
  if (!has_any) members.problem('tokens', 'must name the contract of USDC or USDT')
  if (new Set(found.map(([, { address }]) => address)).size < found.length) {
    members.problem('tokens', 'must have a contract for each currency')
  }
  return new Map(found)
}

/**
 * A contract of the table by its address. Any other, on a chain with real money, only as an object
 * that says `force`: a payout in a worthless token counts as paid.
 */
function readToken(tokens: Members, currency: string, chain: EvmChain): EvmToken | undefined {
  const listed = chain.tokens[currency]
  if (!tokens.isObject(currency)) {
    const address = readAccount(tokens, currency)
    if (address === null) return undefined
    const decimals = listed?.decimals ?? TOKEN_PLACES
    if (chain.is_test || address === listed?.address) return { address, decimals }
    const ours = listed === undefined ? 'no contract there is known' : `it is ${listed.address}`
    tokens.problem(currency, `is not the contract of ${currency} on ${chain.title}: ${ours}`)
    return undefined
  }
  const written = tokens.object(currency)
  written.only(['address', 'decimals', 'force'])
  const decimals = written.integer('decimals', listed?.decimals ?? TOKEN_PLACES, TOKEN_PLACES, 36)
  const address = readAccount(written, 'address')
  if (!written.flag('force', false) && !chain.is_test) {
    written.problem('force', 'must be true for a contract that is not in the table of tokens')
  }
  return address === null ? undefined : { address, decimals }
}

function readWallets(
  members: Members,
  allow_private: boolean,
  tokens: ReadonlyMap<string, EvmToken>,
): EvmWallet[] {
  const wallets = members.objects('wallets', 1, MAX_WALLETS).map(wallet => {
    wallet.only(['address', 'signer', 'draining'])
    const address = readAccount(wallet, 'address') ?? '0x'
    if ([...tokens.values()].some(token => token.address === address)) {
      wallet.problem('address', 'is the contract of a token')
    }
    const signer = readSigner(wallet.object('signer'), allow_private)
    return { address, signer, draining: wallet.flag('draining', false) }
  })
  const addresses = wallets.map(({ address }) => address)
  if (new Set(addresses).size < addresses.length)
    members.problem('wallets', 'name one address twice')
  return wallets
}

function readSettling(members: Members): EvmConfig['settles_on'] {
  if (!members.isObject('settles_on')) {
    members.oneOf('settles_on', ['finalized'], 'finalized')
    return 'finalized'
  }
  const settles_on = members.object('settles_on')
  settles_on.only(['blocks'])
  return { blocks: settles_on.integer('blocks', 0, 1, 100_000) }
}

/** They have no default: a right cap of one chain loses money on another, or pays nothing. */
function readFees(fees: Members): Pick<EvmConfig, 'max_fee' | 'max_cost'> {
  fees.only(['max_fee_gwei', 'max_cost'])
  return {
    max_fee: readPositive(fees, 'max_fee_gwei', GWEI_PLACES),
    max_cost: readPositive(fees, 'max_cost', COIN_PLACES),
  }
}

function readMost(members: Members, name: 'max_payout' | 'max_day'): bigint | null {
  return members.has(name) ? readPositive(members, name, TOKEN_PLACES) : null
}

/** A decimal above 0, as text; 1 when it has a problem. */
function readPositive(members: Members, name: string, places: number): bigint {
  const written = members.text(name, 40)
  const value = parseMajor(written, places) ?? 0n
  if (value > 0n) return value
  if (written !== '') {
    members.problem(name, `must be a decimal above 0 with at most ${places} places, as text`)
  }
  return 1n
}

/** An address of an account, in small letters; null when it has a problem. */
function readAccount(members: Members, name: string): Hex | null {
  const written = members.text(name, 42)
  if (isWalletAddress(written, 'ethereum')) return written.toLowerCase() as Hex
  if (written !== '') {
    members.problem(name, 'must be an address: 0x and 40 hex digits, whose letter case is right')
  }
  return null
}
