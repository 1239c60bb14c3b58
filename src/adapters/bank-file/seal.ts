// Seals files: groups due items by day and currency, writes the bytes once, checks them, and
// commits them before anything is sent. Of two workers that seal the same items, one wins at the
// commit.
import { hash } from 'node:crypto'
import { wakePayouts } from '../../payouts/advance/wake-store.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import { databaseNow } from '../../sql/connect.ts'
import { Contention, classify } from '../../sql/failure.ts'
import type { BankProfile, FileBatch, WrittenFile } from '../../values/bank-format/bank-format.ts'
import { during } from '../../values/diagnostics.ts'
import type { Instant } from '../../values/instant.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { formatMajor, parseMajor } from '../../values/money/decimal.ts'
import type { OpenFileRail } from './config.ts'
import { insertFile } from './file-store.ts'
import { messageIdOf } from './ids.ts'
import type { Payment } from './item.ts'
import {
  type FoundItem,
  listDueItems,
  moveToSlot,
  placeItems,
  readPayments,
  withdrawItems,
} from './item-store.ts'
import { encryptAndSign, PgpFailed } from './pgp.ts'
import { NoSlot, slotOf } from './slot.ts'
import { failureWords } from './transport.ts'
import { accountsOf, keyOf, sortItems, transactMany } from './waiting.ts'

/** The most due items of one page, and so of a file, which is written in memory. */
export const MOST_ITEMS = 50_000

/** A written file has failed its checks. It is not stored, and its items wait. */
export class FileFaulty extends Error {
  override readonly name = 'FileFaulty'
}

/**
 * Seals due items into files; returns the files' ids. Items that are held or cannot be sealed stay
 * behind and delay no other item. Throws FileFaulty, with all faults, if some cannot be sealed.
 */
export async function sealDue(rail: OpenFileRail, page = MOST_ITEMS): Promise<string[]> {
  const sealed: string[] = []
  const faults: string[] = []
  let last: FoundItem | undefined
  for (;;) {
    const due = await listDueItems(rail.finder, rail.name, page, last)
    last = due.at(-1)
    if (last === undefined) break
    sealed.push(...(await sealPage(rail, due, faults)))
  }
  if (faults.length > 0) throw new FileFaulty(faults.join('; '))
  return sealed
}

async function sealPage(rail: OpenFileRail, due: readonly FoundItem[], faults: string[]) {
  const now = await databaseNow(rail.sql)
  const placeOf = ({ closes_at }: FoundItem) => (closes_at < now ? 'late' : 'timely')
  const { late = [], timely = [] } = Object.groupBy(due, placeOf)
  if (late.length > 0) await tryPart(rail, faults, () => postpone(rail, late, now))
  if (timely.length === 0) return []
  // Held items come again in the next round.
  const { waiting } = await withdrawOver(rail, timely)
  const sealed: string[] = []
  const groups = Map.groupBy(waiting, item => `${item.execution_date} ${item.currency}`)
  for (const group of groups.values()) {
    const batches =
      (await tryPart(rail, faults, async () => batchesOf(group, rail.config.profile))) ?? []
    for (const items of batches) {
      // Undefined also for a batch that another worker has sealed in part. The next round finds the
      // rest.
      const msg_id = await tryPart(rail, faults, () => sealFile(rail, items, now, faults))
      if (msg_id !== undefined) sealed.push(msg_id)
    }
  }
  return sealed
}

/** Does the work for some items. A failure is added to `faults`, and the result is undefined. */
async function tryPart<T>(rail: OpenFileRail, faults: string[], work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    const is_expected =
      error instanceof FileFaulty || error instanceof NoSlot || error instanceof PgpFailed
    if (!is_expected) rail.log.error({ err: error, rail: rail.name }, 'payments are not sealed')
    faults.push(failureWords(error))
    return undefined
  }
}

/** Moves items that missed their cut-off to the next slot. Their payouts are asked again. */
async function postpone(rail: OpenFileRail, late: readonly FoundItem[], now: Instant) {
  const slot = slotOf(rail.config.timetable, now)
  await transactConfined(rail.sql, accountsOf(late), async tx => {
    const { waiting } = await sortItems(tx, late)
    await moveToSlot(tx, late, slot)
    await wakePayouts(tx, waiting.map(keyOf))
  })
  const { execution_date } = slot
  rail.log.warn(
    { rail: rail.name, payments: late.length, execution_date },
    'payments have missed the bank: they go with the next file',
  )
}

