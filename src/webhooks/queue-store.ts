// Statements of the delivery worker. All but listEndpointsWithWork and deleteOldDeliveries run
// under the lock of the endpoint's row. rules.ts decides what follows an attempt.
import { transactConfined } from '../sql/confine.ts'
import { rowsAsJson, type Sql, type TransactionSql } from '../sql/connect.ts'
import { type Connections, PORTION } from '../sql/delete-expired.ts'
import { keepHistory } from '../sql/keep-history.ts'
import { inserter } from '../sql/rows.ts'
import { isSpread, stepByStep } from '../sql/shard.ts'
import type { NamedEvent } from '../statements/event/event.ts'
import { type ReadRow, unfold } from '../statements/event/row.ts'
import { READ_COLUMNS } from '../statements/event/store.ts'
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { ENDPOINT_COLUMNS } from './store.ts'
import type { Attempt, Delivery, DeliveryStatus, WebhookEndpoint } from './webhook.ts'

interface EndpointWithWork extends Key {
  /** Whether the account has events that are not fanned out to the endpoint. */
  readonly to_fan_out: boolean
  readonly due: boolean
}

// Statements address rows by ctid, which the lock keeps valid. A plan made while the table was
// empty might else read the whole queue by another index. For the same reason claims are compared
// by `is not distinct from`, which no index serves.

/**
 * One index look-up for each endpoint, so that no backlog hides another. "Due" compares with
 * statement_timestamp(), which bounds an index scan; the volatile clock_timestamp() does not.
 */
export function listEndpointsWithWork(finder: Sql): Promise<EndpointWithWork[]> {
  return finder<EndpointWithWork[]>`
    select e.account_id, e.id, e.fanned_out < b.event_count as to_fan_out,
      d.id is not null as due
    from webhook_endpoints e
    cross join lateral (
      select event_count from books b where b.account_id = e.account_id limit 1
    ) b
    left join lateral (
      select id from webhook_deliveries d
      where d.account_id = e.account_id and d.endpoint_id = e.id
        and d.due_at <= statement_timestamp()
      order by d.due_at limit 1
    ) d on true
    where e.status = 'enabled' and (e.fanned_out < b.event_count or d.id is not null)`
}

/** Until the transaction ends, no other transaction changes its deliveries. */
export interface LockedEndpoint extends WebhookEndpoint {
  readonly event_count: bigint
  readonly account_now: Instant
}

/**
 * Undefined when it is deleted or, without `wait`, another transaction holds it. Sends the
 * statement at once, so that every later one runs under the lock.
 */
export async function lockEndpoint(
  tx: TransactionSql,
  { account_id, id }: Key,
  wait: boolean,
): Promise<LockedEndpoint | undefined> {
  const rows = tx<LockedEndpoint[]>`
    select ${tx(ENDPOINT_COLUMNS)}, b.event_count,
      clock_timestamp() + b.clock_ahead as account_now
    from webhook_endpoints e
    cross join lateral (
      select event_count, clock_ahead from books b where b.account_id = ${account_id} limit 1
    ) b
    where e.account_id = ${account_id} and e.id = ${id}
    for update of e ${wait ? tx`` : tx`skip locked`}`.execute()
  return (await rows)[0]
}

/** Deliveries were made from the events up to number `fanned_out`. */
export function moveCursor(
  tx: TransactionSql,
  { account_id, id }: Key,
  fanned_out: bigint,
  made: number,
) {
  return tx`
    update webhook_endpoints
    set fanned_out = ${fanned_out}, delivery_count = delivery_count + ${made}::integer
    where account_id = ${account_id} and id = ${id}`
}

/** A delivery with its event. No other worker sends it before `due_at`, which names the claim. */
export interface ClaimedDelivery extends Pick<Delivery, 'id' | 'due_at'> {
  readonly event: NamedEvent
  /** The number of its attempts, the coming one included. */
  readonly attempts: number
  /** Seconds since the event, by the account's clock. */
  readonly delay_s: number
  /** Whether the account is a sandbox. Its delays mean nothing, because its clock can be moved. */
  readonly sandbox: boolean
}

