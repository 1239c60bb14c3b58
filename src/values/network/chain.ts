// The chains of wallet payouts, and the tokens of each. The forms of their addresses are in
// parties/beneficiary/wallet-address.ts.

/**
 * A chain for wallet payouts. `network` is its token standard or label. There are no testnets.
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
/** Every chain that a wallet payout may name. */
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

/** The currencies that wallets receive. */
export const TOKENS: readonly string[] = [
  ...new Set(CHAINS.flatMap(chain => chain.currencies)),
].sort()

/** Finds a chain by type ("Ethereum") or network label ("ERC20"), in any case. */
export function findChain(name: string): Chain | undefined {
  return name === '' ? undefined : BY_NAME.get(name.trim().toLowerCase())
}

/** Our name of a chain; the name as sent, in small letters, for an unknown one. */
export function chainName(name: string): string {
  return findChain(name)?.type ?? name.trim().toLowerCase()
}

const BY_NAME: ReadonlyMap<string, Chain> = new Map(
  CHAINS.flatMap(chain => [chain.type, chain.network.toLowerCase()].map(name => [name, chain])),
)

/** The message that there is no chain of this name; undefined when there is one. */
export function chainFault(name: string): string | undefined {
  if (findChain(name) !== undefined) return undefined
  return `Not a known chain; known ones are ${CHAINS.map(chain => chain.type).join(', ')}.`
}

/** The message that banks do not receive this currency; undefined unless it is a token. */
export function bankFault(currency: string): string | undefined {
  if (!TOKENS.includes(currency)) return undefined
  return `No bank receives ${currency}; a wallet does, by a payout of type wallet.`
}

/** The message that wallets of this chain, or of any chain for '', do not receive this currency. */
export function tokenFault(currency: string, name: string): string | undefined {
  if (!TOKENS.includes(currency)) {
    return `A wallet receives ${TOKENS.join(' or ')}, never ${currency}.`
  }
  const chain = findChain(name)
  if (chain === undefined || chain.currencies.includes(currency)) return undefined
  return `${chain.title} carries ${chain.currencies.join(' and ')}, not ${currency}.`
}
