// The adapter of a rail of files: takes attempts as items that wait for a file, and reports by
// their evidence. It never forgets an attempt, so it can prove that it never got one.
import { CANNOT_CARRY, faultWords } from '../../rails/carriage.ts'
import type { Rail, RailPayout, RailReport } from '../../rails/rail.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import { databaseNow, type TransactionSql } from '../../sql/connect.ts'
import { during } from '../../values/diagnostics.ts'
import { carriedPayment, faultsOf } from './carriage.ts'
import type { OpenFileRail } from './config.ts'
import { findFiles } from './file-store.ts'
import { endToEndIdOf } from './ids.ts'
import {
  type FoundItem,
  findItems,
  type ItemKey,
  insertItems,
  itemName,
  listEvidence,
  type NewItem,
} from './item-store.ts'
import { reportOf } from './report.ts'
import { type Slot, slotOf } from './slot.ts'
import { readProofs } from './unread.ts'
import { accountsOf, listBookedAttempts } from './waiting.ts'

export function fileRail(rail: OpenFileRail): Rail {
  return {
    name: rail.name,
    key_lifetime_ms: null,
    submit: payouts => each(payouts, () => take(rail, payouts)),
    inquire: payouts => each(payouts, () => inquire(rail, payouts)),
  }
}

type Reports = ReadonlyMap<string, RailReport>

/** Asks the database once for all payouts, and returns a promise for each. */
function each<R>(payouts: readonly RailPayout[], ask: () => Promise<ReadonlyMap<string, R>>) {
  const reports = ask()
  return payouts.map(async ({ attempt }) => (await reports).get(attempt.id) as R)
}

/** Takes each attempt once. Reports on all of them, including attempts that were taken before. */
async function take(rail: OpenFileRail, payouts: readonly RailPayout[]): Promise<Reports> {
  const now = await databaseNow(rail.sql)
  const slot = slotOf(rail.config.timetable, now)
  const refusals = new Map<string, RailReport>()
  const items = payouts.flatMap((payout): NewItem[] => {
    const item = itemOf(rail, payout)
    if (!('messages' in item)) return [{ ...item, ...slot }]
    refusals.set(payout.attempt.id, notTaken(item.messages))
    return []
  })
  await during('file', 'take', items.length, () =>
    transactConfined(rail.sql, accountsOf(payouts), tx => insertItems(tx, items)),
  )
  // The report of an attempt that was taken before replaces today's refusal.
  return new Map([...refusals, ...(await inquire(rail, payouts))])
}

type ItemWithoutSlot = Omit<NewItem, keyof Slot>

/** The item of a payout, or why a file of this rail cannot carry it. */
function itemOf(
  { name, format, config }: OpenFileRail,
  payout: RailPayout,
): ItemWithoutSlot | { readonly messages: readonly string[] } {
  const { attempt, destination_amount: amount, destination_currency: currency } = payout
  const ids = { end_to_end_id: endToEndIdOf(attempt.id), uetr: attempt.uetr }
  const found = carriedPayment(format, config, payout, ids)
  if ('messages' in found) return found
  return { ...keyOf(payout), ...ids, rail: name, amount, currency, payment: found.payment }
}

function notTaken(messages: readonly string[]): RailReport {
  return {
    steps: [],
    ask_again_in_ms: null,
    not_taken: { code: CANNOT_CARRY, message: faultWords(faultsOf(messages)) },
  }
}

async function inquire(rail: OpenFileRail, payouts: readonly RailPayout[]): Promise<Reports> {
  const keys = payouts.map(keyOf)
  const accounts = accountsOf(payouts)
  const items = await readConfined(rail.sql, accounts, tx => findItems(tx, keys))
  const proofOf = await readProofs(rail, items)
  const [evidence, booked] = await readConfined(rail.sql, accounts, tx =>
    Promise.all([listEvidence(tx, keys), bookedBefore(tx, items)]),
  )
  const files = await findFiles(rail.sql, [...new Set(items.map(({ msg_id }) => msg_id))])
  const now = await databaseNow(rail.sql)
  const byName = new Map(items.map(item => [itemName(item), item]))
  const evidence_by_item = Map.groupBy(evidence, itemName)
  return new Map(
    payouts.flatMap(payout => {
      const item = byName.get(itemName(keyOf(payout)))
      if (item === undefined) return []
      const file = files.find(({ msg_id }) => msg_id === item.msg_id)
      const report = reportOf({
        config: rail.config,
        payout,
        item,
        file,
        evidence: evidence_by_item.get(itemName(item)) ?? [],
        booked_before: booked.get(item.end_to_end_id),
        silence: proofOf?.(item, payout.status),
        now,
      })
      return [[payout.attempt.id, report] as const]
    }),
  )
}

/**
 * The earlier attempt that the bank has booked, by the end-to-end id of each waiting item that has
 * one. Such an item goes into no file.
 */
async function bookedBefore(tx: TransactionSql, items: readonly FoundItem[]) {
  const waiting = items.filter(({ msg_id, attempt }) => msg_id === '' && attempt > 1)
  if (waiting.length === 0) return new Map<string, number>()
  const own = new Map(waiting.map(({ end_to_end_id, attempt }) => [end_to_end_id, attempt]))
  const booked = await listBookedAttempts(tx, waiting)
  const earlier = booked.filter(key => key.attempt < (own.get(key.end_to_end_id) ?? 0))
  return new Map(earlier.map(({ end_to_end_id, attempt }) => [end_to_end_id, attempt]))
}

const keyOf = ({ account_id, id, attempt }: RailPayout): ItemKey => ({
  account_id,
  payout_id: id,
  attempt: attempt.number,
})
