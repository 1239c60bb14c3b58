// Looks at what the chain says of open payments, and writes what follows: evidence, states and
// blocks in one transaction. What ends wakes its payout.
import { wakePayouts } from '../../payouts/advance/wake-store.ts'
import type { NewEvidence } from '../../rails/evidence.ts'
import { addEvidence } from '../../rails/evidence-store.ts'
import { transactConfined } from '../../sql/confine.ts'
import { classify } from '../../sql/failure.ts'
import { accountsOf } from '../../sql/shard.ts'
import { during } from '../../values/diagnostics.ts'
import type { Instant } from '../../values/instant.ts'
import type { Receipt } from './chain.ts'
import { decide, type SlotStep } from './decide.ts'
import { type Code, evidenceOf, type Facts } from './evidence.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import { lookAt } from './seen.ts'
import type { OpenSlot } from './send.ts'
import type { Slot, SlotState } from './slot.ts'
import { noteSuspects, type SlotChange, stepSlots, transactHouse } from './slot-store.ts'
import { adoptTagged } from './tagged.ts'
import { noteMined, noteReorged } from './transaction-store.ts'
import { stopWallet } from './wallet-store.ts'

/** What follows for one slot. */
interface Found {
  readonly slot: Slot
  readonly step: Exclude<SlotStep, { readonly step: 'none' }>
  readonly evidence: readonly NewEvidence[]
}

/** The most steps of one transaction. */
const AT_ONCE = 200

/** Looks once. Returns whether something has changed, so that the slots are read again. */
export async function watchOpen(
  rail: OpenEvmRail,
  open: readonly OpenSlot[],
  now: Instant,
): Promise<boolean> {
  if (open.length === 0) return false
  const look = await lookAt(rail, open, now)
  const found = await eachOf(open, async ({ slot, transactions }): Promise<Found[]> => {
    const step = decide(slot, transactions, look(slot))
    if (step.step === 'none') return []
    if (step.step === 'foreign') {
      const tagged = await adoptTagged(rail, { slot, transactions })
      if (tagged !== 'none') return []
    }
    return [{ slot, step, evidence: await evidenceFor(rail, slot, step) }]
  })
  // A block that is gone comes first: what a later one has is written once that is.
  const all = found.flat().toSorted((a, b) => rankOf(a) - rankOf(b))
  for (let i = 0; i < all.length; i += AT_ONCE) {
    await writeEach(rail, all.slice(i, i + AT_ONCE), now)
  }
  return all.length > 0
}

/**
 * One that cannot be written hinders no other: each is then written alone. Rejects all the same.
 */
async function writeEach(rail: OpenEvmRail, found: readonly Found[], now: Instant): Promise<void> {
  try {
    await write(rail, found, now)
  } catch (error) {
    if (found.length > 1 && classify(error) === 'fault') {
      for (const one of found) await write(rail, [one], now).catch(() => {})
    }
    throw error
  }
}

const rankOf = ({ step }: Found) => (step.step === 'reorged' ? 0 : 1)

const CODES: { readonly [S in Found['step']['step']]?: Code } = {
  mined: 'mined',
  reorged: 'reorged',
  paid: 'final',
  reverted: 'reverted',
  voided: 'voided',
  differs: 'differs',
  foreign: 'foreign',
}

async function evidenceFor(rail: OpenEvmRail, slot: Slot, step: Found['step']) {
  const code = CODES[step.step]
  // A payment of the house has no attempt.
  if (code === undefined || slot.purpose === 'house') return []
  const { chain_id } = slot
  const receipt = 'receipt' in step ? step.receipt : undefined
  const lost = 'lost' in step ? step.lost : undefined
  const hash = receipt?.hash ?? lost?.hash ?? ''
  const at = receipt ?? lost
  const facts: Facts = {
    ...{ key: slot, rail: slot.rail, chain_id, code, hash },
    ...(at !== undefined && { at }),
    ...(await factsOf(rail, slot, step)),
  }
  return [evidenceOf(facts)]
}

