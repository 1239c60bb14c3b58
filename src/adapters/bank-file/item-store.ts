// The SQL statements of rail_items and rail_item_evidence: the payments that wait for a file or are
// in one, and what banks say of them. The finder sees ids and amounts of all accounts; every other
// statement names its accounts.
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import { inserter, updater } from '../../sql/rows.ts'
import { byShard, eachShard, within } from '../../sql/shard.ts'
import { type Fragment, sql, type Tag } from '../../sql/sql.ts'
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import { hashJson } from '../../values/digest.ts'
import type { Instant } from '../../values/instant.ts'
import type { Evidence } from './evidence.ts'
import type { Payment } from './item.ts'
import type { Slot } from './slot.ts'

export interface ItemKey {
  readonly account_id: string
  readonly payout_id: string
  readonly attempt: number
}

export const itemName = ({ account_id, payout_id, attempt }: ItemKey) =>
  `${account_id}/${payout_id}-${attempt}`

/** The ids of an item in its file; '' while it waits for one. */
interface Place {
  readonly msg_id: string
  readonly payment_information_id: string
  readonly instruction_id: string
}

/** The columns of an item that the finder may read. */
export interface FoundItem extends ItemKey, Place, Slot {
  readonly end_to_end_id: string
  readonly uetr: string
  readonly rail: string
  readonly amount: bigint
  readonly currency: string
  /** The item's earlier files: the bank refused them as a whole, or they were never sent. */
  readonly earlier_files: readonly string[]
  readonly created_at: Instant
}

export interface NewItem extends Omit<FoundItem, keyof Place | 'earlier_files' | 'created_at'> {
  readonly payment: Payment
}

const COLUMNS = sql`
  i.account_id, i.payout_id, i.attempt, i.end_to_end_id, i.uetr, i.rail, i.amount, i.currency,
  i.seal_at, i.closes_at, to_char(i.execution_date, 'YYYY-MM-DD') as execution_date, i.msg_id,
  i.payment_information_id, i.instruction_id, i.earlier_files, i.created_at`

/** `k(account_id, payout_id, attempt)`, as keysOf of sql/keys.ts. */
function itemKeys(keys: readonly ItemKey[]) {
  const unique = [...new Map(keys.map(key => [itemName(key), key])).values()]
  const texts = (of: (key: ItemKey) => string) => unique.map(of)
  return sql`
    unnest(${texts(key => key.account_id)}::text[], ${texts(key => key.payout_id)}::text[],
      ${texts(key => String(key.attempt))}::text[]::integer[]) as k(account_id, payout_id, attempt)`
}

/** The condition that a row of `t` is of a key's payout. The items of a statement share a shard. */
export const ofPayout = (keys: readonly ItemKey[]) => sql`
  t.account_id = k.account_id and t.payout_id = k.payout_id ${within('t', keys)}`

/** Inserts items. A stored item stays unchanged. */
export const insertItems = inserter<NewItem>(
  'rail_items',
  {
    account_id: 'text',
    payout_id: 'text',
    attempt: 'integer',
    end_to_end_id: 'text',
    uetr: 'text',
    rail: 'text',
    amount: 'bigint',
    currency: 'text',
    seal_at: 'timestamptz',
    closes_at: 'timestamptz',
    execution_date: 'date',
    payment: 'json',
  },
  'on conflict (account_id, payout_id, attempt) do nothing',
)

/** The items of attempts, in no order. */
export async function findItems(sql: Tag, keys: readonly ItemKey[]): Promise<FoundItem[]> {
  return eachShard(
    keys,
    keys => sql<FoundItem[]>`
      select ${COLUMNS} from ${itemKeys(keys)}
      cross join lateral (
        select * from rail_items t where ${ofPayout(keys)} and t.attempt = k.attempt limit 1
      ) i`,
  )
}

/** Items that may be sealed now, by sealing time. The page starts behind `after`. */
export async function listDueItems(
  finder: Sql,
  rail: string,
  most: number,
  after?: Pick<FoundItem, 'seal_at' | 'end_to_end_id'>,
): Promise<FoundItem[]> {
  return finder<FoundItem[]>`
    select ${COLUMNS} from rail_items i
    where i.rail = ${rail} and i.msg_id = '' and not i.withdrawn and i.seal_at <= clock_timestamp()
      and (i.seal_at, i.end_to_end_id)
        > (${after?.seal_at ?? '-infinity'}::timestamptz, ${after?.end_to_end_id ?? ''}::text)
    order by i.seal_at, i.end_to_end_id limit ${most}`
}

