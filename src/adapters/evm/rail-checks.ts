// The checks of a rail on a chain: its providers, its tokens and its wallets. They pay nothing.
import { formatMajor } from '../../values/money/decimal.ts'
import { type Check, Finding, type Group, Seen, Skipped } from '../checks.ts'
import { DECIMALS, readText, readWord, SYMBOL } from './abi.ts'
import type { Agreed, Hex } from './chain.ts'
import type { ChainTrouble } from './chain-trouble.ts'
import type { EvmToken } from './chains.ts'
import type { EvmConfig, EvmWallet } from './config.ts'
import { firstFees } from './fees.ts'
import { USUAL_GAS } from './judge.ts'
import type { OpenChain, ProviderState } from './quorum.ts'
import type { Signer } from './signer.ts'
import { signTransaction, unsendable } from './transaction.ts'
import type { Wallet } from './wallet-store.ts'

/** What the checks ask. */
export interface ChainProbe {
  readonly config: EvmConfig
  readonly chain: OpenChain
  readonly signers: ReadonlyMap<Hex, Signer>
  /** The rows of wallets that have begun. */
  readonly rows: readonly Wallet[]
  /** Asked once, by the first check. */
  troubles?: Promise<readonly ChainTrouble[]>
}

const DISAGREE: readonly ChainTrouble['kind'][] = ['providers_disagree', 'provider_wrong']

type ChainCheck = Check<ChainProbe>

const COIN_PLACES = 18
const GWEI_PLACES = 9

/** The checks of these settings, in the order of the run. */
export function chainChecks(config: EvmConfig): readonly Group<ChainProbe>[] {
  const tokens = [...config.tokens].flatMap(([currency, token]) => ofToken(currency, token))
  const wallets = config.wallets.map((wallet, i) => ({
    name: `Wallet ${wallet.address}`,
    checks: Object.fromEntries(ofWallet(wallet, i + 1, config)),
  }))
  return [
    { name: 'Providers', checks: ofProviders(config) },
    { name: 'Tokens', checks: Object.fromEntries(tokens) },
    ...wallets,
  ]
}

function ofProviders({ chain, lag_blocks }: EvmConfig): Record<string, ChainCheck> {
  return {
    'chain-id': {
      proves: `Every provider answers, and is on ${chain.title}, ${chain.id}.`,
      needs: [],
      async run(probe) {
        const states = await statesOf(probe)
        const wrong = states.filter(({ chain_id }) => chain_id !== chain.id)
        checkNone(wrong, state => `${state.name}: ${state.left_out || 'no answer'}`)
        return new Seen(states.map(({ name }) => name).join(', '))
      },
    },
    heads: {
      proves: `No provider is more than ${lag_blocks} blocks behind.`,
      needs: [],
      async run(probe) {
        const states = await statesOf(probe)
        const { still_s } = await headOf(probe)
        checkNone(
          states.filter(({ left_out }) => left_out !== ''),
          ({ name, left_out }) => `${name}: ${left_out}`,
        )
        const heads = states.map(({ name, head, lag }) => `${name} ${head?.number} (${lag} behind)`)
        return new Seen(`${heads.join(', ')}; the block is ${still_s} s old`)
      },
    },
    finality: {
      proves: 'Providers agree about the newest final block.',
      needs: ['chain-id'],
      async run(probe) {
        const found = (await troublesOf(probe)).filter(({ kind }) => DISAGREE.includes(kind))
        checkNone(found, ({ message }) => message)
        const { number, at } = agreed(await probe.chain.final())
        return new Seen(`block ${number}, of ${at}`)
      },
    },
    gas: {
      proves: 'The price of gas is below the caps of the settings.',
      needs: ['chain-id'],
      async run(probe) {
        const market = agreed(await probe.chain.market())
        const gwei = formatMajor(market.base_fee + market.tip, GWEI_PLACES)
        if (firstFees(market, probe.config, USUAL_GAS) === 'too_dear') {
          throw new Finding(`gas is at ${gwei} gwei: nothing would be paid`)
        }
        return new Seen(`${gwei} gwei`)
      },
    },
  }
}

function ofToken(currency: string, token: EvmToken): [string, ChainCheck][] {
  const { address, decimals } = token
  const contract: ChainCheck = {
    proves: `${currency} is a contract, ${address}.`,
    needs: ['chain-id'],
    async run({ chain }) {
      if (!agreed(await chain.isContract(address))) throw new Finding('there is no code')
    },
  }
  const places: ChainCheck = {
    proves: `${currency} has ${decimals} places.`,
    needs: [`contract-${currency}`],
    async run({ chain }) {
      const found = readWord(agreed(await chain.call(address, DECIMALS)))
      if (found !== BigInt(decimals))
        throw new Finding(`it has ${found ?? 'none that can be read'}`)
    },
  }
  const symbol: ChainCheck = {
    proves: `${currency} calls itself so.`,
    needs: [`contract-${currency}`],
    async run({ chain }) {
      const found = readText(agreed(await chain.call(address, SYMBOL))) ?? ''
      // USDT is USD₮0 or USDT0 where it came by another way; another dollar has another letter.
      const same = found.replace('₮', 'T').toUpperCase().startsWith(currency)
      if (!same) throw new Finding(`it calls itself ${found || 'nothing'}`)
      return new Seen(found)
    },
  }
  return [
    [`contract-${currency}`, contract],
    [`decimals-${currency}`, places],
    [`symbol-${currency}`, symbol],
  ]
}

