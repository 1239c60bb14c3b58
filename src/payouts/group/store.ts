// The SQL statements of groups: which payouts a batch or an import has, and which of them wait.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { findAccountOf, keysOf } from '../../sql/keys.ts'
import type { Page, Wanted } from '../../sql/page.ts'
import { eachShard, within } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import { beginningIn, IMPORT_DIGITS, idBound, importId, type Key } from '../../values/id.ts'
import {
  type CountedApprovals,
  isImport,
  MAX_TOGETHER,
  type WaitingPart,
  type WaitingTotal,
} from './group.ts'

/** The account of a group, which approvers name by its id alone; undefined for an unknown id. */
export async function findGroupAccount(sql: Sql, id: string): Promise<string | undefined> {
  if (!isImport(id)) return findAccountOf(sql, 'payout_batches', id)
  const beginning = beginningIn(id)
  const rows = await sql<{ account_id: string }[]>`
    select b.account_id from books b
    cross join lateral (
      select from payout_imports i
      where i.account_id = b.account_id
        and substring(i.import_key for 8) = decode(${beginning}, 'hex') limit 1
    ) i`
  return rows.find(({ account_id }) => importId(account_id, beginning) === id)?.account_id
}

/** Whether the account has the group. */
export async function groupExists(sql: TransactionSql, key: Key): Promise<boolean> {
  const { account_id, id } = key
  if (isImport(id) && importId(account_id, beginningIn(id)) !== id) return false
  const [row] = isImport(id)
    ? await sql`select from (${membersOf(sql, key)} limit 1) m`
    : await sql`select from payout_batches where account_id = ${account_id} and id = ${id}`
  return row !== undefined
}

/** The query of the ids of the group's payouts. Each payout of an import comes twice. */
function membersOf(sql: Tag, key: Key) {
  const { account_id, id } = key
  if (!isImport(id)) {
    return sql`select payout_id from payout_batch_items
      where account_id = ${account_id} and batch_id = ${id} and payout_id <> ''`
  }
  return sql`select payout_id from payout_imports where account_id = ${account_id}
    and substring(import_key for 8) = decode(${beginningIn(id)}, 'hex')`
}

/**
 * The MAX_TOGETHER oldest waiting payouts, in the order of their batch or file. `limit 1` makes
 * each look-up use the index (keysOf).
 */
export async function listWaiting(sql: TransactionSql, key: Key): Promise<Key[]> {
  const { account_id } = key
  const rows = await sql<{ payout_id: string }[]>`
    select distinct m.payout_id from (${membersOf(sql, key)}) m
    cross join lateral (
      select outcome from payout_approvals a
      where a.account_id = ${account_id} and a.payout_id = m.payout_id limit 1
    ) a
    where a.outcome = '' order by m.payout_id limit ${MAX_TOGETHER}::integer`
  return rows.map(({ payout_id: id }) => ({ account_id, id }))
}

/**
 * The parts of the account's MAX_TOGETHER oldest waiting payouts. One transaction makes a batch and
 * its payouts, and no other command of the book has the same time. So the ids of the batch and of
 * its payouts have the same beginning, and the primary key of batches finds the batch of a payout.
 */
export function listWaitingParts(sql: TransactionSql, account_id: string): Promise<WaitingPart[]> {
  return sql<WaitingPart[]>`
    select coalesce(b.id, '') as batch_id, p.beginning, p.currency, count(*)::integer as payouts,
      sum(p.amount)::bigint as amount, min(p.created_at) as since,
      coalesce(array_agg(distinct a.made_by) filter (where a.made_by <> ''), '{}') as made_by
    from (
      select id, 'pob_' || substr(id, 5, 11) as together from open_payouts
      where account_id = ${account_id} and status = 'pending_approval'
      order by id limit ${MAX_TOGETHER}::integer
    ) w
    cross join lateral (
      select left(import_keys, ${IMPORT_DIGITS}::integer) as beginning, currency, amount, created_at
      from payouts p where p.account_id = ${account_id} and p.id = w.id limit 1
    ) p
    cross join lateral (
      select made_by from payout_approvals a
      where a.account_id = ${account_id} and a.payout_id = w.id limit 1
    ) a
    left join lateral (
      select id from payout_batches b
      where b.account_id = ${account_id} and b.id > w.together and b.id < w.together || '~' limit 1
    ) b on true
    where p.beginning <> '' or b.id is not null
    group by 1, 2, 3 order by 3`
}

/** Counts the approvals of the group's payouts by outcome. */
export function countApprovals(sql: TransactionSql, key: Key): Promise<CountedApprovals[]> {
  return sql<CountedApprovals[]>`
    select a.outcome, count(distinct m.payout_id)::integer as payouts
    from (${membersOf(sql, key)}) m
    cross join lateral (
      select outcome from payout_approvals a
      where a.account_id = ${key.account_id} and a.payout_id = m.payout_id limit 1
    ) a
    group by a.outcome`
}

/** The sums of these payouts of one account, by currency. */
export async function sumPayouts(sql: TransactionSql, keys: readonly Key[]) {
  return eachShard(
    keys,
    keys => sql<WaitingTotal[]>`
      select r.currency, count(*)::integer as payouts, sum(r.amount)::bigint as amount
      from ${keysOf(keys)}
      cross join lateral (
        select currency, amount from payouts p
        where p.account_id = k.account_id and p.id = k.id ${within('p', keys)} limit 1
      ) r
      group by r.currency order by r.currency`,
  )
}

/** A page of the payouts that an import has made; undefined when its cursor names no payout. */
export async function listImported(
  sql: TransactionSql,
  key: Key,
  { limit, above, below, cursor }: Wanted,
): Promise<Page<Key> | undefined> {
  const { account_id } = key
  const newest_first = cursor?.towards !== 'newer'
  const bounds = [idBound('pot', above.created_at, above.side), newest_first ? '' : cursor.id]
  const ends = [idBound('pot', below.created_at, below.side)]
  if (newest_first && cursor !== null) ends.push(cursor.id)
  const [after, before] = [bounds.sort().at(-1) ?? '', ends.sort()[0] ?? '']
  const [known, rows] = await Promise.all([
    cursor && sql`select from payouts where account_id = ${account_id} and id = ${cursor.id}`,
    sql<{ id: string }[]>`
      select distinct m.payout_id as id from (${membersOf(sql, key)}) m
      where m.payout_id > (select ${after}) and m.payout_id < (select ${before})
      order by m.payout_id ${newest_first ? sql`desc` : sql``} limit ${limit + 1}::integer`,
  ])
  if (known?.length === 0) return undefined
  const page = rows.slice(0, limit).map(({ id }) => ({ account_id, id }))
  return { rows: newest_first ? page : page.reverse(), has_more: rows.length > limit }
}
