// What the providers have seen of a slot, and what follows: the one place that says whether a
// payment is paid or dead. Only a receipt in a block that is on the chain says either. A payment is
// paid once its block is settled, and dead only once its block is final: another attempt may follow
// what is dead. No receipt, an error, or one provider alone says nothing. Pure.
import { type Instant, plusMilliseconds } from '../../values/instant.ts'
import type { Block, Hex, Receipt, Transfer } from './chain.ts'
import type { Slot, SlotTransaction } from './slot.ts'

/** What a quorum of providers has answered; absent or null where there was no quorum. */
export interface Seen {
  /** The newest final block. */
  readonly final: Pick<Block, 'number'> | null
  /** The newest block whose payments count as paid. */
  readonly settled: Pick<Block, 'number'> | null
  /** By hash of a transaction; null: it is in no block. */
  readonly receipts: ReadonlyMap<Hex, Receipt | null>
  /** The hash of the block that is on the chain, by number; null: the chain ends before it. */
  readonly canonical: ReadonlyMap<bigint, Hex | null>
  /** The wallet's next nonce at the final block. */
  readonly final_nonce: bigint | null
  readonly now: Instant
}

type Known = Pick<Slot, 'wallet' | 'nonce' | 'token' | 'payee' | 'units' | 'state' | 'suspect_at'>
type KnownTransaction = Pick<SlotTransaction, 'hash' | 'kind' | 'block' | 'block_hash'>

/**
 * What follows for a slot. `none` changes nothing. `suspect` notes that another transaction seems
 * to have the nonce, and `cleared` takes that back.
 */
export type SlotStep =
  | { readonly step: 'none' }
  | { readonly step: 'suspect' | 'cleared' | 'foreign' }
  | { readonly step: 'mined'; readonly receipt: Receipt }
  /** The transaction is in its block no more. */
  | { readonly step: 'reorged'; readonly lost: KnownTransaction }
  | { readonly step: 'paid'; readonly receipt: Receipt; readonly transfer: Transfer }
  | { readonly step: 'reverted' | 'voided'; readonly receipt: Receipt }
  | { readonly step: 'differs'; readonly receipt: Receipt; readonly message: string }

const NONE: SlotStep = { step: 'none' }

/** A nonce that is not ours is looked at again after this time before anything follows. */
export const FOREIGN_AFTER_MS = 600_000

export function decide(
  slot: Known,
  transactions: readonly KnownTransaction[],
  seen: Seen,
): SlotStep {
  const lost = transactions.find(one => isLost(one, seen))
  // A rail that settles on a number of blocks may have called it paid too early.
  if (slot.state === 'paid' && lost !== undefined) return { step: 'reorged', lost }
  if (isOver(slot)) return NONE
  const receipts = transactions.flatMap(({ hash }) => seen.receipts.get(hash) ?? [])
  const [receipt, another] = receipts.filter(one => isOnChain(one, seen))
  // One nonce has one transaction: providers that know two contradict themselves.
  if (another !== undefined) return NONE
  if (receipt !== undefined) return ofReceipt(slot, transactions, receipt, seen)
  if (slot.state === 'mined') return lost === undefined ? NONE : { step: 'reorged', lost }
  return ofNonce(slot, transactions, seen)
}

function isOver({ state }: Known): boolean {
  return !['signed', 'sent', 'mined', 'stopped'].includes(state)
}

function isOnChain({ block, block_hash }: Receipt, { canonical }: Seen): boolean {
  return canonical.get(block) === block_hash
}

/** Whether the block in which the transaction was is not on the chain any more. */
function isLost({ block, block_hash }: KnownTransaction, { canonical }: Seen): boolean {
  if (block === null) return false
  const now = canonical.get(block)
  return now !== undefined && now !== block_hash
}

function ofReceipt(
  slot: Known,
  transactions: readonly KnownTransaction[],
  receipt: Receipt,
  { final, settled, final_nonce }: Seen,
): SlotStep {
  const transaction = transactions.find(({ hash }) => hash === receipt.hash)
  if (transaction === undefined) return NONE
  const is_known =
    slot.state === 'mined' &&
    transaction.block === receipt.block &&
    transaction.block_hash === receipt.block_hash
  if (!is_known) {
    const before = transactions.find(({ block }) => block !== null)
    if (slot.state === 'mined' && before !== undefined) return { step: 'reorged', lost: before }
    return { step: 'mined', receipt }
  }
  const end = endOf(slot, transaction, receipt)
  const is_final = final !== null && receipt.block <= final.number
  // The wallet's nonce at the final block counts the transaction, if that is in it.
  if (is_final && final_nonce !== null && final_nonce <= slot.nonce) return NONE
  const is_settled = settled !== null && receipt.block <= settled.number
  return (end.step === 'paid' ? is_settled : is_final) ? end : NONE
}

/** What follows once the receipt's block is as old as it must be. */
function endOf(slot: Known, { kind }: KnownTransaction, receipt: Receipt): SlotStep {
  if (kind === 'void') return { step: 'voided', receipt }
  return receipt.succeeded ? ofTransfers(slot, receipt) : { step: 'reverted', receipt }
}

/** The most transfers that a message names. */
const MOST_SHOWN = 3

/** A success moves exactly what was ordered, once; some tokens succeed and move nothing. */
function ofTransfers({ wallet, token, payee, units }: Known, receipt: Receipt): SlotStep {
  const moved = receipt.transfers.filter(one => one.token === token)
  const [transfer, another] = moved
  const is_ours =
    transfer?.sender === wallet && transfer.receiver === payee && transfer.units === units
  if (transfer !== undefined && another === undefined && is_ours) {
    return { step: 'paid', receipt, transfer }
  }
  const shown = moved.slice(0, MOST_SHOWN)
  const words = shown.map(one => `${one.units} from ${one.sender} to ${one.receiver}`)
  const found = [...words, ...(moved.length > MOST_SHOWN ? ['more'] : [])].join(', ')
  const message =
    `The token moved ${found || 'nothing'}, and ${units} from ${wallet} to ${payee} was ordered ` +
    '(in its smallest unit).'
  return { step: 'differs', receipt, message }
}

/** What follows from the wallet's nonce, when no receipt of the slot is known. */
function ofNonce(
  slot: Known,
  transactions: readonly KnownTransaction[],
  { final_nonce, receipts, now }: Seen,
): SlotStep {
  const is_in_no_block = transactions.every(({ hash }) => receipts.get(hash) === null)
  if (final_nonce === null || !is_in_no_block || slot.state === 'stopped') return NONE
  if (final_nonce <= slot.nonce) return slot.suspect_at === null ? NONE : { step: 'cleared' }
  if (slot.suspect_at === null) return { step: 'suspect' }
  return now >= plusMilliseconds(slot.suspect_at, FOREIGN_AFTER_MS) ? { step: 'foreign' } : NONE
}
