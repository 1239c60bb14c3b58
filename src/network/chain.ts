// Knows the chains of wallet payouts and the tokens that each carries. It must not know how a chain
// writes addresses: that is beneficiary/wallet-address.ts.

/**
 * A chain for wallet payouts. `network` is the token standard or network label; never a testnet.
 */
export interface Chain {
  readonly type: string
  readonly network: string
  readonly title: string
  readonly currencies: readonly string[]
}

// USDC is Circle's native token, except Binance's pegged one on BNB Smart Chain; Circle left TRON
// in 2024. USDT is Tether's own on Avalanche, Ethereum, Solana and TRON, bridged or pegged
// elsewhere. A chain that carries none of our currencies (Bitcoin) has no row.
/** Every chain a wallet payout can name. */
export const CHAINS: readonly Chain[] = [
  { type: 'arbitrum', network: 'ARBITRUM', title: 'Arbitrum One', currencies: ['USDC', 'USDT'] },
  { type: 'avalanche', network: 'AVAXC', title: 'Avalanche C-Chain', currencies: ['USDC', 'USDT'] },
  { type: 'base', network: 'BASE', title: 'Base', currencies: ['USDC'] },
  { type: 'bsc', network: 'BEP20', title: 'BNB Smart Chain', currencies: ['USDC', 'USDT'] },
  { type: 'ethereum', network: 'ERC20', title: 'Ethereum', currencies: ['USDC', 'USDT'] },
  { type: 'optimism', network: 'OPTIMISM', title: 'OP Mainnet', currencies: ['USDC', 'USDT'] },
  { type: 'polygon', network: 'POLYGON', title: 'Polygon PoS', currencies: ['USDC', 'USDT'] },
  { type: 'solana', network: 'SPL', title: 'Solana', currencies: ['USDC', 'USDT'] },
  { type: 'stellar', network: 'STELLAR', title: 'Stellar', currencies: ['USDC'] },
  { type: 'tron', network: 'TRC20', title: 'TRON', currencies: ['USDT'] },
]

/** The tokens that wallets receive; no other currency is ever one of a wallet. */
export const TOKENS: readonly string[] = [
  ...new Set(CHAINS.flatMap(chain => chain.currencies)),
].sort()

/**
 * The chain of a type ("Ethereum") or network label ("ERC20") in any case; undefined when there is
 * none.
 */
export function findChain(name: string): Chain | undefined {
  const wanted = name.trim().toLowerCase()
  return CHAINS.find(({ type, network }) => [type, network.toLowerCase()].includes(wanted))
}

/** Why there is no chain of this name, for people. */
export function chainFault(name: string): string | undefined {
  if (findChain(name) !== undefined) return undefined
  return `Not a known chain; known ones are ${CHAINS.map(chain => chain.type).join(', ')}.`
}

/** Why no bank is sent this currency, for people: tokens arrive in wallets alone. */
export function bankFault(currency: string): string | undefined {
  if (!TOKENS.includes(currency)) return undefined
  return `No bank receives ${currency}; a wallet does, by a payout of type wallet.`
}

/** Why no wallet of this chain receives this currency, for people; of any chain when it is ''. */
export function tokenFault(currency: string, name: string): string | undefined {
  if (!TOKENS.includes(currency)) {
    return `A wallet receives ${TOKENS.join(' or ')}, never ${currency}.`
  }
  const chain = findChain(name)
  if (chain === undefined || chain.currencies.includes(currency)) return undefined
  return `${chain.title} carries ${chain.currencies.join(' and ')}, not ${currency}.`
}
