// The wallets of a rail that may sign now. A wallet whose chain knows more than the database is
// stopped here, before anything is signed with it.

import type { Purse } from './assign.ts'
import type { Block, Chain, Hex } from './chain.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import { type Counted, type Load, listLoads, listPaidToday, transactHouse } from './slot-store.ts'
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
  const [signing, money] = await Promise.all([
    listSigning(rail, usable, head),
    eachOf(usable, address => readMoney(rail, address, { head, tokens })),
  ])
  const { id } = config.chain
  const addresses = signing.map(({ address }) => address)
  // Read after the wallets: what is made meanwhile has counted their nonces on.
  const [loads, paid] = await transactHouse(sql, [], tx =>
    Promise.all([
      listLoads(tx, id, signing),
      config.max_day === null ? [] : listPaidToday(tx, id, addresses),
    ]),
  )
  return signing.flatMap(wallet => {
    const has = money.find(one => one?.address === wallet.address)
    const isIts = (one: { readonly wallet: Hex }) => one.wallet === wallet.address
    if (has === undefined) return []
    return purseOf(wallet, has, { loads: loads.filter(isIts), paid: paid.filter(isIts) })
  })
}

/** A wallet that may sign, and its transactions in blocks up to the one by which it is judged. */
export interface SigningWallet extends Counted {
  readonly next_nonce: bigint
}

/** Those of these wallets that have begun and may sign now: none while the chain has a trouble. */
export async function listSigning(
  rail: OpenEvmRail,
  among: readonly Hex[],
  { number }: Pick<Block, 'number'>,
): Promise<readonly SigningWallet[]> {
  const { config, sql, chain } = rail
  if (await hasTrouble(sql, rail.name, OF_CHAIN)) return []
  const begun = (await readWallets(rail)).map(({ address }) => address)
  const addresses = among.filter(address => begun.includes(address))
  // Asked before the rows are read: bytes are committed before a chain can know them, so a higher
  // count of the chain is of transactions that the database does not have.
  const counts = await eachOf(addresses, address => countsOf(chain, address, number))
  const rows = await findWallets(sql, config.chain.id, addresses)
  const active = await eachOf(addresses, async (address): Promise<readonly SigningWallet[]> => {
    const row = rows.find(wallet => wallet.address === address)
    const count = counts[addresses.indexOf(address)]
    if (row === undefined || count === undefined) return []
    const { next_nonce, state } = row
    if (count.known > next_nonce) await stopLost(rail, row, count.known)
    const may_sign = count.known <= next_nonce && state !== 'stopped'
    return may_sign ? [{ address, mined: count.mined, next_nonce }] : []
  })
  return active.flat()
}

/**
 * How many transactions of the wallet the chain has in blocks up to this one, and how many it knows
 * with those that wait for a block, as far as the providers agree about them; undefined when they
 * do not agree about the block.
 */
async function countsOf(chain: Pick<Chain, 'nonce'>, address: Hex, number: bigint) {
  const [mined, waiting] = await Promise.all([
    chain.nonce(address, number),
    chain.nonce(address, 'pending'),
  ])
  if (!('agreed' in mined)) return undefined
  const is_more = 'agreed' in waiting && waiting.agreed > mined.agreed
  return { mined: mined.agreed, known: is_more ? waiting.agreed : mined.agreed }
}

async function stopLost({ sql, log, name }: OpenEvmRail, wallet: Wallet, count: bigint) {
  const words =
    `the chain has ${count} transactions of it, and the database knows ${wallet.next_nonce}: ` +
    'the database was restored, or another program has the key'
  if (await stopWallet(sql, wallet, 'history_lost', words)) {
    log.error({ rail: name, wallet: wallet.address, why: words }, 'a wallet is stopped')
  }
}

interface Money {
  readonly address: Hex
  readonly gas_wei: bigint
  /** By token; absent: not known now. */
  readonly balances: ReadonlyMap<Hex, bigint>
}

/** What the chain says that a wallet has at a block; undefined without a clear answer. */
async function readMoney(
  { chain }: OpenEvmRail,
  address: Hex,
  { head, tokens }: { readonly head: Block; readonly tokens: readonly Hex[] },
): Promise<Money | undefined> {
  const [gas, ...balances] = await Promise.all([
    chain.balance(address, null, head.number),
    ...tokens.map(token => chain.balance(address, token, head.number)),
  ])
  if (gas === undefined || !('agreed' in gas)) return undefined
  const known = tokens.flatMap((token, i) => {
    const balance = balances[i]
    return balance !== undefined && 'agreed' in balance ? [[token, balance.agreed] as const] : []
  })
  return { address, gas_wei: gas.agreed, balances: new Map(known) }
}

interface Moved {
  readonly loads: readonly Load[]
  readonly paid: readonly { readonly token: Hex; readonly amount: bigint }[]
}

function purseOf(
  { address, mined, next_nonce }: SigningWallet,
  { gas_wei, balances }: Money,
  { loads, paid }: Moved,
): Purse {
  const onWay = (token: Hex) => loads.find(load => load.token === token)?.units ?? 0n
  const units = [...balances].map(([token, has]) => [token, has - onWay(token)] as const)
  return {
    ...{ address, next_nonce },
    unmined: Number(next_nonce - mined),
    units: new Map(units),
    gas_wei: gas_wei - loads.reduce((sum, load) => sum + load.gas_wei, 0n),
    today: new Map(paid.map(({ token, amount }) => [token, amount])),
  }
}
