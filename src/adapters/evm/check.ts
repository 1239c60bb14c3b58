// Tries the exact transfers of orders before they get a nonce. A transfer that would revert is
// refused, or waits, by why it would.
import { divideUp } from '../../values/money/decimal.ts'
import type { Hex } from './chain.ts'
import type { RefusedFor } from './evidence.ts'
import { type Fees, firstFees } from './fees.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import type { Order } from './order.ts'
import type { NewTrouble } from './trouble.ts'

export interface AssignedOrder {
  readonly order: Order
  readonly wallet: Hex
}

/** An order that may be signed. */
export interface Checked extends AssignedOrder {
  readonly gas: bigint
  readonly fees: Fees
  readonly to_contract: boolean
}

export interface RefusedOrder {
  readonly order: Order
  readonly reason: RefusedFor
  readonly message: string
}

export type CheckResult =
  | { readonly checked: Checked }
  | { readonly refused: RefusedOrder }
  | { readonly waiting: { readonly order: Order; readonly wait: 'unclear' | NewTrouble } }

/**
 * Gas beyond the simulated one: the state of the token may change before the block. What is not
 * used is not paid for.
 */
const MORE_GAS = { times: 2n, by: 1n }
/** The payments that are tried at once: providers get several questions in a request. */
const AT_ONCE = 64
/** And once more for each attempt of the payout that has reverted: it may have run out of gas. */
const MORE_AGAIN = { times: 3n, by: 2n }

/**
 * Checks each order with its wallet. `reverted` has how often payouts have reverted, by payout id;
 * `gas_wei` what each wallet has for gas.
 */
export async function checkOrders(
  rail: OpenEvmRail,
  orders: readonly AssignedOrder[],
  reverted: ReadonlyMap<string, number>,
  gas_wei: ReadonlyMap<Hex, bigint>,
): Promise<readonly CheckResult[]> {
  if (orders.length === 0) return []
  const [market, results] = await Promise.all([
    rail.chain.market(),
    eachOf(orders, one => tryMove(rail, one), AT_ONCE),
  ])
  const left = new Map(gas_wei)
  return orders.map((one, i): CheckResult => {
    const { order, wallet } = one
    const result = results[i]
    if (result === undefined || !('agreed' in market)) return waits(order, 'unclear')
    if (!('gas' in result)) return result
    const gas = gasOf(result.gas, reverted.get(order.key.payout_id) ?? 0)
    const fees = firstFees(market.agreed, rail.config, gas)
    if (fees === 'too_dear') {
      const { base_fee } = market.agreed
      const message = `gas is at ${base_fee} wei, which is above a cap of the settings`
      return waits(order, { wallet: '', kind: 'cap', message })
    }
    const cost = gas * fees.max_fee
    const rest = (left.get(wallet) ?? 0n) - cost
    if (rest < 0n) {
      const message = `a payment needs up to ${cost} wei beyond its open ones`
      return waits(order, { wallet, kind: 'no_gas', message })
    }
    left.set(wallet, rest)
    return { checked: { order, wallet, gas, fees, to_contract: result.to_contract } }
  })
}

function waits(order: Order, wait: 'unclear' | NewTrouble): CheckResult {
  return { waiting: { order, wait } }
}

function gasOf(simulated: bigint, reverted: number): bigint {
  let gas = divideUp(simulated * MORE_GAS.times, MORE_GAS.by)
  for (let n = 0; n < reverted; n++) gas = divideUp(gas * MORE_AGAIN.times, MORE_AGAIN.by)
  return gas
}

async function tryMove(
  rail: OpenEvmRail,
  { order, wallet }: AssignedOrder,
): Promise<CheckResult | { readonly gas: bigint; readonly to_contract: boolean }> {
  const { token, payee, units, tag } = order
  const move = { wallet, token, payee, units, ...(tag !== undefined && { tag }) }
  const [simulated, contract, frozen] = await Promise.all([
    rail.chain.simulate(move),
    rail.chain.isContract(payee),
    rail.chain.frozen(payee, token),
  ])
  if (!('agreed' in simulated) || !('agreed' in contract) || !('agreed' in frozen)) {
    return waits(order, 'unclear')
  }
  // Some tokens move to a frozen account all the same, and nobody can use what it gets.
  if (frozen.agreed) {
    const said = 'reverted' in simulated.agreed ? simulated.agreed.reverted : ''
    const message = `The issuer of ${order.currency} has frozen the address${said && `: ${said}`}.`
    return { refused: { order, reason: 'frozen', message } }
  }
  if ('gas' in simulated.agreed) {
    return { gas: simulated.agreed.gas, to_contract: contract.agreed }
  }
  const to_contract = contract.agreed
  const found = await whyReverted(rail, { order, wallet }, simulated.agreed.reverted)
  return 'gas' in found ? { ...found, to_contract } : found
}

/**
 * What a revert in the simulation means: for this payee alone, for our wallet, or for everybody.
 * Only the first fails a payout.
 */
async function whyReverted(
  { chain }: OpenEvmRail,
  { order, wallet }: AssignedOrder,
  reason: string,
): Promise<CheckResult | { readonly gas: bigint }> {
  const { token, payee, units, tag } = order
  const [wallet_frozen, to_itself, balance, again] = await Promise.all([
    chain.frozen(wallet, token),
    chain.simulate({ wallet, token, payee: wallet, units: 1n }),
    chain.balance(wallet, token, 'latest'),
    chain.simulate({ wallet, token, payee, units, ...(tag !== undefined && { tag }) }),
  ])
  if (!('agreed' in wallet_frozen) || !('agreed' in to_itself)) return waits(order, 'unclear')
  if (!('agreed' in balance) || !('agreed' in again)) return waits(order, 'unclear')
  // Its cause is over, such as the pause of a token.
  if ('gas' in again.agreed && !wallet_frozen.agreed) return again.agreed
  const said = reason === '' ? 'no reason given' : reason
  if (wallet_frozen.agreed) {
    return waits(order, { wallet, kind: 'wallet_frozen', message: `${order.currency}: ${said}` })
  }
  // The wallet has paid something since its balance was read.
  if (balance.agreed < units) {
    const message = `the wallet has too little ${order.currency} now`
    return waits(order, { wallet, kind: 'no_funds', message })
  }
  if ('reverted' in to_itself.agreed) {
    const message = `${order.currency}: ${to_itself.agreed.reverted || said}`
    return waits(order, { wallet: '', kind: 'token_paused', message })
  }
  const message = `The transfer would revert: ${said}.`
  return { refused: { order, reason: 'reverted', message } }
}
