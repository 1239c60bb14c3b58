// The statements of events. Append-only.

import { byNumber, locateNumber, type Numbers, named, numbersOf } from '../db/by-number.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { Moment } from '../db/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import type { Key } from '../id.ts'
import { EVENT_KINDS, type Event, type SealedEvent } from './rules.ts'

/** What is read; the chain is of no use to whoever asks for events. */
const COLUMNS = Object.keys(EVENT_KINDS) as readonly (keyof typeof EVENT_KINDS)[]

export const insertEvents = inserter<SealedEvent>('events', {
  ...EVENT_KINDS,
  content: 'hex',
  kept: 'hex',
  hash: 'hex',
})

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findEvents(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<Event[]> {
  const rows = await eachShard(
    keys,
    keys => sql<Event[]>`
      select r.* from ${numbersOf(sql, keys)}
      cross join lateral (
        select ${sql(COLUMNS)} from events e
        where e.account_id = k.account_id and e.sequence = k.number ${within(sql, 'e', keys)}
        limit 1
      ) r`,
  )
  return named(rows, keys)
}

/** The events after a number and up to another, in order; at most `limit`. */
export async function listEventsAfter(
  sql: Sql | TransactionSql,
  account_id: string,
  { after, to }: { readonly after: bigint; readonly to: bigint },
  limit: number,
): Promise<Event[]> {
  return sql<Event[]>`
    select ${sql(COLUMNS)} from events
    where account_id = ${account_id} and sequence > ${after} and sequence <= ${to}
    order by sequence limit ${limit}`
}

/** How many events accounts have, which is the number of the newest; of all accounts, or of one. */
export async function countEvents(
  sql: Sql,
  account_id: string | undefined,
): Promise<{ account_id: string; count: bigint }[]> {
  const within = account_id === undefined ? sql`` : sql`where account_id = ${account_id}`
  return sql<{ account_id: string; count: bigint }[]>`
    select account_id, event_count as count from books ${within} order by account_id`
}

const NUMBERS: Numbers = { table: 'events', column: 'sequence', count: 'event_count' }

/** By their numbers, which created_at follows: the events of one batch have the same time. */
const LISTED: Listed = {
  table: 'events',
  columns: COLUMNS,
  order: byNumber('evt', 'sequence', NUMBERS),
  filters: [
    'object_id',
    {
      name: 'type',
      by: 'type',
      leads: 'always',
      // What an ordinary payout writes: frequent enough to be found on the way.
      common: [
        'balance_transaction.created',
        'payout.created',
        'payout.succeeded',
        'payout_quote.created',
      ],
    },
  ],
}

/** A page of the account's events; undefined when its cursor names none of them. */
export function listEvents(
  sql: Sql | TransactionSql,
  account_id: string,
  wanted: Wanted,
): Promise<Page<Event> | undefined> {
  return findPage<Event>(sql, LISTED, account_id, wanted)
}

/** The numbers of the first and the last event of a time; the last is before the first for none. */
export async function findNumbers(
  sql: Sql | TransactionSql,
  account_id: string,
  { above, below }: { readonly above: Moment; readonly below: Moment },
): Promise<{ readonly from: bigint; readonly to: bigint }> {
  const [older, newer] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, above, 'above'),
    locateNumber(sql, NUMBERS, account_id, below, 'below'),
  ])
  return { from: BigInt(older) + 1n, to: BigInt(newer) - 1n }
}
