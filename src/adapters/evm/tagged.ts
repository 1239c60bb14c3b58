// Finds a payment again by its tag: a transaction of the wallet that this database has not signed,
// or has lost, and that says which attempt it paid.

import { attemptId } from '../../rails/attempt.ts'
import { plusMilliseconds } from '../../values/instant.ts'
import { behindArguments, tagOf } from './abi.ts'
import type { Hex, SeenTransaction } from './chain.ts'
import type { OpenEvmRail } from './open.ts'
import { scanTransfers } from './scan.ts'
import type { OpenSlot } from './send.ts'
import { MOST_TRANSACTIONS, type Slot } from './slot.ts'
import { transactHouse } from './slot-store.ts'
import { insertTransactions, type NewTransaction } from './transaction-store.ts'
import { listUnexplained } from './transfer-store.ts'

/** The clock of a block may be so far behind the database's. */
export const CLOCKS_MS = 3_600_000

/** The most transactions that are looked at for one slot. */
const MOST_FOUND = 500

/**
 * Looks for the transaction that has the nonce of a slot. When it has the slot's tag, it becomes a
 * transaction of the slot, and its receipt decides. `unknown`: the transfers are not read up to the
 * newest final block, or the providers do not agree about a transaction.
 */
export async function adoptTagged(
  rail: OpenEvmRail,
  { slot, transactions }: OpenSlot,
): Promise<'found' | 'none' | 'unknown'> {
  const number = (transactions.at(-1)?.number ?? 0) + 1
  if (slot.purpose !== 'pay' || number > MOST_TRANSACTIONS) return 'none'
  if (!(await scanTransfers(rail))) return 'unknown'
  const { sql, chain, log, name } = rail
  const { chain_id, wallet: sender, token, made_at } = slot
  const left = { chain_id, sender, tokens: [token], since: plusMilliseconds(made_at, -CLOCKS_MS) }
  const hashes = await listUnexplained(sql, left, MOST_FOUND)
  let is_known = hashes.length < MOST_FOUND
  for (const hash of hashes) {
    const known = await chain.transaction(hash)
    if (!('agreed' in known) || known.agreed === null) {
      is_known = false
      continue
    }
    if (known.agreed.nonce !== slot.nonce || known.agreed.sender !== sender) continue
    if (behindArguments(known.agreed.data) !== tagOf(attemptId(slot.payout_id, slot.attempt))) {
      return 'none'
    }
    const found = foundTransaction(slot, number, hash, known.agreed)
    await transactHouse(sql, [], tx => insertTransactions(tx, [found]))
    const facts = { rail: name, wallet: sender, nonce: String(slot.nonce), hash }
    log.warn(facts, 'a transaction that was not signed here has the tag of a payment')
    return 'found'
  }
  return is_known ? 'none' : 'unknown'
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
