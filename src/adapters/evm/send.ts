// Sends the committed bytes of payments to the providers, in the order of their nonces, again and
// again until a block has them. The lowest open payment that no block takes gets higher fees, under
// the same nonce: its new bytes are committed before they are sent.
import { SERVICE } from '../../accounts/user/user.ts'
import { judgeWaiting } from '../../payouts/advance/still-waits.ts'
import { addEvidence } from '../../rails/evidence-store.ts'
import { listPaused } from '../../rails/row-store.ts'
import { accountsOf } from '../../sql/shard.ts'
import { during } from '../../values/diagnostics.ts'
import type { Instant } from '../../values/instant.ts'
import type { Chain, Hex } from './chain.ts'
import { evidenceOf } from './evidence.ts'
import { bumpedFees, type Fees } from './fees.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import type { Eip1559 } from './signer.ts'
import {
  isUnmined,
  MOST_PAYMENTS,
  MOST_TRANSACTIONS,
  placeName,
  type Slot,
  type SlotTransaction,
} from './slot.ts'
import { giveUp, stepSlots, transactHouse } from './slot-store.ts'
import { signTransaction } from './transaction.ts'
import {
  insertTransactions,
  listTransactions,
  type NewTransaction,
  noteSent,
  type SendNote,
} from './transaction-store.ts'
import { findWallets } from './wallet-store.ts'

/** A slot with its transactions, by number. */
export interface OpenSlot {
  readonly slot: Slot
  readonly transactions: readonly SlotTransaction[]
}

type Market = Awaited<ReturnType<Chain['market']>>

/** When a provider took bytes last, by their hash, by performance.now(). */
export type TakenAt = Map<Hex, number>

/**
 * Sends what was signed since the round before: no block can have it, so nothing is asked before.
 * Returns whether there was any.
 */
export async function sendSigned(
  rail: OpenEvmRail,
  open: readonly OpenSlot[],
  taken_at: TakenAt,
): Promise<boolean> {
  const signed = open.filter(({ slot }) => slot.state === 'signed')
  if (signed.length === 0 || rail.isPaused()) return false
  await eachWallet(rail, signed, async slots => {
    // What a person has given up is replaced first.
    const at = slots.findIndex(({ slot }) => slot.void_as !== '')
    await sendOf(rail, await upToHeld(rail, at === -1 ? slots : slots.slice(0, at)), taken_at)
  })
  return true
}

/**
 * Sends what is in no block yet: at once what no provider has taken, and the rest once a block. The
 * lowest number of a wallet gets higher fees where it waits. `taken_at` has the times of this
 * process.
 */
export async function sendDue(
  rail: OpenEvmRail,
  open: readonly OpenSlot[],
  now: Instant,
  taken_at: TakenAt,
): Promise<void> {
  const unmined = open.filter(({ slot }) => isUnmined(slot))
  // What a reorganization takes back goes out at once.
  const hashes = new Set(unmined.map(({ transactions }) => transactions.at(-1)?.hash))
  for (const hash of taken_at.keys()) if (!hashes.has(hash)) taken_at.delete(hash)
  if (unmined.length === 0 || rail.isPaused()) return
  const market = await rail.chain.market()
  await eachWallet(rail, unmined, async slots => {
    const held = await upToHeld(rail, await replaceDue(rail, slots, market, now))
    await sendOf(rail, held, taken_at)
  })
}

/** Sends for each wallet that is not stopped. One that fails delays no other. */
async function eachWallet(
  rail: OpenEvmRail,
  all: readonly OpenSlot[],
  send: (in_order: readonly OpenSlot[]) => Promise<void>,
): Promise<void> {
  const by_wallet = [...Map.groupBy(all, ({ slot }) => slot.wallet)]
  const wallets = await findWallets(
    rail.sql,
    rail.config.chain.id,
    by_wallet.map(([w]) => w),
  )
  const active = new Set(wallets.filter(({ state }) => state === 'active').map(w => w.address))
  const sending = by_wallet.filter(([wallet]) => active.has(wallet))
  const failures = await eachOf(sending, async ([wallet, slots]) => {
    try {
      await send(slots.toSorted((a, b) => (a.slot.nonce < b.slot.nonce ? -1 : 1)))
      return undefined
    } catch (error) {
      rail.log.warn({ err: error, rail: rail.name, wallet }, 'payments of a wallet were not sent')
      return error
    }
  })
  const failure = failures.find(error => error !== undefined)
  if (failure !== undefined) throw failure
}