/** Changes the items in this file; '' for items that wait for a file. Returns their number. */
async function change(
  tx: TransactionSql,
  items: readonly ItemKey[],
  msg_id: string,
  set: Fragment,
): Promise<number> {
  const changed = byShard(items).map(
    items => tx`
      update rail_items i set ${set}
      from (
        select place from ${itemKeys(items)}
        cross join lateral (
          select ctid as place from rail_items t
          where ${ofPayout(items)} and t.attempt = k.attempt and t.msg_id = ${msg_id} limit 1
        ) t
      ) k
      where i.ctid = k.place ${within('i', items)}`,
  )
  return (await Promise.all(changed)).reduce((sum, { count }) => sum + count, 0)
}

/** Moves items to a later slot. An item that is in a file by now stays. */
export function moveToSlot(tx: TransactionSql, items: readonly ItemKey[], slot: Slot) {
  return change(
    tx,
    items,
    '',
    sql`seal_at = ${slot.seal_at}::timestamptz, closes_at = ${slot.closes_at}::timestamptz,
      execution_date = ${slot.execution_date}::text::date`,
  )
}

/** The payments of items that still wait, by end-to-end id. */
export async function readPayments(tx: TransactionSql, keys: readonly ItemKey[]) {
  const rows = await eachShard(
    keys,
    keys => tx<{ end_to_end_id: string; payment: Payment }[]>`
      select i.end_to_end_id, i.payment from ${itemKeys(keys)}
      cross join lateral (
        select * from rail_items t where ${ofPayout(keys)} and t.attempt = k.attempt
          and t.msg_id = '' and not t.withdrawn limit 1
      ) i`,
  )
  return new Map(rows.map(({ end_to_end_id, payment }) => [end_to_end_id, payment]))
}

/** Puts items into a file. Fails as contention when one of them no longer waits. */
export const placeItems = updater<ItemKey & Place>(
  'rail_items',
  ['account_id', 'payout_id', 'attempt'],
  {
    account_id: 'text',
    payout_id: 'text',
    attempt: 'integer',
    msg_id: 'text',
    payment_information_id: 'text',
    instruction_id: 'text',
  },
  "t.msg_id = ''",
)

const LINE_IDS = ['end_to_end_id', 'uetr', 'instruction_id', 'payment_information_id'] as const

/**
 * The items of all accounts that lines name by any id that a bank may give back. Of a payment
 * information block, one item.
 */
export async function findItemsOfLines(
  finder: Sql,
  lines: readonly Pick<BankLine, (typeof LINE_IDS)[number]>[],
): Promise<FoundItem[]> {
  const ids = (name: (typeof LINE_IDS)[number]) => [
    ...new Set(lines.map(line => line[name]).filter(id => id !== '')),
  ]
  const unnamed = lines.filter(
    line => line.end_to_end_id === '' && line.payment_information_id !== '',
  )
  const blocks = new Set(unnamed.map(line => line.payment_information_id))
  const rows = await Promise.all([
    finder<FoundItem[]>`
      select ${COLUMNS} from rail_items i
      where i.end_to_end_id = any (${ids('end_to_end_id')}::text[])`,
    finder<FoundItem[]>`
      select ${COLUMNS} from rail_items i where i.uetr = any (${ids('uetr')}::text[])`,
    finder<FoundItem[]>`
      select ${COLUMNS} from rail_items i
      where i.instruction_id <> '' and i.instruction_id = any (${ids('instruction_id')}::text[])`,
    // One statement each: Citus runs no `limit 1` for each of several blocks.
    ...[...blocks].map(
      block => finder<FoundItem[]>`
        select ${COLUMNS} from rail_items i
        where i.payment_information_id <> '' and i.payment_information_id = ${block} limit 1`,
    ),
  ])
  const entries = rows.flat().map(item => [item.end_to_end_id, item] as const)
  return [...new Map(entries).values()]
}

/** The items of a file, of all accounts. */
export async function listItemsOf(finder: Sql, msg_id: string): Promise<FoundItem[]> {
  return finder<FoundItem[]>`
    select ${COLUMNS} from rail_items i where i.msg_id = ${msg_id} order by i.end_to_end_id`
}

/** A payment information block of a file; '' for the whole file. */
export type Block = Omit<Place, 'instruction_id'>

/** The sum of the payments of a block, by currency, in minor units. */
export async function sumBlock(finder: Sql, { msg_id, payment_information_id }: Block) {
  return finder<{ currency: string; sum: bigint }[]>`
    select currency, sum(amount)::bigint as sum from rail_items
    where msg_id = ${msg_id} and ${payment_information_id}::text in ('', payment_information_id)
    group by currency`
}

