// Seals files: groups what is due by day and currency, writes the bytes once, checks them, and
// commits them before anything is sent. Of two workers that seal the same items, one wins at the
// commit.
import { hash } from 'node:crypto'
import type { BankProfile, FileBatch, FileItem, WrittenFile } from '../bank-format.ts'
import { confineTo, readConfined } from '../db/confine.ts'
import { databaseNow } from '../db/connect.ts'
import { Contention, classify } from '../db/failure.ts'
import { transact } from '../db/transact.ts'
import type { Instant } from '../instant.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor, parseMajor } from '../money/decimal.ts'
import { wakePayouts } from '../payout/wake-store.ts'
import { during } from '../steps.ts'
import { insertFile } from './file-store.ts'
import { newMessageId } from './ids.ts'
import {
  type FoundItem,
  listDueItems,
  placeItems,
  putOff,
  readPayments,
  withdraw,
} from './item-store.ts'
import { accountText, type OpenFileRail } from './open-rail.ts'
import { wrap } from './pgp.ts'
import { slotOf } from './slot.ts'
import { accountsOf, keyOf, sortWaiting } from './waiting.ts'

/** Files have at most so many items, whatever the bank takes: one is written in memory. */
export const MOST_ITEMS = 50_000

/** Longer than a file of so many items takes to store. */
const STORE_MS = 60_000

/** A file that its format finds fault with: nothing of it is stored, and its items wait. */
export class FileFaulty extends Error {
  override readonly name = 'FileFaulty'
}

/** Seals what is due into one file after the other; returns their ids. */
export async function sealDue(rail: OpenFileRail): Promise<string[]> {
  const sealed: string[] = []
  for (;;) {
    const due = await listDueItems(rail.finder, rail.name, MOST_ITEMS)
    if (due.length === 0) return sealed
    const now = await databaseNow(rail.sql)
    const late = due.filter(({ closes_at }) => closes_at < now)
    if (late.length > 0) {
      await postpone(rail, late, now)
      continue
    }
    const { waiting, over } = await withdrawOver(rail, due)
    // The others are held, and are looked at in the next round.
    if (waiting.length === 0 && over.length === 0) return sealed
    for (const items of batchesOf(waiting, rail.config.profile)) {
      const msg_id = await sealFile(rail, items, now)
      // Another worker has sealed some of them: what is left is looked for in the next round.
      if (msg_id === undefined) return sealed
      sealed.push(msg_id)
    }
  }
}

/** What has missed its day goes into the next one, and so does each payout's expected arrival. */
async function postpone(
  rail: OpenFileRail,
  late: readonly FoundItem[],
  now: Instant,
): Promise<void> {
  const slot = slotOf(rail.config.timetable, now)
  await transact(rail.sql, async tx => {
    void confineTo(tx, accountsOf(late))
    const { waiting } = await sortWaiting(tx, late)
    await putOff(tx, late.map(idOf), slot)
    await wakePayouts(tx, waiting.map(keyOf))
  })
  const { execution_date } = slot
  rail.log.warn(
    { rail: rail.name, payments: late.length, execution_date },
    'payments have missed the bank: they go with the next file',
  )
}

const idOf = ({ end_to_end_id }: FoundItem) => end_to_end_id

/** Items whose payouts or attempts are over go into no file. Returns what has become of all. */
async function withdrawOver(rail: OpenFileRail, due: readonly FoundItem[]) {
  return transact(rail.sql, async tx => {
    void confineTo(tx, accountsOf(due))
    const sorted = await sortWaiting(tx, due)
    if (sorted.over.length > 0) await withdraw(tx, sorted.over.map(idOf))
    return sorted
  })
}

/** By day and currency, and each within what the bank takes in one file. */
export function batchesOf(
  due: readonly FoundItem[],
  { most_items, most_amount }: Pick<BankProfile, 'most_items' | 'most_amount'>,
): FoundItem[][] {
  const groups = Map.groupBy(due, item => `${item.execution_date} ${item.currency}`)
  return [...groups.values()].flatMap(group => {
    const most = mostOf(most_amount, group[0]?.currency ?? '')
    const batches: FoundItem[][] = []
    let sum = 0n
    for (const item of group) {
      sum += item.amount
      const batch = batches.at(-1)
      if (batch === undefined || batch.length >= most_items || (most !== null && sum > most)) {
        batches.push([item])
        sum = item.amount
      } else batch.push(item)
    }
    return batches
  })
}