/** The longest due ones. A delivery without a recorded result comes due when its claim ends. */
export async function claimDeliveries(
  tx: TransactionSql,
  { account_id, id: endpoint_id }: Key,
  limit: number,
  lease_ms: number,
): Promise<ClaimedDelivery[]> {
  const claims = await tx<Claim[]>`
    with claimed as (
      update webhook_deliveries set attempts = attempts + 1,
        due_at = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
      where account_id = ${account_id} and ctid = any (array(
          select ctid from webhook_deliveries
          where account_id = ${account_id} and endpoint_id = ${endpoint_id}
            and due_at <= statement_timestamp()
          order by due_at limit ${limit}
        ))
        and (
          select status from webhook_endpoints
          where account_id = ${account_id} and id = ${endpoint_id} limit 1
        ) = 'enabled'
      returning account_id, id, due_at, attempts, event_sequence
    )
    select c.id, c.due_at, c.attempts, c.event_sequence, e.*,
      extract(epoch from statement_timestamp() + b.clock_ahead - e.created_at)::float8 as delay_s,
      b.sandbox
    from claimed c
    cross join lateral (
      select clock_ahead, sandbox from books where account_id = ${account_id} limit 1
    ) b
    cross join lateral (
      select ${tx(READ_COLUMNS)} from events
      where account_id = ${account_id} and sequence >= c.event_sequence
      order by sequence limit 1
    ) e`
  return claims.map(({ event_sequence, id, due_at, attempts, delay_s, sandbox, ...row }) => {
    const event = unfold([row]).find(({ sequence }) => sequence === event_sequence)
    if (event === undefined) throw new Error(`account ${account_id} has no event ${event_sequence}`)
    return { event, id, due_at, attempts, delay_s, sandbox }
  })
}

interface Claim
  extends ReadRow,
    Pick<ClaimedDelivery, 'id' | 'due_at' | 'attempts' | 'delay_s' | 'sandbox'> {
  readonly event_sequence: bigint
}

export interface DeliveryResult extends Omit<Attempt, 'account_id' | 'created_at'> {
  readonly claimed_until: Instant | null
  readonly status: DeliveryStatus
  readonly retry_in_ms: number | null
}

/**
 * Records each delivery's result with its attempt, and makes the next delivery about its object
 * due. Drops results whose claim has run out. Returns the ids of the recorded deliveries.
 */
export async function applyResults(
  tx: TransactionSql,
  endpoint: Key,
  results: readonly DeliveryResult[],
): Promise<ReadonlySet<string>> {
  if (isSpread()) return applyInSteps(tx, endpoint, results)
  const { account_id, id: endpoint_id } = endpoint
  // Every part of the statement sees the rows as they were before it, so the next delivery has a
  // higher number than the ended one. The bounds fit the index of pending deliveries alone.
  const rows = await tx<{ id: string }[]>`
    with clock as materialized (
      select statement_timestamp() + clock_ahead as account_now from books
      where account_id = ${account_id} limit 1
    ), applied as (
      update webhook_deliveries d set status = r.status,
        updated_at = (select account_now from clock),
        due_at = statement_timestamp() + r.retry_in_ms * interval '1 millisecond'
      from json_to_recordset(${rowsAsJson(results)}::text::json)
        as r(delivery_id text, claimed_until timestamptz, status text, retry_in_ms float8,
          number integer, duration_ms integer, status_code integer, error text, answer text)
      cross join lateral (
        select ctid as at from webhook_deliveries k
        where k.account_id = ${account_id} and k.id = r.delivery_id limit 1
      ) k
      where d.ctid = k.at and d.due_at is not distinct from r.claimed_until
      returning d.id, d.object_id, d.number as place, d.status, r.number, r.duration_ms,
        r.status_code, r.error, r.answer
    ), kept as (
      insert into webhook_attempts (account_id, delivery_id, number, created_at, duration_ms,
        status_code, error, answer)
      select ${account_id}, id, number, account_now, duration_ms, status_code, error, answer
      from applied, clock
    ), woken as (
      update webhook_deliveries set due_at = statement_timestamp()
      where ctid = any (array(
          select n.at from applied a
          cross join lateral (
            select ctid as at from webhook_deliveries w
            where w.account_id = ${account_id} and w.endpoint_id = ${endpoint_id}
              and w.object_id >= a.object_id and w.object_id <= a.object_id
              and w.status = 'pending' and w.number > a.place
            order by w.object_id, w.number limit 1
          ) n
          where a.status <> 'pending'
        ))
    )
    select id from applied`
  return new Set(rows.map(row => row.id))
}