/** At most `most` items of a block, by end-to-end id. The page starts behind `after`. */
export async function listBlock(
  finder: Sql,
  { msg_id, payment_information_id }: Block,
  after: string,
  most: number,
): Promise<FoundItem[]> {
  return finder<FoundItem[]>`
    select ${COLUMNS} from rail_items i
    where i.msg_id = ${msg_id} and i.end_to_end_id > ${after}
      and ${payment_information_id}::text in ('', i.payment_information_id)
    order by i.end_to_end_id limit ${most}`
}

/**
 * Takes items out of a file that was refused as a whole or never sent, so that they wait for the
 * next. Returns their number: another person may have taken out some of them before.
 */
export function takeOutOfFile(tx: TransactionSql, msg_id: string, items: readonly ItemKey[]) {
  return change(
    tx,
    items,
    msg_id,
    sql`msg_id = '', payment_information_id = '', instruction_id = '',
      earlier_files = earlier_files || msg_id, seal_at = statement_timestamp(),
      closes_at = statement_timestamp() + interval '1 millisecond'`,
  )
}

/**
 * Each attempt with a booking of the items' payouts, up to the item's own attempt. Skips withdrawn
 * items.
 */
export function findBookedAttempts(tx: TransactionSql, keys: readonly ItemKey[]) {
  return eachShard(
    keys,
    keys => tx<(ItemKey & { end_to_end_id: string })[]>`
      select i.end_to_end_id, k.account_id, k.payout_id, e.attempt from ${itemKeys(keys)}
      cross join lateral (
        select t.end_to_end_id from rail_items t
        where ${ofPayout(keys)} and t.attempt = k.attempt and not t.withdrawn limit 1
      ) i
      cross join lateral (
        select distinct t.attempt from rail_item_evidence t
        where ${ofPayout(keys)} and t.attempt <= k.attempt and t.level = 'booking'
      ) e`,
  )
}

/** Withdraws items that wait, because their payouts are over. They never go into a file. */
export function withdrawItems(tx: TransactionSql, items: readonly ItemKey[]) {
  return change(tx, items, '', sql`withdrawn = true`)
}

export interface NewEvidence extends ItemKey, Omit<Evidence, 'received_at'> {
  /** The hash of the file in hex digits, and the place in the file. */
  readonly sha256: string
  readonly position: string
}

export type StoredEvidence = NewEvidence & Evidence

/** Inserts evidence, without repeats; returns the items with new evidence, each once. */
export async function insertEvidence(tx: TransactionSql, evidence: readonly NewEvidence[]) {
  const rows = evidence.map(row => ({ ...row, same: digestOf(row) }))
  const inserted = await tx<ItemKey[]>`
    insert into rail_item_evidence (account_id, payout_id, attempt, level, code, reasons, text,
      amount, currency, is_credit, reference, said_at, sha256, position, same)
    select account_id, payout_id, attempt, level, code, reasons, text, amount, currency, is_credit,
      reference, said_at, decode(sha256, 'hex'), position, decode(same, 'hex')
    from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(account_id text, payout_id text,
      attempt integer, level text, code text, reasons json, text text, amount bigint, currency text,
      is_credit boolean, reference text, said_at text, sha256 text, position text, same text)
    on conflict on constraint said_once do nothing
    returning account_id, payout_id, attempt`
  return [...new Map(inserted.map(key => [itemName(key), key])).values()]
}

/** The digest that finds a repeat, also in another file of the bank. */
function digestOf({ level, code, reasons, amount, currency, is_credit, reference }: NewEvidence) {
  const money = amount === null ? '' : String(amount)
  return hashJson([level, code, [...reasons].sort(), money, currency, is_credit, reference])
}

/** All evidence of these items. The rows of each item are in the order of receipt. */
export async function listEvidence(sql: Tag, keys: readonly ItemKey[]): Promise<StoredEvidence[]> {
  return eachShard(
    keys,
    keys => sql<StoredEvidence[]>`
      select e.* from ${itemKeys(keys)}
      cross join lateral (
        select t.account_id, t.payout_id, t.attempt, t.number, t.received_at, t.level, t.code,
          t.reasons, t.text, t.amount, t.currency, t.is_credit, t.reference, t.said_at,
          encode(t.sha256, 'hex') as sha256, t.position
        from rail_item_evidence t where ${ofPayout(keys)} and t.attempt = k.attempt
      ) e
      order by e.number`,
  )
}
