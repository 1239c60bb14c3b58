// The statements of events. Append-only.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import {
  findPage,
  type Listed,
  type Moment,
  NEWEST,
  OLDEST,
  type Page,
  type Place,
  type Wanted,
} from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import type { Key } from '../id.ts'
import { EVENT_KINDS, type Event, type SealedEvent } from './rules.ts'

/** PostgreSQL's largest bigint. */
const MAX_SEQUENCE = '9223372036854775807'

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
  // The last condition is that of the index, which no look-up by sequence shall take for its own.
  return sql<Event[]>`
    select r.* from ${keysOf(sql, keys)}
    cross join lateral (
      select ${sql(COLUMNS)} from events e
      where e.account_id = k.account_id and e.id = k.id and e.id <> '' limit 1
    ) r`
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

/**
 * By their numbers, which created_at follows: the events of one batch have the same time, and their
 * ids say nothing of what came first.
 */
const LISTED: Listed = {
  table: 'events',
  columns: COLUMNS,
  order: [{ column: 'sequence', type: 'bigint' }],
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
  locate,
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
  const [[older = '0'], [newer = '0']] = await Promise.all([
    locate(sql, account_id, above, 'above'),
    locate(sql, account_id, below, 'below'),
  ])
  return { from: BigInt(older) + 1n, to: BigInt(newer) - 1n }
}

/**
 * By halving, as numbers have no gaps and time follows them: some twenty index look-ups for a
 * million events, and no index by time that every write would have to keep.
 */
async function locate(
  sql: Sql | TransactionSql,
  account_id: string,
  { created_at, side }: Moment,
  wanted: 'above' | 'below',
): Promise<Place> {
  if (created_at === OLDEST.created_at) return ['0']
  if (created_at === NEWEST.created_at) return [MAX_SEQUENCE]
  const older = side === 'before' ? sql`created_at < t.at` : sql`created_at <= t.at`
  const [found] = await sql<{ older: bigint; newer: bigint }[]>`
    with recursive halves(older, newer) as (
      select 0::bigint, event_count + 1 from books where account_id = ${account_id}
      union all
      select case when e.is_older then middle else older end,
        case when e.is_older then newer else middle end
      from (select older, newer, (older + newer) / 2 as middle from halves
        where newer - older > 1) h
      cross join (select ${created_at}::timestamptz as at) t
      cross join lateral (
        select ${older} as is_older from events
        where account_id = ${account_id} and sequence = h.middle limit 1
      ) e
    )
    select older, newer from halves where newer - older = 1`
  if (found === undefined) throw new Error(`account ${account_id} has gaps in its events`)
  return [String(wanted === 'above' ? found.older : found.newer)]
}
