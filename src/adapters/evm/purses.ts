// The wallets of a rail that may sign now. A wallet whose chain knows more than the database is
// stopped here, before anything is signed with it.

import type { Purse } from './assign.ts'
import type { Block, Chain, Hex } from './chain.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import { type Load, listLoads, transactHouse } from './slot-store.ts'
import { OF_CHAIN } from './trouble.ts'
import { hasTrouble } from './trouble-store.ts'
import { beginWallet, findWallets, stopWallet, type Wallet } from './wallet-store.ts'

/**
 * The wallets of the settings that have begun, in the order of the settings. A new one begins with
 * the nonce of the chain, once the newest, the pending and the final one agree.
 */
export async function readWallets(rail: OpenEvmRail): Promise<readonly Wallet[]> {
  const { config, sql } = rail
  const addresses = config.wallets.map(({ address }) => address)
  const known = await findWallets(sql, config.chain.id, addresses)
  const missing = addresses.filter(address => known.every(wallet => wallet.address !== address))
  if (missing.length > 0) {
    await eachOf(missing, address => begin(rail, address))
    return inOrder(addresses, await findWallets(sql, config.chain.id, addresses))
  }
  return inOrder(addresses, known)
}

function inOrder(addresses: readonly Hex[], wallets: readonly Wallet[]): readonly Wallet[] {
  return addresses.flatMap(address => wallets.filter(wallet => wallet.address === address))
}

async function begin({ chain, config, sql, name, log }: OpenEvmRail, address: Hex): Promise<void> {
  const final = await chain.final()
  const asked = (['latest', 'pending', 'finalized'] as const).map(at => chain.nonce(address, at))
  const nonces = await Promise.all(asked)
  const counts = nonces.map(nonce => ('agreed' in nonce ? nonce.agreed : undefined))
  const [next_nonce] = counts
  const is_quiet = next_nonce !== undefined && counts.every(count => count === next_nonce)
  if (!is_quiet || !('agreed' in final)) {
    const why = 'the chain has transactions of it on their way, or the providers disagree'
    log.warn({ rail: name, wallet: address, why }, 'a wallet cannot begin yet')
    return
  }
  const wallet = { chain_id: config.chain.id, address, rail: name, next_nonce }
  await beginWallet(sql, wallet, final.agreed)
}

/**
 * What each wallet has beyond its open payments, as of this block. Leaves out wallets that are
 * stopped or draining, or of which the providers say nothing clear.
 */
export async function readPurses(
  rail: OpenEvmRail,
  head: Block,
  tokens: readonly Hex[],
): Promise<readonly Purse[]> {
  const { config, sql } = rail
  const usable = config.wallets.filter(({ draining }) => !draining).map(({ address }) => address)
  const wallets = await listSigning(rail, usable)
  const addresses = wallets.map(({ address }) => address)
  // Read after the wallets: what is made meanwhile has counted their nonces on.
  const loads = await transactHouse(sql, [], tx =>
    listLoads(tx, config.chain.id, addresses, head.number),
  )
  const purses = await eachOf(wallets, wallet =>
    readPurse(rail, wallet, {
      head,
      tokens,
      loads: loads.filter(load => load.wallet === wallet.address),
    }),
  )
  return purses.flat()
}

/** Those of these wallets that have begun and may sign now: none while the chain has a trouble. */
export async function listSigning(
  rail: OpenEvmRail,
  among: readonly Hex[],
): Promise<readonly Wallet[]> {
  const { config, sql, chain } = rail
  if (await hasTrouble(sql, rail.name, OF_CHAIN)) return []
  const begun = (await readWallets(rail)).map(({ address }) => address)
  const addresses = among.filter(address => begun.includes(address))
  // Asked before the rows are read: bytes are committed before a chain can know them, so a higher
  // count of the chain is of transactions that the database does not have.
  const counts = await eachOf(addresses, address => countOf(chain, address))
  const rows = await findWallets(sql, config.chain.id, addresses)
  const active = await eachOf(addresses, async (address): Promise<readonly Wallet[]> => {
    const row = rows.find(wallet => wallet.address === address)
    const count = counts[addresses.indexOf(address)]
    if (row === undefined || count === undefined) return []
    if (count > row.next_nonce) await stopLost(rail, row, count)
    return count > row.next_nonce || row.state === 'stopped' ? [] : [row]
  })
  return active.flat()
}

/**
 * How many transactions of the wallet the chain knows, with those that wait for a block as far as
 * the providers agree about them; undefined when they do not agree about the newest block.
 */
async function countOf(chain: Pick<Chain, 'nonce'>, address: Hex): Promise<bigint | undefined> {
  const [mined, waiting] = await Promise.all([
    chain.nonce(address, 'latest'),
    chain.nonce(address, 'pending'),
  ])
  if (!('agreed' in mined)) return undefined
  return 'agreed' in waiting && waiting.agreed > mined.agreed ? waiting.agreed : mined.agreed
}

async function stopLost({ sql, log, name }: OpenEvmRail, wallet: Wallet, count: bigint) {
  const words =
    `the chain has ${count} transactions of it, and the database knows ${wallet.next_nonce}: ` +
    'the database was restored, or another program has the key'
  if (await stopWallet(sql, wallet, 'history_lost', words)) {
    log.error({ rail: name, wallet: wallet.address, why: words }, 'a wallet is stopped')
  }
}

interface At {
  readonly head: Block
  readonly tokens: readonly Hex[]
  readonly loads: readonly Load[]
}

async function readPurse(
  { chain }: OpenEvmRail,
  { address, next_nonce }: Wallet,
  { head, tokens, loads }: At,
) {
  const [gas, ...balances] = await Promise.all([
    chain.balance(address, null, head.number),
    ...tokens.map(token => chain.balance(address, token, head.number)),
  ])
  if (gas === undefined || !('agreed' in gas)) return []
  const of = (token: Hex) => loads.find(load => load.token === token)
  const units = tokens.flatMap((token, i) => {
    const balance = balances[i]
    if (balance === undefined || !('agreed' in balance)) return []
    return [[token, balance.agreed - (of(token)?.units ?? 0n)] as const]
  })
  const reserved = loads.reduce((sum, { gas_wei }) => sum + gas_wei, 0n)
  const purse: Purse = {
    ...{ address, next_nonce },
    unmined: loads.reduce((sum, { unmined }) => sum + unmined, 0),
    units: new Map(units),
    gas_wei: gas.agreed - reserved,
    today: new Map(loads.map(({ token, today }) => [token, today])),
  }
  return [purse]
}
