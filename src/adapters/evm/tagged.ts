// Finds a payment again by its tag: a transaction of the wallet that this database has not signed,
// or has lost, and that says which attempt it paid.

import { attemptId } from '../../rails/attempt.ts'
import { behindArguments, tagOf } from './abi.ts'
import type { Hex, SeenTransaction } from './chain.ts'
import type { OpenEvmRail } from './open.ts'
import { scanTransfers } from './scan.ts'
import type { OpenSlot } from './send.ts'
import { MOST_TRANSACTIONS, type Slot } from './slot.ts'
import { transactHouse } from './slot-store.ts'
import { insertTransactions, type NewTransaction } from './transaction-store.ts'
import { listUnexplained } from './transfer-store.ts'

/**
 * Looks for the transaction that has the nonce of a slot. When it has the slot's tag, it becomes a
 * transaction of the slot, and its receipt decides. Returns whether it has.
 */
export async function adoptTagged(
  rail: OpenEvmRail,
  { slot, transactions }: OpenSlot,
): Promise<boolean> {
  const number = (transactions.at(-1)?.number ?? 0) + 1
  if (slot.purpose !== 'pay' || number > MOST_TRANSACTIONS) return false
  await scanTransfers(rail)
  const { sql, chain, log, name } = rail
  for (const hash of await listUnexplained(sql, slot.chain_id, slot.wallet)) {
    const known = await chain.transaction(hash)
    if (!('agreed' in known) || known.agreed === null) continue
    if (known.agreed.nonce !== slot.nonce || known.agreed.sender !== slot.wallet) continue
    const attempt = attemptId(slot.payout_id, slot.attempt)
    if (behindArguments(known.agreed.data) !== tagOf(attempt)) return false
    if (transactions.some(one => one.hash === hash)) return true
    await transactHouse(sql, [], tx =>
      insertTransactions(tx, [
        foundTransaction(slot, number, hash, known.agreed as SeenTransaction),
      ]),
    )
    const facts = { rail: name, wallet: slot.wallet, nonce: String(slot.nonce), hash }
    log.warn(facts, 'a transaction that was not signed here has the tag of a payment')
    return true
  }
  return false
}

/** A transaction of the chain as one of a slot, without its bytes. */
export function foundTransaction(
  { chain_id, wallet, nonce }: Pick<Slot, 'chain_id' | 'wallet' | 'nonce'>,
  number: number,
  hash: Hex,
  { gas, max_fee }: Pick<SeenTransaction, 'gas' | 'max_fee'>,
): NewTransaction {
  const place = { chain_id, wallet, nonce }
  return { hash, ...place, number, kind: 'pay', raw: '', gas, max_fee, tip: 0n }
}
