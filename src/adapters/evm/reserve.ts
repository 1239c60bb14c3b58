// Gives payments their nonces: signs them first, then commits slots and bytes in one transaction
// that counts the nonces on. A crash before the commit leaves nothing, and a crash after it leaves
// payments to send. Bytes that were not committed are dropped, and never leave the process.
import { judgeWaiting } from '../../payouts/advance/still-waits.ts'
import { addEvidence } from '../../rails/evidence-store.ts'
import { isNoted } from '../../rails/restored.ts'
import { accountsOf } from '../../sql/shard.ts'
import { during } from '../../values/diagnostics.ts'
import type { Hex } from './chain.ts'
import type { Checked } from './check.ts'
import { evidenceOf, type RefusedFor } from './evidence.ts'
import type { OpenEvmRail } from './open.ts'
import type { Order } from './order.ts'
import type { Eip1559 } from './signer.ts'
import type { SlotKey } from './slot.ts'
import { insertSlots, type NewSlot, transactHouse } from './slot-store.ts'
import { signTransaction } from './transaction.ts'
import { insertTransactions, type NewTransaction } from './transaction-store.ts'
import { findWallets, reserveNonces, type Wallet } from './wallet-store.ts'

interface Signed {
  readonly one: Checked
  readonly slot: NewSlot
  readonly transaction: NewTransaction
}

/**
 * Signs payments with one wallet and commits them. Its money and its caps were read while
 * `next_nonce` was its next one: none is signed after anything else has been. Returns how many of
 * them, from the first on, have slots now: the others wait. A failure after the commit was sent
 * rejects, and the slots may exist.
 */
export async function reserve(
  rail: OpenEvmRail,
  { address, next_nonce }: Pick<Wallet, 'address' | 'next_nonce'>,
  orders: readonly Checked[],
): Promise<number> {
  const { config, sql, leases } = rail
  const chain_id = config.chain.id
  const reserved = await leases.with({ chain_id, address }, async holder => {
    const [wallet] = await findWallets(sql, chain_id, [address])
    if (wallet?.next_nonce !== next_nonce || wallet.state === 'stopped') return 0
    const signed = await during('chain', 'sign', orders.length, () =>
      signFrom(rail, wallet, orders),
    )
    return signed.length === 0
      ? 0
      : during('chain', 'reserve', signed.length, () => commit(rail, wallet, holder, signed))
  })
  if ((reserved ?? 0) > 0) rail.committed()
  return reserved ?? 0
}

/** Signs with successive nonces, at once. Drops all from the first failure on: no gap follows. */
async function signFrom(rail: OpenEvmRail, wallet: Wallet, orders: readonly Checked[]) {
  const signer = rail.signers.get(wallet.address)
  if (signer === undefined) throw new Error(`rail ${rail.name} has no signer of ${wallet.address}`)
  const signing = orders.map(async (one, i): Promise<Signed> => {
    const nonce = wallet.next_nonce + BigInt(i)
    const transaction = transactionOf(rail, one, nonce)
    const { raw, hash } = await signTransaction(transaction, signer)
    const place = { chain_id: wallet.chain_id, wallet: wallet.address, nonce }
    const { gas, max_fee, tip } = transaction
    const bytes = { hash, ...place, number: 1, kind: 'pay', raw, gas, max_fee, tip } as const
    const { to_contract, order } = one
    const { uetr } = order.payout.attempt
    const facts = { state: 'signed', to_contract, uetr } as const
    const slot = { ...slotOf(rail, order), ...place, ...facts }
    return { one, slot, transaction: bytes }
  })
  const results = await Promise.allSettled(signing)
  const failed = results.findIndex(({ status }) => status === 'rejected')
  const failure = results[failed]
  if (failure?.status === 'rejected') {
    const facts = { rail: rail.name, wallet: wallet.address, err: failure.reason }
    rail.log.error(facts, 'a payment could not be signed: it waits, and so do those behind it')
  }
  const whole = failed === -1 ? results : results.slice(0, failed)
  return whole.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}

function transactionOf({ config }: OpenEvmRail, one: Checked, nonce: bigint): Eip1559 {
  const { order, gas, fees } = one
  const { token: to, calldata: data } = order
  return { chain_id: config.chain.id, nonce, ...fees, gas, to, value: 0n, data }
}

function slotOf({ name, config }: OpenEvmRail, order: Order | Refused) {
  const { key, currency, amount, units, token, payee, calldata } = order
  const content = { currency, amount, units, token, payee, calldata }
  return { ...key, rail: name, chain_id: config.chain.id, purpose: 'pay', ...content } as const
}

/** Resolves with the number of payments that have slots. */
async function commit(
  rail: OpenEvmRail,
  wallet: Wallet,
  holder: string,
  signed: readonly Signed[],
): Promise<number> {
  const keys = signed.map(({ one }) => one.order.key)
  return transactHouse(rail.sql, accountsOf(keys), async tx => {
    const { judge } = await judgeWaiting(tx, keys)
    // A standby that was promoted may lack what was sent.
    if (!(await isNoted(tx))) return 0
    const first_over = keys.findIndex(key => judge(key) !== 'waiting')
    const kept = first_over === -1 ? signed : signed.slice(0, first_over)
    if (kept.length === 0) return 0
    if (!(await reserveNonces(tx, wallet, kept.length, holder))) return 0
    await insertSlots(
      tx,
      kept.map(({ slot }) => slot),
    )
    await insertTransactions(
      tx,
      kept.map(({ transaction }) => transaction),
    )
    return kept.length
  })
}

/** An attempt that the rail refuses. What it cannot read of the order is ''. */
export interface Refused extends Pick<NewSlot, 'currency' | 'amount' | 'units'> {
  readonly key: SlotKey
  readonly token: Hex | ''
  readonly payee: Hex | ''
  readonly calldata: Hex | ''
  readonly reason: RefusedFor
  readonly message: string
}

const REFUSED = {
  state: 'refused',
  wallet: '',
  nonce: null,
  to_contract: false,
  uetr: '',
} as const

/**
 * Refuses an attempt for ever, under the key that a payment of it would have: no other process
 * signs what this one has refused. Fails when the attempt has a slot already.
 */
export async function refuse(rail: OpenEvmRail, refused: Refused): Promise<void> {
  const { key, reason, message } = refused
  const chain_id = rail.config.chain.id
  const about = { key, rail: rail.name, chain_id, code: 'refused', hash: '' } as const
  await transactHouse(rail.sql, [key.account_id], async tx => {
    const { judge } = await judgeWaiting(tx, [key])
    if (judge(key) !== 'waiting' || !(await isNoted(tx))) return
    await insertSlots(tx, [{ ...slotOf(rail, refused), ...REFUSED }])
    await addEvidence(tx, [evidenceOf({ ...about, reason, message })])
  })
}
