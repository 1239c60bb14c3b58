// Sets up the demonstration with a chain: a node of this machine with a token and a wallet, a live
// account, a rail and a route. At the end it removes the route; the account and the rail stay.
import { randomBytes } from 'node:crypto'
import type { Anvil, Hex } from '../../examples/chain/anvil.ts'
import type { KeyFile } from '../../examples/chain/keystore.ts'
import type { Token } from '../../examples/chain/token.ts'
import { RAIL_KINDS } from '../adapters/registry.ts'
import { testChains } from '../config/config.ts'
import { type Fee, selectFee } from '../prices/fee/rules.ts'
import { deleteFee, listFees, upsertFees } from '../prices/fee/store.ts'
import { readRail } from '../rails/load-rail.ts'
import { insertRail, updatePause } from '../rails/row-store.ts'
import { deleteRoute, upsertRoute } from '../rails/store.ts'
import { newId } from '../values/id.ts'
import { amountToJson } from '../values/money/json.ts'
import { book, createFunded } from './account.ts'
import type { Context } from './context.ts'
import { ANY_PAYOUT, DEMO_NAMES, refuseRealMoney, requireNoLists } from './demo-bank-setup.ts'
import { authorizationOf } from './demo-http.ts'
import { CommandFailed, readOrRefuse } from './failure.ts'

/** USDC 1,000.000000 */
const FUNDED = 1_000_000_000n
/** The chain of the payout, whose place the node takes. */
export const NETWORK = 'polygon'
/** Any address: the node has no other contract. */
const USDC: Hex = `0x${'dc'.repeat(20)}`

export interface DemoChain {
  readonly anvil: Anvil
  readonly token: Token
  readonly wallet: KeyFile
  close(): Promise<void>
}

/** Starts the node, with a block each second, and gives a new wallet tokens and coins. */
export async function startDemoChain(folder: string): Promise<DemoChain> {
  // No other command needs a chain of one's own.
  const { startAnvil } = await import('../../examples/chain/anvil.ts')
  const { makeKeyFile } = await import('../../examples/chain/keystore.ts')
  const { tokenAt } = await import('../../examples/chain/token.ts')
  const anvil = await startAnvil({ block_time_s: 1, final_after: 2 }).catch(error => {
    throw new CommandFailed((error as Error).message)
  })
  try {
    const wallet = await makeKeyFile(folder, 'wallet')
    const token = await tokenAt(anvil, 'UsdcLike', USDC)
    await anvil.give(wallet.address, 10n ** 18n)
    await token.mint(wallet.address, FUNDED)
    return { anvil, token, wallet, close: () => anvil.close() }
  } catch (error) {
    await anvil.close()
    throw error
  }
}

/** @throws CommandFailed if this command may not use a test chain */
export function requireTestChain(id: number): void {
  if (testChains().includes(BigInt(id))) return
  throw new CommandFailed(
    `the tokens of the demonstration are worthless, so say that you mean it, to the service ` +
      `and to this command: CORRIDOR_TEST_CHAINS=${id}`,
  )
}

export type ChainDemoSetUp = Awaited<ReturnType<typeof setUpChainDemo>>

export async function setUpChainDemo(context: Context, chain: DemoChain, chain_id: number) {
  await refuseRealMoney(context)
  await requireNoLists(context)
  const rail = await addRail(context, settingsOf(chain, chain_id))
  const name = DEMO_NAMES.chain
  const wanted = { name, currencies: ['USDC'], primary_currency: 'USDC', fund: [], sandbox: false }
  const { account, key_id, secret } = await createFunded(context, wanted)
  const { account_id } = account
  const proof = { kind: 'funding', source: newId('esc'), reference: `DEMO ${account_id}` } as const
  const money = { account_id, currency: 'USDC', amount: FUNDED, reason: '', split: false } as const
  const retry = `corridor fund ${account_id} USDC 1000 --reference "DEMO ${account_id}"`
  await book(context, { ...money, ...proof }, retry)
  const route = { ...ANY_PAYOUT, account_id, rail: rail.name }
  await upsertRoute(context.sql, route)
  return {
    shown: { account_id, name, funded: { currency: 'USDC', amount: amountToJson(FUNDED) } },
    authorization: authorizationOf(`${key_id}:${secret}`),
    rail: { name: rail.name, kind: rail.kind, settings: rail.config },
    route,
    fee: await setFee(context),
  }
}

/** Each node is another chain, so each demonstration has a rail of its own. */
async function addRail({ sql }: Context, settings: object) {
  const name = `demo_chain_${randomBytes(4).toString('hex')}`
  const config = JSON.stringify(settings)
  const rail = readOrRefuse(readRail({ name, kind: 'evm', config, secret: '' }, RAIL_KINDS))
  if (await insertRail(sql, rail)) return rail
  throw new CommandFailed(`there is a rail ${name}: run the demonstration again`)
}

function settingsOf({ anvil, wallet }: DemoChain, id: number) {
  // One node, by two names: a rail asks two providers.
  const urls = [anvil.url, anvil.url.replace('127.0.0.1', 'localhost')]
  const { address, path, passphrase_file } = wallet
  return {
    chain: NETWORK,
    test_chain: { id, block_ms: 1_000, final_ms: 3_000, keeps_pending: true },
    tokens: { USDC },
    providers: urls.map((url, i) => ({ name: i === 0 ? 'one' : 'two', url })),
    allow_private: true,
    wallets: [{ address, signer: { kind: 'keystore', path, passphrase_file } }],
    fees: { max_fee_gwei: '100', max_cost: '0.01' },
    max_payout: '1000',
  }
}

/** Makes the payout free of charge; undefined where the operator has set a fee for it. */
async function setFee({ sql }: Context): Promise<Fee | undefined> {
  const key = {
    ...{ payout_type: 'wallet', payout_currency: 'USDC', destination_country: null },
    ...{ network: NETWORK, charge_type: null },
  }
  // A sample prices only sandboxes, and the account is live.
  const set = (await listFees(sql)).filter(({ sample }) => !sample)
  const subject = { ...key, destination_country: '', charge_type: '' }
  if (selectFee(set, subject) !== undefined) return undefined
  const free = { fixed_amount: 0n, fee_currency: 'USDC', variable_bps: 0 }
  const fee: Fee = { ...key, ...free, minimum_amount: null, maximum_amount: null, sample: false }
  await upsertFees(sql, [fee])
  return fee
}

/** The rail stays, paused: a payout went to it. */
export async function endChainDemo({ sql }: Context, demo: ChainDemoSetUp): Promise<void> {
  await deleteRoute(sql, demo.route)
  await updatePause(sql, demo.rail.name, 'the demonstration is over')
  const { fee } = demo
  if (fee !== undefined) await sql.begin(tx => deleteFee(tx, fee))
}
