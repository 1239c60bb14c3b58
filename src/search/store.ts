// The SQL statements of a search. Each reads rows of an account, by index or among the newest ones.
import { joinState } from '../payouts/store.ts'
import type { Sql } from '../sql/connect.ts'
import { keysOf, selectByKeys } from '../sql/keys.ts'
import { eachShard, tableAt, within } from '../sql/shard.ts'
import { type Fragment, sql as part, type Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import type { AmountIn } from './rules.ts'

/**
 * How many of an account's newest payouts are compared by what has no index. An index by amount or
 * by the bank's reference would cost every payout.
 */
export const MOST_COMPARED = 10_000

/** Ids, newest first, and whether older payouts were not compared. */
export interface Compared {
  readonly ids: readonly string[]
  readonly is_cut: boolean
}

/** Payouts that pay, deliver or debit one of these amounts. */
export function findByAmount(
  sql: Tag,
  account_id: string,
  amounts: readonly AmountIn[],
  limit: number,
): Promise<Compared> {
  const wanted = part`in (
    select w.currency, w.amount from unnest(
      ${amounts.map(({ currency }) => currency)}::text[],
      ${amounts.map(({ amount }) => String(amount))}::text[]::bigint[]
    ) as w (currency, amount))`
  const rows = part`
    select id, currency, amount::bigint, destination_currency, destination_amount::bigint,
      holding_currency, (holding_amount + fixed_fee + variable_fee)::bigint as debit
    from payouts where account_id = ${account_id}`
  const fits = part`(currency, amount) ${wanted}
    or (destination_currency, destination_amount) ${wanted}
    or (holding_currency, debit) ${wanted}`
  return findAmongNewest(sql, rows, fits, limit)
}

/** Payouts that a bank has paid by this reference. */
export function findByBankReference(
  sql: Tag,
  account_id: string,
  reference: string,
  limit: number,
): Promise<Compared> {
  const rows = part`select id, rail_reference from payout_outcomes where account_id = ${account_id}`
  const fits = part`rail_reference <> ''
    and fold_reference(rail_reference) = (select fold_reference(${reference}))`
  return findAmongNewest(sql, rows, fits, limit)
}

/** Payouts the SHA-256 of whose id begins with these 12 hex digits. */
export function findByDigest(
  sql: Tag,
  account_id: string,
  digits: string,
  limit: number,
): Promise<Compared> {
  const rows = part`select id from payouts where account_id = ${account_id}`
  const digest = part`encode(sha256(convert_to(id, 'UTF8')), 'hex')`
  return findAmongNewest(sql, rows, part`left(${digest}, 12) = ${digits}`, limit)
}

async function findAmongNewest(
  sql: Tag,
  rows: Fragment,
  fits: Fragment,
  limit: number,
): Promise<Compared> {
  const found = await sql<{ compared: number; id: string | null }[]>`
    with newest as materialized (
      ${rows} order by account_id desc, id desc limit (select ${MOST_COMPARED + 1}::integer)
    )
    select c.compared, f.id
    from (select count(*)::integer as compared from newest) c
    left join lateral (
      select id from newest where ${fits} order by id desc limit (select ${limit}::integer)
    ) f on true
    order by f.id desc`
  return {
    ids: found.flatMap(({ id }) => id ?? []),
    is_cut: (found[0]?.compared ?? 0) > MOST_COMPARED,
  }
}

/** The payout whose attempt has this UETR; undefined for none. */
export async function findByAttempt(sql: Tag, account_id: string, uetr: string) {
  const [row] = await sql<{ payout_id: string }[]>`
    select payout_id from payout_attempts
    where account_id = ${account_id} and uetr = ${uetr} limit 1`
  return row?.payout_id
}

interface PayoutFound extends Key {
  readonly created_at: Instant
  readonly amount: bigint
  readonly currency: string
  readonly reference_id: string
  readonly name: string | null
  readonly status: string
}

/** Without the long columns of payouts. */
export function findShownPayouts(sql: Tag, keys: readonly Key[]): Promise<PayoutFound[]> {
  return eachShard(
    keys,
    keys => sql<PayoutFound[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select p.account_id, p.id, p.created_at, p.amount, p.currency, p.reference_id,
          p.beneficiary_details ->> 'name' as name, s.status
        from payouts p ${joinState(sql, keys)}
        where p.account_id = k.account_id and p.id = k.id ${within('p', keys)} limit 1
      ) r`,
  )
}

interface BeneficiaryFound extends Key {
  readonly created_at: Instant
  readonly reference_id: string
  readonly name: string | null
  /** Null: active. */
  readonly status: string | null
  readonly approval: string
  readonly found_by: string
}

export function findShownBeneficiaries(
  sql: Tag,
  keys: readonly Key[],
): Promise<BeneficiaryFound[]> {
  return selectByKeys<BeneficiaryFound>(
    sql,
    'id',
    keys,
    ofKey => part`
      select account_id, id, created_at, details ->> 'name' as name, details ->> 'status' as status,
        coalesce(details ->> 'reference_id', '') as reference_id, approval, found_by
      from ${tableAt(sql, 'beneficiaries')} t where ${ofKey} limit 1`,
  )
}

interface EntityFound extends Key {
  readonly created_at: Instant
  readonly name: string | null
  readonly approval_status: string
  readonly reference_id: string
}

export function findShownEntities(sql: Tag, keys: readonly Key[]): Promise<EntityFound[]> {
  return selectByKeys<EntityFound>(
    sql,
    'id',
    keys,
    ofKey => part`
      select account_id, id, created_at, details ->> 'name' as name, approval_status, reference_id
      from ${tableAt(sql, 'entities')} t where ${ofKey} limit 1`,
  )
}

/** The payouts of any account that a bank has paid by this reference, by index. */
export function findPaidBy(audit: Sql, reference: string, limit: number): Promise<Key[]> {
  return audit<Key[]>`
    select account_id, id from payout_outcomes
    where fold_reference(rail_reference) = fold_reference(${reference}) and rail_reference <> ''
    limit ${limit}::integer`
}