async function factsOf(
  { chain }: OpenEvmRail,
  slot: Slot,
  step: Found['step'],
): Promise<Partial<Facts>> {
  const { amount, currency, token, payee, wallet, units, nonce } = slot
  switch (step.step) {
    case 'paid':
      return { amount, currency }
    case 'voided':
      return {
        ...(slot.void_as !== '' && { reason: slot.void_as }),
        message: `${slot.void_by} gave the payment up: ${slot.void_reason}`,
      }
    case 'reverted': {
      const [frozen, simulated] = await Promise.all([
        chain.frozen(payee, token),
        chain.simulate({ wallet, token, payee, units }),
      ])
      const is_frozen = 'agreed' in frozen && frozen.agreed
      const said = 'agreed' in simulated && 'reverted' in simulated.agreed ? simulated.agreed : null
      const why = is_frozen
        ? `The issuer of ${currency} has frozen the address.`
        : 'The transfer reverted, and moved nothing.'
      const reason = is_frozen ? 'frozen' : 'reverted'
      return { reason, message: said?.reverted ? `${why} The token says: ${said.reverted}.` : why }
    }
    case 'differs':
      return { message: step.message }
    case 'foreign':
      return { message: `Another transaction has nonce ${nonce} of wallet ${wallet}.` }
    default:
      return {}
  }
}

const TO: { readonly [S in Found['step']['step']]?: SlotState } = {
  mined: 'mined',
  reorged: 'sent',
  paid: 'paid',
  reverted: 'reverted',
  voided: 'voided',
  differs: 'differs',
  foreign: 'stopped',
}

const ENDS: readonly Found['step']['step'][] = ['paid', 'reverted', 'voided', 'differs', 'foreign']

async function write(rail: OpenEvmRail, found: readonly Found[], now: Instant): Promise<void> {
  const { sql, log, name } = rail
  const evidence = found.flatMap(one => one.evidence)
  const with_receipt = found.filter(({ step }) => 'receipt' in step)
  const changes = found.flatMap(({ slot, step }): SlotChange[] => {
    const to = TO[step.step]
    return to === undefined ? [] : [{ ...slot, from: slot.state, to }]
  })
  const slotsOf = (which: Found['step']['step']) =>
    found.filter(({ step }) => step.step === which).map(({ slot }) => slot)
  const lost = found.flatMap(({ step }) => (step.step === 'reorged' ? [step.lost.hash] : []))
  const foreign = slotsOf('foreign')
  await during('chain', 'watch', found.length, () =>
    transactHouse(sql, accountsOf(evidence), async tx => {
      await addEvidence(tx, evidence)
      await noteMined(
        tx,
        with_receipt.map(({ step }) => (step as { receipt: Receipt }).receipt),
      )
      await noteReorged(tx, lost)
      await stepSlots(tx, changes)
      await noteSuspects(tx, slotsOf('suspect'), now)
      await noteSuspects(tx, slotsOf('cleared'), null)
      for (const { chain_id, wallet: address, nonce } of foreign) {
        const words = `another transaction has nonce ${nonce}, and no payment of ours is known`
        await stopWallet(tx, { chain_id, address }, 'foreign_transaction', words)
      }
    }),
  )
  for (const { wallet, nonce } of foreign) {
    const facts = { rail: name, wallet, nonce: String(nonce) }
    log.error(facts, 'another transaction has a nonce of ours: the wallet is stopped')
  }
  // A payment that was called paid, and is in no block any more, is news as well.
  const isNews = ({ slot, step }: Found) => ENDS.includes(step.step) || slot.state === 'paid'
  await wake(rail, found.filter(isNews))
}

/** If it fails, the rail is asked at the time of its last report. */
async function wake({ sql, log, name }: OpenEvmRail, ended: readonly Found[]): Promise<void> {
  const news = ended
    .filter(({ slot }) => slot.purpose === 'pay')
    .map(({ slot: { account_id, payout_id: id, attempt } }) => ({ account_id, id, attempt }))
  if (news.length === 0) return
  try {
    await transactConfined(sql, accountsOf(news), tx => wakePayouts(tx, news))
  } catch (error) {
    log.warn({ err: error, rail: name }, 'payouts with news of the chain were not woken')
  }
}
