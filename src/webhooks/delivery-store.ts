// Statements that insert, cancel and read deliveries. queue-store.ts has those of the worker.
import type { TransactionSql } from '../sql/connect.ts'
import { findByKeys } from '../sql/keys.ts'
import { byTime } from '../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../sql/page.ts'
import { among, eachShard, within } from '../sql/shard.ts'
import type { Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import type { Deliverable, NewDelivery } from './decide.ts'
import { type Attempt, DELIVERY_STATUSES, type Delivery } from './webhook.ts'

/**
 * Expects locked endpoints and their next numbers. The first delivery about each object is due at
 * once, unless another about it is pending; the others wait.
 */
export async function insertDeliveries(tx: TransactionSql, rows: readonly NewDelivery[]) {
  await eachShard(rows, rows => insertOfShard(tx, rows))
}

function insertOfShard(tx: TransactionSql, rows: readonly NewDelivery[]) {
  const texts = (of: (row: NewDelivery) => string | bigint) => rows.map(row => String(of(row)))
  // Bounds and order fit one index alone: a plan made for an empty table cannot use another.
  return tx`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, attempts, due_at, created_at, updated_at)
    select b.account_id, r.endpoint_id, r.number, r.id, r.event_id, r.event_sequence, r.event_type,
      r.object_id, 'pending', 0,
      case when r.nth = 1 and (
        select 1 from webhook_deliveries d
        where d.account_id = r.account_id ${within('d', rows)}
          and d.endpoint_id = r.endpoint_id
          and d.object_id >= r.object_id and d.object_id <= r.object_id and d.status = 'pending'
        order by d.object_id limit 1
      ) is null then statement_timestamp() end,
      r.created_at, r.created_at
    from books b join (
      select n.*,
        row_number() over (partition by account_id, endpoint_id, object_id order by number) as nth
      from unnest(
        ${texts(row => row.account_id)}::text[],
        ${texts(row => row.endpoint_id)}::text[],
        ${texts(row => row.number)}::text[]::bigint[],
        ${texts(row => row.id)}::text[],
        ${texts(row => row.event_id)}::text[],
        ${texts(row => row.event_sequence)}::text[]::bigint[],
        ${texts(row => row.event_type)}::text[],
        ${texts(row => row.object_id)}::text[],
        ${texts(row => row.created_at)}::text[]::timestamptz[]
      ) as n(account_id, endpoint_id, number, id, event_id, event_sequence, event_type, object_id,
        created_at)
    ) r on r.account_id = b.account_id
    where ${among('b', rows)}
    order by r.account_id, r.endpoint_id, r.number`
}

/** Pending deliveries of an endpoint, counted up to `limit`. */
export async function countPending(
  tx: TransactionSql,
  { account_id, id }: Key,
  limit: number,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from (
      select from webhook_deliveries
      where account_id = ${account_id} and endpoint_id = ${id} and status = 'pending'
        and object_id >= ''
      order by object_id, number limit ${limit}
    ) d`
  return row?.count ?? 0
}

/** The endpoint's row must be locked. */
export async function cancelPending(
  tx: TransactionSql,
  { account_id, id }: Key,
  limit: number,
  now: Instant,
): Promise<void> {
  await tx`
    update webhook_deliveries d set status = 'cancelled', due_at = null, updated_at = ${now}
    from (
      select p.id from webhook_deliveries p
      where p.account_id = ${account_id} and p.endpoint_id = ${id} and p.status = 'pending'
        and p.object_id >= ''
      order by p.object_id, p.number limit ${limit}
    ) p
    where d.account_id = ${account_id} and d.id = p.id`
}

/** The events whose last delivery is dead, oldest first. Looks up the later ones in an index. */
export async function listDead(
  tx: TransactionSql,
  { account_id, id }: Key,
  limit: number,
): Promise<Deliverable[]> {
  return tx<Deliverable[]>`
    select d.event_id as id, d.event_sequence as sequence, d.event_type as type, d.object_id
    from webhook_deliveries d
    where d.account_id = ${account_id} and d.endpoint_id = ${id} and d.status = 'dead'
      and (
        select 1 from (
          select l.endpoint_id, l.number from webhook_deliveries l
          where l.account_id = ${account_id} and l.event_id = d.event_id and l.event_id <> ''
          offset 0
        ) l
        where l.endpoint_id = d.endpoint_id and l.number > d.number limit 1
      ) is null
    order by d.created_at, d.id limit ${limit}`
}

const COLUMNS = [
  'account_id',
  'endpoint_id',
  'number',
  'id',
  'event_id',
  'event_sequence',
  'event_type',
  'object_id',
  'status',
  'attempts',
  'due_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Delivery)[]

const LISTED: Listed = {
  table: 'webhook_deliveries',
  columns: COLUMNS,
  order: byTime({ column: 'id', type: 'text' }),
  filters: ['endpoint_id'],
}

/**
 * Undefined when the cursor names no delivery of the account. The planner sees the status as a
 * literal and so knows how common it is: the rare dead deliveries have their own index.
 */
export function listDeliveries(
  sql: Tag,
  { account_id, id: endpoint_id }: Key,
  { filters: { status: wanted_statuses }, ...wanted }: Wanted,
): Promise<Page<Delivery> | undefined> {
  const statuses = DELIVERY_STATUSES.filter(status => wanted_statuses?.includes(status))
  const [status, ...more] = statuses.map(status => `'${status}'`)
  const all = [status, ...more].join(', ')
  const equal = more.length === 0 ? `and status = ${status}` : `and status in (${all})`
  const has_status = status === undefined ? sql`` : sql.unsafe(equal)
  // Each begins with the condition of its partial index, word for word.
  const is_dead_only = statuses.every(status => status === 'dead') && status !== undefined
  const indexed = is_dead_only
    ? sql`${has_status}`
    : sql`and created_at > '-infinity' ${has_status}`
  return findPage<Delivery>(
    sql,
    LISTED,
    account_id,
    { ...wanted, filters: { endpoint_id: [endpoint_id] } },
    indexed,
  )
}

/** Deliveries in no order. Ids that are unknown or of other accounts have no row. */
export async function findDeliveries(sql: Tag, keys: readonly Key[]): Promise<Delivery[]> {
  return findByKeys<Delivery>(sql, 'webhook_deliveries', COLUMNS, keys)
}

/** In order; at most eleven. */
export async function listAttempts(sql: Tag, { account_id, id }: Key): Promise<Attempt[]> {
  return sql<Attempt[]>`
    select account_id, delivery_id, number, created_at, duration_ms, status_code, error, answer
    from webhook_attempts where account_id = ${account_id} and delivery_id = ${id}
    order by number`
}

/** The times by the clock of the account, in the same order. */
export async function onAccountClock(
  sql: Tag,
  account_id: string,
  times: readonly Instant[],
): Promise<Instant[]> {
  if (times.length === 0) return []
  const rows = await sql<{ at: Instant }[]>`
    select t.at + b.clock_ahead as at
    from books b, unnest(${[...times]}::text[]::timestamptz[]) with ordinality as t(at, nth)
    where b.account_id = ${account_id} order by t.nth`
  return rows.map(({ at }) => at)
}