/** Citus does not insert in a distributed statement's CTE. */
async function applyInSteps(
  tx: TransactionSql,
  { account_id, id: endpoint_id }: Key,
  results: readonly DeliveryResult[],
): Promise<ReadonlySet<string>> {
  const [clock] = await tx<{ now: Instant; account_now: Instant }[]>`
    select statement_timestamp() as now, statement_timestamp() + clock_ahead as account_now
    from books where account_id = ${account_id}`
  if (clock === undefined) throw new Error(`account ${account_id} has no book`)
  const rows = await endAttempts(tx, { account_id, results, ...clock })
  const applied = new Set(rows.map(row => row.id))
  const attempts = results.filter(({ delivery_id }) => applied.has(delivery_id))
  const ended = rows.filter(({ status }) => status !== 'pending')
  await Promise.all([
    insertAttempts(
      tx,
      attempts.map(attempt => ({ ...attempt, account_id, created_at: clock.account_now })),
    ),
    ended.length > 0 && wakeNext(tx, { account_id, endpoint_id, ended, now: clock.now }),
  ])
  return applied
}

interface EndedAttempt extends Pick<Delivery, 'id' | 'object_id' | 'status'> {
  readonly place: bigint
}

function endAttempts(
  tx: TransactionSql,
  of: {
    readonly account_id: string
    readonly results: readonly DeliveryResult[]
    readonly now: Instant
    readonly account_now: Instant
  },
) {
  // `at time zone 'UTC'` makes the expression independent of settings, as Citus demands.
  return tx<EndedAttempt[]>`
    update webhook_deliveries d set status = r.status, updated_at = ${of.account_now}::timestamptz,
      due_at = (${of.now}::timestamptz at time zone 'UTC'
        + r.retry_in_ms * interval '1 millisecond') at time zone 'UTC'
    from json_to_recordset(${rowsAsJson(of.results)}::text::json)
      as r(delivery_id text, claimed_until timestamptz, status text, retry_in_ms float8)
    cross join lateral (
      select ctid as at from webhook_deliveries k
      where k.account_id = ${of.account_id} and k.id = r.delivery_id limit 1
    ) k
    where d.account_id = ${of.account_id} and d.ctid = k.at
      and d.due_at is not distinct from r.claimed_until
    returning d.id, d.object_id, d.number as place, d.status`
}

const insertAttempts = inserter<Attempt>('webhook_attempts', {
  account_id: 'text',
  delivery_id: 'text',
  number: 'integer',
  created_at: 'timestamptz',
  duration_ms: 'integer',
  status_code: 'integer',
  error: 'text',
  answer: 'text',
})