/** Withdraws the items of ended payouts or attempts. Returns all items, sorted. */
async function withdrawOver(rail: OpenFileRail, due: readonly FoundItem[]) {
  return transactConfined(rail.sql, accountsOf(due), async tx => {
    const sorted = await sortItems(tx, due)
    await withdrawItems(tx, sorted.over)
    return sorted
  })
}

/** Splits the payments of one day and currency into batches, each for one file of the bank. */
function batchesOf(group: readonly FoundItem[], { most_items, most_amount }: BankProfile) {
  const most = minorUnits(most_amount, group[0]?.currency ?? '')
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
}

function minorUnits(most_amount: string | null, currency: string): bigint | null {
  if (most_amount === null) return null
  const most = parseMajor(most_amount, currencyExponent(currency))
  if (most === undefined) throw new Error(`the profile's most_amount is no amount in ${currency}`)
  return most
}

/** Seals one file; returns its id. Undefined when another worker has sealed one of its items. */
async function sealFile(
  rail: OpenFileRail,
  batch: readonly FoundItem[],
  now: Instant,
  faults: string[],
): Promise<string | undefined> {
  const payments = await readConfined(rail.sql, accountsOf(batch), tx => readPayments(tx, batch))
  // Another worker has sealed some of the items.
  if (payments.size < batch.length) return undefined
  const items = carriableItems(rail, batch, payments, faults)
  const [first] = items
  if (first === undefined) return undefined
  const { profile, settlement_account } = rail.config
  const { execution_date } = first
  const bank = { execution_date, settlement_account, profile }
  const file: FileBatch = { msg_id: messageIdOf(items), created_at: now, ...bank, items }
  const written = await during('file', 'seal', items.length, async () => writeChecked(rail, file))
  try {
    await store(rail, file, items, written)
    return file.msg_id
  } catch (error) {
    if (classify(error) !== 'contention') throw error
    rail.log.warn({ err: error, rail: rail.name }, 'a file is not sealed: it is tried again')
    return undefined
  }
}

/** The items that a file can carry by the present profile, with their payments. */
function carriableItems(
  { format, config: { profile, settlement_account } }: OpenFileRail,
  found: readonly FoundItem[],
  payments: ReadonlyMap<string, Payment>,
  faults: string[],
): (FoundItem & Payment)[] {
  return found.flatMap(item => {
    const { end_to_end_id } = item
    const payment = payments.get(end_to_end_id)
    if (payment === undefined) return []
    const whole_item = { ...item, ...payment }
    const messages = format.checkItem(whole_item, settlement_account, profile)
    if (messages.length === 0) return [whole_item]
    faults.push(`payment ${end_to_end_id} cannot go into a file: ${messages.join('; ')}`)
    return []
  })
}

/** Writes the file, and checks its count, sum and ids against the items. Throws FileFaulty. */
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

/** Commits the file and its items. Throws Contention when an item's payout waits no more. */
async function store(
  rail: OpenFileRail,
  batch: FileBatch,
  found: readonly FoundItem[],
  written: WrittenFile,
): Promise<void> {
  const { bytes, count, control_sum, execution_date, places } = written
  const { msg_id, profile } = batch
  const { pgp, settlement_account } = rail.config
  const encrypted = pgp !== null && (pgp.encrypt_to !== '' || pgp.sign_as !== '')
  // Encrypted only here, because gpg would write other bytes next time.
  const envelope = encrypted ? await encryptAndSign(pgp, bytes) : null
  const file = {
    msg_id,
    name: `${msg_id}.${rail.format.extension}${encrypted ? '.asc' : ''}`,
    rail: rail.name,
    format: rail.format.name,
    settlement_account: settlement_account.iban || settlement_account.account,
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
  const placed = found.flatMap(({ account_id, payout_id, attempt, end_to_end_id }) => {
    const place = places.get(end_to_end_id)
    return place === undefined ? [] : [{ account_id, payout_id, attempt, msg_id, ...place }]
  })
  await during('file', 'commit', count, () =>
    transactMany(rail.sql, found, async tx => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`corridor seal ${rail.name}`}, 0))`
      const { waiting } = await sortItems(tx, found)
      if (waiting.length < found.length) throw new Contention('a payout waits no more')
      if (!(await insertFile(tx, file))) throw new Contention('the file is sealed already')
      await placeItems(tx, placed)
      await wakePayouts(tx, found.map(keyOf))
    }),
  )
  rail.log.info({ rail: rail.name, msg_id, payments: count }, 'a file is sealed')
}
