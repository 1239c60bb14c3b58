// The SQL statements of rail_items: the payments that wait for a file or are in one. The finder
// sees ids and amounts of all accounts; every other statement names its accounts.
import type { BankLine } from '../bank-format/bank-format.ts'
import { rowsAsJson, type Sql, type TransactionSql } from '../db/connect.ts'
import { sql, type Tag } from '../db/sql.ts'
import type { Instant } from '../instant.ts'
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
export interface FoundItem extends ItemKey, Place {
  readonly end_to_end_id: string
  readonly uetr: string
  readonly rail: string
  readonly amount: bigint
  readonly currency: string
  readonly seal_at: Instant
  readonly closes_at: Instant
  /** YYYY-MM-DD */
  readonly execution_date: string
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

/** `k(account_id, payout_id, attempt)`, to be joined laterally; see keysOf of db/keys.ts. */
export const itemKeys = (keys: readonly ItemKey[]) => sql`
  unnest(${keys.map(key => key.account_id)}::text[], ${keys.map(key => key.payout_id)}::text[],
    ${keys.map(key => String(key.attempt))}::text[]::integer[])
    as k(account_id, payout_id, attempt)`

/** Inserts items. A stored item stays as it is. */
export async function insertItems(tx: TransactionSql, items: readonly NewItem[]): Promise<void> {
  await tx`
    insert into rail_items (account_id, payout_id, attempt, end_to_end_id, uetr, rail, amount,
      currency, seal_at, closes_at, execution_date, payment)
    select account_id, payout_id, attempt, end_to_end_id, uetr, rail, amount, currency, seal_at,
      closes_at, execution_date, payment
    from json_to_recordset(${rowsAsJson(items)}::text::json) as r(account_id text, payout_id text,
      attempt integer, end_to_end_id text, uetr text, rail text, amount bigint, currency text,
      seal_at timestamptz, closes_at timestamptz, execution_date date, payment json)
    on conflict (account_id, payout_id, attempt) do nothing`
}

/** The items of attempts, in no order. */
export async function findItems(sql: Tag, keys: readonly ItemKey[]): Promise<FoundItem[]> {
  return sql<FoundItem[]>`
    select ${COLUMNS} from ${itemKeys(keys)}
    cross join lateral (
      select * from rail_items t where t.account_id = k.account_id and t.payout_id = k.payout_id
        and t.attempt = k.attempt limit 1
    ) i`
}

/** Items that may be sealed now, by sealing time, from the one behind `after` on. */
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

/**
 * Moves items to a later slot; returns the moved items. An item that is in a file by now stays.
 */
export async function moveToSlot(
  tx: TransactionSql,
  end_to_end_ids: readonly string[],
  slot: Slot,
): Promise<ItemKey[]> {
  return tx<ItemKey[]>`
    update rail_items set seal_at = ${slot.seal_at}::timestamptz,
      closes_at = ${slot.closes_at}::timestamptz,
      execution_date = ${slot.execution_date}::text::date
    where end_to_end_id = any (${end_to_end_ids}::text[]) and msg_id = ''
    returning account_id, payout_id, attempt`
}

/** The payments of items that still wait, by end-to-end id. */
export async function readPayments(
  tx: TransactionSql,
  end_to_end_ids: readonly string[],
): Promise<Map<string, Payment>> {
  const rows = await tx<{ end_to_end_id: string; payment: Payment }[]>`
    select end_to_end_id, payment from rail_items
    where end_to_end_id = any (${end_to_end_ids}::text[]) and msg_id = '' and not withdrawn`
  return new Map(rows.map(({ end_to_end_id, payment }) => [end_to_end_id, payment]))
}

/** Puts items into a file. Fails as contention when one of them no longer waits. */
export async function placeItems(
  tx: TransactionSql,
  msg_id: string,
  places: readonly (Omit<Place, 'msg_id'> & { readonly end_to_end_id: string })[],
): Promise<void> {
  await tx`
    with placed as (
      update rail_items i set msg_id = ${msg_id},
        payment_information_id = p.payment_information_id, instruction_id = p.instruction_id
      from json_to_recordset(${rowsAsJson(places)}::text::json)
        as p(end_to_end_id text, payment_information_id text, instruction_id text)
      where i.end_to_end_id = p.end_to_end_id and i.msg_id = ''
      returning true
    )
    select require_all_written(count(*), ${places.length}::bigint) from placed`
}

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
  const blocks = lines
    .filter(line => line.end_to_end_id === '')
    .map(line => line.payment_information_id)
  const rows = await Promise.all([
    finder<FoundItem[]>`
      select ${COLUMNS} from rail_items i
      where i.end_to_end_id = any (${ids('end_to_end_id')}::text[])`,
    finder<FoundItem[]>`
      select ${COLUMNS} from rail_items i where i.uetr = any (${ids('uetr')}::text[])`,
    finder<FoundItem[]>`
      select ${COLUMNS} from rail_items i
      where i.instruction_id <> '' and i.instruction_id = any (${ids('instruction_id')}::text[])`,
    finder<FoundItem[]>`
      select f.* from unnest(${[...new Set(blocks)]}::text[]) as b(id)
      cross join lateral (
        select ${COLUMNS} from rail_items i
        where i.payment_information_id = b.id and b.id <> '' limit 1
      ) f`,
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

/** At most `most` items of a block, by end-to-end id, from the one behind `after` on. */
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
export async function takeOutOfFile(
  tx: TransactionSql,
  msg_id: string,
  end_to_end_ids: readonly string[],
): Promise<number> {
  const { count } = await tx`
    update rail_items set msg_id = '', payment_information_id = '', instruction_id = '',
      earlier_files = earlier_files || msg_id, seal_at = statement_timestamp(),
      closes_at = statement_timestamp() + interval '1 millisecond'
    where end_to_end_id = any (${end_to_end_ids}::text[]) and msg_id = ${msg_id}`
  return count
}

/** The items among these that an open line names, or whose earlier file an open line names. */
export async function findItemsWithOpenLines(
  tx: TransactionSql,
  end_to_end_ids: readonly string[],
) {
  return tx<{ end_to_end_id: string }[]>`
    select i.end_to_end_id from rail_items i where i.end_to_end_id = any (${end_to_end_ids}::text[])
      and (exists (select from rail_inbox_lines l
          where l.closed_by = '' and l.end_to_end_id <> '' and l.end_to_end_id = i.end_to_end_id)
        or exists (select from rail_inbox_lines l
          where l.closed_by = '' and l.msg_id <> '' and l.msg_id = any (i.earlier_files)))`
}

/** Of items that are not withdrawn: each attempt of their payouts, up to theirs, with a booking. */
export async function findBookedAttempts(tx: TransactionSql, end_to_end_ids: readonly string[]) {
  return tx<(ItemKey & { end_to_end_id: string })[]>`
    select i.end_to_end_id, i.account_id, i.payout_id, e.attempt
    from rail_items i
    cross join lateral (
      select distinct t.attempt from rail_item_evidence t
      where t.account_id = i.account_id and t.payout_id = i.payout_id
        and t.attempt <= i.attempt and t.level = 'booking'
    ) e
    where i.end_to_end_id = any (${end_to_end_ids}::text[]) and not i.withdrawn`
}

/** Withdraws items that wait, because their payouts are over. They never go into a file. */
export async function withdrawItems(
  tx: TransactionSql,
  end_to_end_ids: readonly string[],
): Promise<void> {
  await tx`
    update rail_items set withdrawn = true
    where end_to_end_id = any (${end_to_end_ids}::text[]) and msg_id = ''`
}
