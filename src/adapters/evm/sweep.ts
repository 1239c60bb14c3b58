// Pays what two people have agreed to move from a wallet to the house's own address. It takes the
// next nonce of the wallet as a payout does, so nothing that leaves a wallet is unknown here.
import { isNoted } from '../../rails/restored.ts'
import { pow10 } from '../../values/money/decimal.ts'
import { transferData } from './abi.ts'
import type { Hex } from './chain.ts'
import { type Fees, firstFees } from './fees.ts'
import type { OpenEvmRail } from './open.ts'
import { PLACES } from './order.ts'
import { listSigning } from './purses.ts'
import { insertSlots, listLoads, transactHouse } from './slot-store.ts'
import { type AgreedSweep, listAgreed } from './sweep-store.ts'
import { signTransaction } from './transaction.ts'
import { insertTransactions } from './transaction-store.ts'
import { findWallets, reserveNonces } from './wallet-store.ts'

/** A transfer to the house is a usual one. */
const MORE_GAS = { times: 5n, by: 4n }

interface Ready {
  readonly sweep: AgreedSweep
  readonly token: Hex
  readonly units: bigint
  readonly calldata: Hex
  readonly gas: bigint
  readonly fees: Fees
  /** The wallet's next nonce when the rest was read. */
  readonly next_nonce: bigint
}

/** Signs and commits agreed sweeps. One that cannot be paid now is tried again for a day. */
export async function sweepAgreed(rail: OpenEvmRail): Promise<void> {
  if (rail.isPaused()) return
  for (const sweep of await listAgreed(rail.sql, rail.name)) {
    const ready = await checkSweep(rail, sweep)
    if (typeof ready !== 'string') await reserveSweep(rail, ready)
    else rail.log.warn({ rail: rail.name, sweep: String(sweep.id), why: ready }, 'a sweep waits')
  }
}

/** What is to be signed, or why the sweep waits. */
async function checkSweep(rail: OpenEvmRail, sweep: AgreedSweep): Promise<Ready | string> {
  const { config, chain, sql } = rail
  const { wallet, payee, currency, amount } = sweep
  const token = config.tokens.get(currency)
  if (token === undefined || payee !== config.treasury_address) {
    return 'the settings have another treasury_address or token now'
  }
  const units = amount * pow10(token.decimals - PLACES)
  const head = await chain.head()
  if (!('agreed' in head)) return head.unclear
  const { number } = head.agreed
  const signing = await listSigning(rail, [wallet], { number })
  const next_nonce = signing[0]?.next_nonce
  if (next_nonce === undefined) return 'the wallet may not sign now'
  const [balance, gas_wei, simulated, market] = await Promise.all([
    chain.balance(wallet, token.address, number),
    chain.balance(wallet, null, number),
    chain.simulate({ wallet, token: token.address, payee, units }),
    chain.market(),
  ])
  for (const one of [balance, gas_wei, simulated, market]) if ('unclear' in one) return one.unclear
  if (!('agreed' in balance && 'agreed' in gas_wei && 'agreed' in simulated)) return 'unclear'
  if (!('agreed' in market)) return 'unclear'
  if ('reverted' in simulated.agreed) return `the token refuses it: ${simulated.agreed.reverted}`
  const loads = await transactHouse(sql, [], tx => listLoads(tx, config.chain.id, signing))
  const open = loads.find(load => load.token === token.address)?.units ?? 0n
  if (balance.agreed - open < units) return 'the wallet has less beyond its open payments'
  const gas = (simulated.agreed.gas * MORE_GAS.times) / MORE_GAS.by
  const fees = firstFees(market.agreed, config, gas)
  if (fees === 'too_dear') return 'gas is above a cap of the settings'
  const reserved = loads.reduce((sum, load) => sum + load.gas_wei, 0n)
  if (gas_wei.agreed - reserved < gas * fees.max_fee) return 'the wallet has too little for gas'
  const calldata = transferData(payee, units)
  return { sweep, token: token.address, units, calldata, gas, fees, next_nonce }
}

/** Signs with the next nonce, then commits the nonce, the slot and the bytes together. */
async function reserveSweep(rail: OpenEvmRail, ready: Ready): Promise<void> {
  const { config, sql, leases, name } = rail
  const { sweep, token, units, calldata, gas, fees, next_nonce: nonce } = ready
  const { wallet: address, payee, currency, amount } = sweep
  const chain_id = config.chain.id
  const signer = rail.signers.get(address)
  if (signer === undefined) return
  const done = await leases.with({ chain_id, address }, async holder => {
    const [wallet] = await findWallets(sql, chain_id, [address])
    if (wallet?.next_nonce !== nonce || wallet.state === 'stopped') return false
    const transaction = { chain_id, nonce, ...fees, gas, to: token, value: 0n, data: calldata }
    const { raw, hash } = await signTransaction(transaction, signer)
    const place = { chain_id, wallet: address, nonce }
    return transactHouse(sql, [], async tx => {
      if (!(await isNoted(tx)) || !(await reserveNonces(tx, wallet, 1, holder))) return false
      await insertSlots(tx, [
        {
          ...{ ...place, rail: name, uetr: '', purpose: 'house', sweep: sweep.id, account_id: '' },
          ...{ payout_id: '', attempt: 0, currency, amount, units, token, payee, calldata },
          ...{ to_contract: false, state: 'signed' },
        },
      ])
      await insertTransactions(tx, [{ hash, ...place, number: 1, kind: 'pay', raw, gas, ...fees }])
      return true
    })
  })
  if (done === true) rail.committed()
}
