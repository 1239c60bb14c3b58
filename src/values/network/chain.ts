// The chains of wallet payouts, and the tokens of each. The forms of their addresses are in
// parties/beneficiary/wallet-address.ts.

/**
 * A chain for wallet payouts. `network` is its token standard or label. There are no testnets.
 */
export interface Chain {
  readonly type: string
  readonly network: string
  readonly title: string
  /** The contract, mint or issuer of each of our currencies that the chain carries. */
  readonly tokens: Readonly<Record<string, string>>
  readonly currencies: readonly string[]
}

// USDC is Circle's native token, except Binance's pegged one on BNB Smart Chain; Circle left TRON
// in 2024. USDT is Tether's own on Avalanche, Ethereum, Solana and TRON, bridged or pegged
// elsewhere. A chain that carries none of our currencies (Bitcoin) has no row. Addresses: "USDC
// Contract Addresses" of developers.circle.com, "Supported Protocols" of tether.to, and the chains'
// explorers for the bridged ones.
const ROWS = [
  {
    ...{ type: 'arbitrum', network: 'ARBITRUM', title: 'Arbitrum One' },
    tokens: {
      USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      USDT: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
    },
  },
  {
    ...{ type: 'avalanche', network: 'AVAXC', title: 'Avalanche C-Chain' },
    tokens: {
      USDC: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
      USDT: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
    },
  },
  {
    ...{ type: 'base', network: 'BASE', title: 'Base' },
    tokens: { USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  },
  {
    ...{ type: 'bsc', network: 'BEP20', title: 'BNB Smart Chain' },
    tokens: {
      USDC: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
      USDT: '0x55d398326f99059fF775485246999027B3197955',
    },
  },
  {
    ...{ type: 'ethereum', network: 'ERC20', title: 'Ethereum' },
    tokens: {
      USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    },
  },
  {
    ...{ type: 'optimism', network: 'OPTIMISM', title: 'OP Mainnet' },
    tokens: {
      USDC: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
      USDT: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
    },
  },
  {
    ...{ type: 'polygon', network: 'POLYGON', title: 'Polygon PoS' },
    tokens: {
      USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      USDT: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    },
  },
  {
    ...{ type: 'solana', network: 'SPL', title: 'Solana' },
    tokens: {
      USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    },
  },
  {
    ...{ type: 'stellar', network: 'STELLAR', title: 'Stellar' },
    tokens: { USDC: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN' },
  },
  {
    ...{ type: 'tron', network: 'TRC20', title: 'TRON' },
    tokens: { USDT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  },
] as const

/** Every chain that a wallet payout may name. */
export const CHAINS: readonly Chain[] = ROWS.map(row => ({
  ...row,
  currencies: Object.keys(row.tokens),
}))

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