/**
 * The slots up to the first that was never sent and may not be now. Its payout does not wait for it
 * any more, since a person may have ended it; if it is over, its number goes to nobody. Or its rail
 * is paused, which may be another one with the same wallet.
 */
async function upToHeld(
  { sql, log, name }: OpenEvmRail,
  slots: readonly OpenSlot[],
): Promise<readonly OpenSlot[]> {
  const fresh = slots.filter(
    ({ slot, transactions }) =>
      slot.purpose === 'pay' &&
      slot.void_as === '' &&
      transactions.every(({ sends, raw }) => sends === 0 && raw !== ''),
  )
  if (fresh.length === 0) return slots
  const keys = fresh.map(({ slot }) => slot)
  const paused = await listPaused(sql, new Set(keys.map(({ rail }) => rail)))
  const held = await transactHouse(sql, accountsOf(keys), async tx => {
    const { judge } = await judgeWaiting(tx, keys)
    for (const slot of keys.filter(key => judge(key) === 'over'))
      await giveUp(tx, slot, PAYOUT_OVER)
    return keys.filter(key => judge(key) !== 'waiting' || paused.includes(key.rail))
  })
  const at = slots.findIndex(({ slot }) => held.includes(slot))
  if (at === -1) return slots
  const facts = { rail: name, payout_id: slots[at]?.slot.payout_id }
  log.warn(facts, 'a signed payment is not sent: its payout or its rail does not wait for it')
  return slots.slice(0, at)
}

const PAYOUT_OVER = {
  as: 'fail',
  by: SERVICE,
  reason: 'The payout was over before its payment was sent.',
} as const

/** Sends the last bytes of the slots that are due, up to those behind which a gap could come. */
async function sendOf(
  rail: OpenEvmRail,
  slots: readonly OpenSlot[],
  taken_at: TakenAt,
): Promise<void> {
  if (rail.isPaused()) return
  const before = performance.now() - rail.config.chain.block_ms
  const due = slots.flatMap(one => {
    const last = one.transactions.at(-1)
    // A transaction of the chain that was found by its tag has no bytes here.
    if (last === undefined || last.raw === '') return []
    return (taken_at.get(last.hash) ?? before) <= before ? [{ one, ...last, raw: last.raw }] : []
  })
  if (due.length === 0) return
  const raws = due.map(({ raw }) => raw)
  const said = await during('chain', 'send', due.length, () => rail.chain.broadcast(raws))
  const sent = due.slice(0, said.length).map(({ one, hash }, i) => {
    const { taken = 'unclear', answers = '' } = said[i] ?? {}
    return { one, note: { hash, taken: taken === 'taken', answer: answers } }
  })
  const at = performance.now()
  for (const { note } of sent) if (note.taken) taken_at.set(note.hash, at)
  if (sent.length > 0) await during('chain', 'note', sent.length, () => noteSending(rail, sent))
}

/** Notes what was sent, with evidence of bytes that a provider has for the first time. */
async function noteSending(
  { sql }: OpenEvmRail,
  sent: readonly { readonly one: OpenSlot; readonly note: SendNote }[],
): Promise<void> {
  const taken = sent.filter(({ note }) => note.taken)
  const fresh = taken.filter(({ one }) => one.transactions.at(-1)?.sends === 0)
  const evidence = fresh
    .filter(({ one }) => one.slot.purpose === 'pay')
    .map(({ one: { slot, transactions }, note }) =>
      evidenceOf({
        ...{ key: slot, rail: slot.rail, chain_id: slot.chain_id, hash: note.hash },
        code: transactions.length === 1 ? 'sent' : 'replaced',
        message: transactions.at(-1)?.kind === 'void' ? 'The payment is given up.' : '',
      }),
    )
  const begun = taken.filter(({ one }) => one.slot.state === 'signed')
  await transactHouse(sql, accountsOf(evidence), async tx => {
    await addEvidence(tx, evidence)
    await noteSent(
      tx,
      sent.map(({ note }) => note),
    )
    await stepSlots(
      tx,
      begun.map(({ one: { slot } }) => ({ ...slot, from: 'signed', to: 'sent' })),
    )
  })
}