function ofWallet(wallet: EvmWallet, n: number, config: EvmConfig): [string, ChainCheck][] {
  const { address } = wallet
  const signs: ChainCheck = {
    proves: 'Its signer signs a message that no chain takes as a transaction.',
    needs: [],
    async run({ signers }) {
      const signer = signers.get(address)
      if (signer === undefined) throw new Skipped('the settings have no signer')
      await signTransaction(unsendable(config.chain.id, address), signer).catch(error => {
        throw new Finding((error as Error).message)
      })
    },
  }
  const numbers: ChainCheck = {
    proves: 'The chain knows no transaction of it that the database does not.',
    needs: ['chain-id'],
    run: probe => checkNonces(probe, address),
  }
  const coin: ChainCheck = {
    proves: `Its ${config.chain.native} pays for ${config.gas_low} payments.`,
    needs: ['gas'],
    async run({ chain }) {
      const balance = agreed(await chain.balance(address, null, 'latest'))
      const fees = firstFees(agreed(await chain.market()), config, USUAL_GAS)
      const price = fees === 'too_dear' ? config.max_fee : fees.max_fee
      const left = balance / (USUAL_GAS * price)
      const words = `${formatMajor(balance, COIN_PLACES)} ${config.chain.native}, ${left} payments`
      if (left < BigInt(config.gas_low)) throw new Finding(words)
      return new Seen(words)
    },
  }
  const money = [...config.tokens].flatMap(([currency, token]) =>
    ofMoney(wallet, n, currency, token),
  )
  return [[`signs-${n}`, signs], [`numbers-${n}`, numbers], [`coin-${n}`, coin], ...money]
}

function ofMoney(
  { address }: EvmWallet,
  n: number,
  currency: string,
  { address: token, decimals }: EvmToken,
): [string, ChainCheck][] {
  const has: ChainCheck = {
    proves: `It has ${currency}.`,
    needs: [`contract-${currency}`],
    async run({ chain }) {
      const balance = agreed(await chain.balance(address, token, 'latest'))
      if (balance === 0n) throw new Finding('it has none')
      return new Seen(`${formatMajor(balance, decimals)} ${currency}`)
    },
  }
  const free: ChainCheck = {
    proves: `The issuer of ${currency} has not frozen it.`,
    needs: [`contract-${currency}`],
    async run({ chain }) {
      if (agreed(await chain.frozen(address, token))) throw new Finding('it is frozen')
    },
  }
  return [
    [`money-${currency}-${n}`, has],
    [`free-${currency}-${n}`, free],
  ]
}

async function checkNonces({ chain, rows }: ChainProbe, address: Hex): Promise<Seen> {
  const row = rows.find(one => one.address === address)
  const [newest, final] = await Promise.all([
    chain.nonce(address, 'latest').then(agreed),
    chain.nonce(address, 'finalized').then(agreed),
  ])
  const words = `${newest} transactions, ${final} of them final`
  if (row === undefined) return new Seen(`${words}; it has not begun`)
  if (row.state === 'stopped') throw new Finding(`it is stopped: ${row.problem}`)
  if (newest > row.next_nonce) {
    throw new Finding(`${words}, and the database knows ${row.next_nonce}`)
  }
  return new Seen(`${words}; the database knows ${row.next_nonce}`)
}

async function statesOf(probe: ChainProbe): Promise<readonly ProviderState[]> {
  await troublesOf(probe)
  return probe.chain.providers()
}

function troublesOf(probe: ChainProbe): Promise<readonly ChainTrouble[]> {
  probe.troubles ??= probe.chain.troubles({ all: true })
  return probe.troubles
}

async function headOf({ chain }: ChainProbe) {
  const { at } = agreed(await chain.head())
  return { still_s: Math.max(0, Math.trunc((Date.now() - Date.parse(at)) / 1000)) }
}

/** What providers agree on; a Finding, with the reasons, when they do not. */
function agreed<T>(found: Agreed<T>): T {
  if ('agreed' in found) return found.agreed
  throw new Finding(found.unclear)
}

function checkNone<T>(found: readonly T[], words: (one: T) => string): void {
  if (found.length > 0) throw new Finding(found.map(words).join('; '))
}
