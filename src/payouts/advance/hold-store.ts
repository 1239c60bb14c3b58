// The SQL statements of holds, which are payouts that wait for the review of an entity, and of
// ended reviews, whose holds a worker ends.
import { readConfined, transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { keysOf } from '../../sql/keys.ts'
import { inserter } from '../../sql/rows.ts'
import { among, eachShard, isSpread, stepByStep, within } from '../../sql/shard.ts'
import { type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'

export interface Hold {
  readonly account_id: string
  readonly entity_id: string
  readonly payout_id: string
}

/** Inserts holds. A payout has a hold while its `held_for` is set. */
export const insertHolds = inserter<Hold>('holds', {
  account_id: 'text',
  entity_id: 'text',
  payout_id: 'text',
})

export function deleteHolds(tx: TransactionSql, holds: readonly Hold[]) {
  return eachShard(
    holds,
    holds => tx`
      delete from holds d where ctid = any (array(
          select h.place
          from unnest(${holds.map(h => h.account_id)}::text[],
            ${holds.map(h => h.entity_id)}::text[], ${holds.map(h => h.payout_id)}::text[])
            as k(account_id, entity_id, payout_id)
          cross join lateral (
            select ctid as place from holds h where h.account_id = k.account_id
              and h.entity_id = k.entity_id and h.payout_id = k.payout_id
              ${within('h', holds)} limit 1
          ) h
        )) ${within('d', holds)}`,
  )
}

/** Queues ended reviews for the worker: one row for each entity, however many payouts wait. */
export function upsertEndedReviews(tx: TransactionSql, entities: readonly Key[], now: Instant) {
  return eachShard(
    uniqueKeys(entities),
    keys => tx`
      insert into ended_reviews (account_id, entity_id, due_at)
      select b.account_id, k.id, ${now}::timestamptz
      from books b join ${keysOf(keys)} on k.account_id = b.account_id
      where ${among('b', keys)}
      on conflict (account_id, entity_id) do update set due_at = excluded.due_at`,
  )
}

/** A claimed review. No other worker ends its holds before `due_at`, which identifies the claim. */
export interface ClaimedReview {
  readonly account_id: string
  readonly entity_id: string
  readonly due_at: Instant
}

/** Claims up to `limit` ended reviews for `lease_ms`. An unfinished claim comes due again. */
export async function claimEndedReviews(
  { finder, sql }: { readonly finder: Sql; readonly sql: Sql },
  limit: number,
  lease_ms: number,
): Promise<ClaimedReview[]> {
  const due = await finder<{ account_id: string; entity_id: string }[]>`
    select account_id, entity_id from ended_reviews
    where due_at <= statement_timestamp() order by due_at limit ${limit}`
  const claims = due.map(({ account_id, entity_id }) =>
    transactConfined(
      sql,
      [account_id],
      tx => tx<ClaimedReview[]>`
        update ended_reviews
        set due_at = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
        where account_id = ${account_id} and entity_id = ${entity_id}
          and due_at <= statement_timestamp()
        returning account_id, entity_id, due_at`,
    ),
  )
  return (await Promise.all(claims)).flat()
}

/** Up to `limit` payouts that wait for an entity. */
export async function listHeldPayouts(
  sql: Sql,
  { account_id, entity_id }: ClaimedReview,
  limit: number,
): Promise<Hold[]> {
  return readConfined(
    sql,
    [account_id],
    tx => tx<Hold[]>`
      select account_id, entity_id, payout_id from holds
      where account_id = ${account_id} and entity_id = ${entity_id}
      order by payout_id limit ${limit}`,
  )
}

/** Deletes a review that no payout waits for, unless a later review has ended since. */
export async function deleteEndedReview(sql: Sql, review: ClaimedReview): Promise<void> {
  await transactConfined(
    sql,
    [review.account_id],
    tx => tx`
      delete from ended_reviews where account_id = ${review.account_id}
        and entity_id = ${review.entity_id} and due_at = ${review.due_at}`,
  )
}

/** Makes a review due at once, because more payouts wait than were listed. */
export async function renewEndedReview(sql: Sql, review: ClaimedReview): Promise<void> {
  await transactConfined(
    sql,
    [review.account_id],
    tx => tx`
      update ended_reviews set due_at = statement_timestamp()
      where account_id = ${review.account_id} and entity_id = ${review.entity_id}
        and due_at = ${review.due_at}`,
  )
}

/** How many payouts wait for each of these entities, by `account_id/id`. */
export async function countHeldPayouts(sql: Sql, entities: readonly Key[]) {
  const counts = await eachShard(
    entities,
    entities => sql<(Key & { held: number })[]>`
      select k.account_id, k.id, h.held from ${keysOf(entities)}
      cross join lateral (
        select count(*)::integer as held from holds h
        where h.account_id = k.account_id and h.entity_id = k.id ${within('h', entities)}
      ) h`,
  )
  return new Map(counts.map(count => [nameOf(count), count.held]))
}

/**
 * The entities that payouts wait for, in all accounts or in one. The query skips by index from one
 * entity to the next, however many payouts wait for each.
 */
export async function listHoldingEntities(sql: Sql, account_id: string | null): Promise<Key[]> {
  if (account_id === null && isSpread()) {
    return stepByStep<Key>(
      last => sql<Key[]>`
        select account_id, entity_id as id from holds
        where (account_id, entity_id) > (${last?.account_id ?? ''}, ${last?.id ?? ''})
        order by account_id, entity_id limit 1`,
    )
  }
  const scope = account_id === null ? sql`true` : sql`h.account_id = ${account_id}`
  return sql<Key[]>`
    with recursive holding as (
      (select account_id, entity_id from holds h where ${scope}
        order by account_id, entity_id limit 1)
      union all
      select next.* from holding
      cross join lateral (
        select account_id, entity_id from holds h
        where ${scope} and (h.account_id, h.entity_id) > (holding.account_id, holding.entity_id)
        order by account_id, entity_id limit 1
      ) next
    )
    select account_id, entity_id as id from holding`
}