/** The slots with new bytes where they are due. */
async function replaceDue(
  rail: OpenEvmRail,
  slots: readonly OpenSlot[],
  market: Market,
  now: Instant,
): Promise<readonly OpenSlot[]> {
  const due = slots.filter((one, i) => isReplaceDue(rail, one, i === 0, market, now))
  if (due.length === 0 || !('agreed' in market)) return slots
  for (const one of due) await replace(rail, one, market.agreed)
  const places = due.map(({ slot }) => slot)
  const again = Map.groupBy(await listTransactions(rail.sql, places), placeName)
  return slots.map(one => ({
    ...one,
    transactions: again.get(placeName(one.slot)) ?? one.transactions,
  }))
}

function isReplaceDue(
  { config }: OpenEvmRail,
  { slot, transactions }: OpenSlot,
  is_lowest: boolean,
  market: Market,
  now: Instant,
): boolean {
  const last = transactions.at(-1)
  // Nobody gives a payment of the house up.
  const is_left = slot.purpose === 'pay' && slot.void_as === ''
  const most = is_left ? MOST_PAYMENTS : MOST_TRANSACTIONS
  if (last === undefined || last.number >= most || !('agreed' in market)) return false
  if (last.raw === '') return false
  // What a person has given up is replaced at once, wherever it stands.
  if (slot.void_as !== '' && last.kind === 'pay') return true
  if (!is_lowest) return false
  const { base_fee, tip } = market.agreed
  if (last.max_fee < base_fee + tip) return true
  const waits_ms = config.bump_after_blocks * config.chain.block_ms * 2 ** (last.number - 1)
  const sent_at = last.first_sent_at
  return sent_at !== null && Date.parse(now) - Date.parse(sent_at) >= waits_ms
}

/** Signs and commits new bytes of a slot, unless their fees would be above a cap. */
async function replace(
  rail: OpenEvmRail,
  { slot, transactions }: OpenSlot,
  market: { readonly base_fee: bigint; readonly tip: bigint },
): Promise<void> {
  const last = transactions.at(-1)
  const signer = rail.signers.get(slot.wallet)
  if (last === undefined || signer === undefined) return
  const fees = bumpedFees(transactions, market, rail.config, last.gas)
  if (fees === 'too_dear') return
  const kind = slot.void_as === '' ? 'pay' : 'void'
  const transaction = transactionOf(slot, kind, fees, last.gas)
  const { raw, hash } = await signTransaction(transaction, signer)
  const { chain_id, wallet, nonce } = slot
  const { gas, max_fee, tip } = transaction
  const added: NewTransaction = {
    ...{ hash, chain_id, wallet, nonce, number: last.number + 1, kind, raw, gas, max_fee, tip },
  }
  await during('chain', 'replace', 1, () =>
    transactHouse(rail.sql, [], tx => insertTransactions(tx, [added])),
  )
  rail.log.info({ rail: rail.name, wallet, nonce: String(nonce), kind }, 'a payment has new fees')
}

/** The payment again, or a transfer of nothing to ourselves, under the slot's nonce. */
function transactionOf(slot: Slot, kind: 'pay' | 'void', fees: Fees, gas: bigint): Eip1559 {
  const { chain_id, nonce, wallet, token, calldata } = slot
  const to: { readonly to: Hex; readonly data: Hex } =
    kind === 'pay' ? { to: token, data: calldata } : { to: wallet, data: '0x' }
  return { chain_id, nonce, ...fees, gas, value: 0n, ...to }
}