/** Fits the index of pending deliveries alone. */
function wakeNext(
  tx: TransactionSql,
  of: {
    readonly account_id: string
    readonly endpoint_id: string
    readonly ended: readonly EndedAttempt[]
    readonly now: Instant
  },
) {
  return tx`
    update webhook_deliveries set due_at = ${of.now}::timestamptz
    where account_id = ${of.account_id} and ctid = any (array(
        select n.at from unnest(${of.ended.map(row => row.object_id)}::text[],
          ${of.ended.map(row => String(row.place))}::text[]::bigint[]) as a(object_id, place)
        cross join lateral (
          select ctid as at from webhook_deliveries w
          where w.account_id = ${of.account_id} and w.endpoint_id = ${of.endpoint_id}
            and w.object_id >= a.object_id and w.object_id <= a.object_id
            and w.status = 'pending' and w.number > a.place
          order by w.object_id, w.number limit 1
        ) n
      ))`
}

/** Its deliveries stay pending until it is enabled. */
export function disableGoneEndpoint(
  tx: TransactionSql,
  { account_id, id, account_now }: LockedEndpoint,
) {
  const disable = () =>
    tx`
    update webhook_endpoints
    set status = 'disabled', disabled_reason = 'gone', updated_at = ${account_now}
    where account_id = ${account_id} and id = ${id} and status = 'enabled'`.execute()
  return keepHistory(tx, 'webhook_endpoints', [{ account_id, id }], disable)
}

/** Ended deliveries are kept for this many days of the account's clock. */
const KEPT_DAYS = 30

/** Deletes with their attempts; returns how many. */
export async function deleteOldDeliveries({ finder, sql }: Connections): Promise<number> {
  let deleted = 0
  for (const queue of await listQueues(finder)) {
    for (let count = PORTION; count === PORTION; deleted += count) {
      count = await transactConfined(sql, [queue.account_id], tx => deleteOldOf(tx, queue))
    }
  }
  return deleted
}

type Queue = Pick<Delivery, 'account_id' | 'endpoint_id'>

/** Deleted ones too. Skips along the index from one to the next. */
async function listQueues(finder: Sql): Promise<Queue[]> {
  if (isSpread()) {
    return stepByStep<Queue>(
      last => finder<Queue[]>`
        select account_id, endpoint_id from webhook_deliveries
        where (account_id, endpoint_id) > (${last?.account_id ?? ''}, ${last?.endpoint_id ?? ''})
          and created_at > '-infinity'
        order by account_id, endpoint_id limit 1`,
    )
  }
  return finder<Queue[]>`
    with recursive queues as (
      (select account_id, endpoint_id from webhook_deliveries where created_at > '-infinity'
        order by account_id, endpoint_id limit 1)
      union all
      select n.account_id, n.endpoint_id from queues q
      cross join lateral (
        select account_id, endpoint_id from webhook_deliveries d
        where (d.account_id, d.endpoint_id) > (q.account_id, q.endpoint_id)
          and d.created_at > '-infinity'
        order by d.account_id, d.endpoint_id limit 1
      ) n
    )
    select account_id, endpoint_id from queues`
}

async function deleteOldOf(tx: TransactionSql, { account_id, endpoint_id }: Queue) {
  const [row] = await tx<{ count: number }[]>`
    with old as materialized (
      select d.id, d.at from (
        select statement_timestamp() + clock_ahead - ${`${KEPT_DAYS} days`}::interval as instant
        from books where account_id = ${account_id}
      ) before
      cross join lateral (
        select id, ctid as at from webhook_deliveries
        where account_id = ${account_id} and endpoint_id = ${endpoint_id}
          and created_at > '-infinity' and created_at < before.instant
          and updated_at < before.instant and status <> 'pending'
        order by created_at limit ${PORTION}
      ) d
    ), attempts as (
      delete from webhook_attempts a using old
      where a.account_id = ${account_id} and a.delivery_id = old.id
    ), deliveries as (
      delete from webhook_deliveries
      where account_id = ${account_id} and ctid = any (array(select at from old))
        and status <> 'pending'
      returning id
    )
    select count(*)::integer as count from deliveries`
  return row?.count ?? 0
}
