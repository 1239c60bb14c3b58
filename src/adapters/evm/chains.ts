// The EVM chains that a rail can pay on. Their tokens are those of values/network/chain.ts.
import { findChain } from '../../values/network/chain.ts'
import type { Hex } from './chain.ts'

export interface EvmToken {
  readonly address: Hex
  readonly decimals: number
}

export interface EvmChain {
  /** Its name in payouts and routes, such as `base`. */
  readonly type: string
  readonly title: string
  readonly id: bigint
  /** The coin that pays for gas; it has 18 places. */
  readonly native: string
  /** The usual time from one block to the next. */
  readonly block_ms: number
  /** The usual time until a payment is final. */
  readonly final_ms: number
  /** False: nodes refuse a nonce before its predecessor is in a block. */
  readonly keeps_pending: boolean
  /** The least tip that blocks take, in wei. */
  readonly min_tip: bigint
  /** Whether receipts have an `l1Fee` that comes on top of the gas. */
  readonly l1_fee: boolean
  /** The page of a transaction is this and its hash. */
  readonly explorer: string
  readonly tokens: Readonly<Record<string, EvmToken>>
  /** Whether its tokens are worthless: a chain of CORRIDOR_TEST_CHAINS. */
  readonly is_test: boolean
}

const GWEI = 10n ** 9n

const TOKEN_DECIMALS = 6

type Row = Omit<EvmChain, 'title' | 'tokens' | 'is_test' | 'keeps_pending' | 'l1_fee'> & {
  readonly keeps_pending?: false
  readonly l1_fee?: true
  /** Of all its tokens; 6 when absent. */
  readonly decimals?: number
}

// Ids and coins: chainid.network. Final times: the median of the `finalized` tag as the chains'
// documents state it. Arbitrum's sequencer keeps no pool of transactions.
const ROWS: readonly Row[] = [
  {
    ...{ type: 'ethereum', id: 1n, native: 'ETH', block_ms: 12_000, final_ms: 960_000 },
    ...{ min_tip: GWEI / 100n, explorer: 'https://etherscan.io/tx/' },
  },
  {
    ...{ type: 'base', id: 8453n, native: 'ETH', block_ms: 2_000, final_ms: 960_000 },
    ...{ min_tip: GWEI / 1000n, l1_fee: true, explorer: 'https://basescan.org/tx/' },
  },
  {
    ...{ type: 'optimism', id: 10n, native: 'ETH', block_ms: 2_000, final_ms: 960_000 },
    ...{ min_tip: GWEI / 1000n, l1_fee: true, explorer: 'https://optimistic.etherscan.io/tx/' },
  },
  {
    ...{ type: 'arbitrum', id: 42161n, native: 'ETH', block_ms: 250, final_ms: 960_000 },
    ...{ min_tip: 0n, keeps_pending: false, explorer: 'https://arbiscan.io/tx/' },
  },
  {
    ...{ type: 'polygon', id: 137n, native: 'POL', block_ms: 2_000, final_ms: 8_000 },
    ...{ min_tip: 30n * GWEI, explorer: 'https://polygonscan.com/tx/' },
  },
  {
    ...{ type: 'bsc', id: 56n, native: 'BNB', block_ms: 750, final_ms: 3_000, decimals: 18 },
    ...{ min_tip: GWEI / 20n, explorer: 'https://bscscan.com/tx/' },
  },
  {
    ...{ type: 'avalanche', id: 43114n, native: 'AVAX', block_ms: 2_000, final_ms: 8_000 },
    ...{ min_tip: 0n, explorer: 'https://snowtrace.io/tx/' },
  },
]

export const EVM_CHAINS: readonly EvmChain[] = ROWS.map(row => {
  const { decimals = TOKEN_DECIMALS, keeps_pending = true, l1_fee = false, ...rest } = row
  const { title = row.type, tokens = {} } = findChain(row.type) ?? {}
  const ours = Object.entries(tokens).map(([currency, contract]) => {
    const address = contract.toLowerCase() as Hex
    return [currency, { address, decimals }] as const
  })
  return { ...rest, title, keeps_pending, l1_fee, is_test: false, tokens: Object.fromEntries(ours) }
})

/** The least blocks that a bump or a lagging provider waits, and their least time. */
const LEAST_BLOCKS = 3
const LEAST_MS = 30_000

/** Three blocks, or as many as there are in half a minute. */
export function fewBlocks({ block_ms }: Pick<EvmChain, 'block_ms'>): number {
  return Math.max(LEAST_BLOCKS, Math.ceil(LEAST_MS / block_ms))
}