function mostOf(most_amount: string | null, currency: string): bigint | null {
  if (most_amount === null) return null
  const most = parseMajor(most_amount, currencyExponent(currency))
  if (most === undefined) throw new Error(`the profile's most_amount is no amount in ${currency}`)
  return most
}

/** Returns the file's id; undefined when another worker has sealed one of its items. */
async function sealFile(
  rail: OpenFileRail,
  found: readonly FoundItem[],
  now: Instant,
): Promise<string | undefined> {
  const payments = await readConfined(rail.sql, accountsOf(found), tx =>
    readPayments(tx, found.map(idOf)),
  )
  const items = found.flatMap((item): FileItem[] => {
    const payment = payments.get(item.end_to_end_id)
    const { end_to_end_id, uetr, amount, currency } = item
    return payment === undefined ? [] : [{ end_to_end_id, uetr, amount, currency, ...payment }]
  })
  // Another worker has sealed some since.
  if (items.length < found.length) return undefined
  const { profile, settlement_account } = rail.config
  const batch: FileBatch = {
    msg_id: newMessageId(),
    created_at: now,
    execution_date: found[0]?.execution_date ?? '',
    settlement_account,
    profile,
    items,
  }
  const written = await during('file', 'seal', items.length, async () => writeChecked(rail, batch))
  try {
    await store(rail, batch, found, written)
    return batch.msg_id
  } catch (error) {
    if (classify(error) !== 'contention') throw error
    rail.log.warn({ err: error, rail: rail.name }, 'a file is not sealed: it is tried again')
    return undefined
  }
}

/** Writes the bytes, and compares what they say of themselves with the items. */
async function writeChecked(rail: OpenFileRail, batch: FileBatch): Promise<WrittenFile> {
  const written = rail.format.write(batch)
  const { items } = batch
  const sum = items.reduce((total, { amount }) => total + amount, 0n)
  const exponent = currencyExponent(items[0]?.currency ?? '')
  const problems = [
    ...(written.count === items.length ? [] : [`it has ${written.count} items`]),
    ...(parseMajor(written.control_sum, exponent) === sum
      ? []
      : [`its sum is ${written.control_sum}, and that of its items ${formatMajor(sum, exponent)}`]),
    ...(items.every(({ end_to_end_id }) => written.places.has(end_to_end_id))
      ? []
      : ['it lacks an item']),
    ...(await rail.format.check(written.bytes, batch.profile)),
  ]
  if (problems.length === 0) return written
  throw new FileFaulty(`a file of ${items.length} items is not sealed: ${problems.join('; ')}`)
}

async function store(
  rail: OpenFileRail,
  batch: FileBatch,
  found: readonly FoundItem[],
  written: WrittenFile,
): Promise<void> {
  const { bytes, count, control_sum, execution_date, places } = written
  const { msg_id, profile } = batch
  const { pgp } = rail.config
  const encrypted = pgp !== null && (pgp.encrypt_to !== '' || pgp.sign_as !== '')
  // Encrypted once, since gpg writes other bytes each time.
  const envelope = encrypted ? await wrap(pgp, bytes) : null
  const file = {
    msg_id,
    name: `${msg_id}.${rail.format.extension}${encrypted ? '.asc' : ''}`,
    rail: rail.name,
    format: rail.format.name,
    settlement_account: accountText(rail),
    currency: batch.items[0]?.currency ?? '',
    execution_date,
    item_count: count,
    control_sum,
    sha256: hash('sha256', bytes, 'hex'),
    needs_release: profile.release_by_person,
    resend_is_safe: profile.resend_is_safe,
    bytes,
    envelope,
  }
  const placed = [...places].map(([end_to_end_id, place]) => ({ end_to_end_id, ...place }))
  await during('file', 'commit', count, () =>
    transact(rail.sql, async tx => {
      await tx.unsafe(`set local statement_timeout = ${STORE_MS}`)
      await tx`select pg_advisory_xact_lock(hashtextextended(${`corridor seal ${rail.name}`}, 0))`
      void confineTo(tx, accountsOf(found))
      const { waiting } = await sortWaiting(tx, found)
      if (waiting.length < found.length) throw new Contention('a payout waits no more')
      await insertFile(tx, file)
      await placeItems(tx, msg_id, placed)
      await wakePayouts(tx, found.map(keyOf))
    }),
  )
  rail.log.info({ rail: rail.name, msg_id, payments: count }, 'a file is sealed')
}
