// The search of payouts by their metadata. A row covers the payouts with successive journals in the
// book, and has a hash of each of their pairs. A search walks these few rows and reads the payouts
// of each row with the hashes; the metadata of the payout decides. All writes are under the lock of
// the book.
import type { TransactionSql } from '../sql/connect.ts'
import type { Filter, Filters } from '../sql/page.ts'
import { inserter } from '../sql/rows.ts'
import { hashText, tableAt } from '../sql/shard.ts'
import type { Fragment, Tag } from '../sql/sql.ts'
import { type Key, numberIn } from '../values/id.ts'
import { type Pair, pairFrom } from '../values/text/found-by.ts'
import { metadataOf } from './metadata.ts'
import type { Payout } from './payout.ts'

/**
 * The low bits of a journal's number that rows leave out. 64 journals share a row: the debits and
 * settlements of some 32 payouts.
 */
const PART_BITS = 6n

interface PartRow {
  readonly account_id: string
  readonly part: bigint
  readonly first_id: string
  readonly last_id: string
  /** A hash for each pair of each payout, so that the hashes of one payout can be removed. */
  readonly hashes: readonly number[]
}

type WithMetadata = Key & Pick<Payout, 'balance_transaction_id' | 'metadata' | 'particulars'>

const addToParts = inserter<PartRow>(
  'payout_metadata',
  {
    account_id: 'text',
    part: 'bigint',
    first_id: 'text',
    last_id: 'text',
    hashes: 'integers',
  },
  `on conflict (account_id, part) do update set
    first_id = least(t.first_id, excluded.first_id),
    last_id = greatest(t.last_id, excluded.last_id), hashes = t.hashes || excluded.hashes`,
)

/** Adds the hashes of these payouts; a payout without metadata adds nothing. */
export function insertMetadata(tx: TransactionSql, payouts: readonly WithMetadata[]) {
  return addToParts(tx, partsOf(payouts))
}

/** Replaces the hashes after a change of metadata. */
export function replaceMetadata(
  tx: TransactionSql,
  before: readonly WithMetadata[],
  after: readonly WithMetadata[],
) {
  const accounts = Map.groupBy(before, ({ account_id }) => account_id)
  return [
    ...[...accounts].map(([account_id, payouts]) => removeMetadata(tx, account_id, payouts)),
    insertMetadata(tx, after),
  ]
}

/** Removes the hashes of these payouts of an account. */
export function removeMetadata(
  tx: TransactionSql,
  account_id: string,
  payouts: readonly WithMetadata[],
): Promise<unknown> {
  const rows = partsOf(payouts)
  if (rows.length === 0) return Promise.resolve()
  // Finds the row by its place, so that every plan of the statement uses the primary key.
  return tx`
    update ${tableAt(tx, 'payout_metadata')} m
    set hashes = array(select unnest(m.hashes) except all select unnest(g.hashes::integer[]))
    from unnest(
      ${rows.map(({ part }) => String(part))}::text[]::bigint[],
      ${rows.map(({ hashes }) => arrayOf(hashes))}::text[]
    ) as g (part, hashes)
    cross join lateral (
      select ctid as place from ${tableAt(tx, 'payout_metadata')} t
      where t.account_id = ${account_id} and t.part = g.part limit 1
    ) t
    where m.ctid = t.place and m.account_id = ${account_id}`.execute()
}

/** The rows of these payouts, which come in any order. */
function partsOf(payouts: readonly WithMetadata[]): PartRow[] {
  const rows = new Map<string, PartRow & { first_id: string; last_id: string; hashes: number[] }>()
  for (const payout of payouts) {
    const pairs = Object.entries(metadataOf(payout) ?? {})
    if (pairs.length === 0) continue
    const { account_id, id } = payout
    const part = numberIn(payout.balance_transaction_id) >> PART_BITS
    const name = `${account_id}/${part}`
    const row = rows.get(name)
    const hashes = pairs.map(hashOf)
    if (row === undefined) rows.set(name, { account_id, part, first_id: id, last_id: id, hashes })
    else {
      if (id < row.first_id) row.first_id = id
      if (id > row.last_id) row.last_id = id
      row.hashes.push(...hashes)
    }
  }
  return [...rows.values()]
}

/** Two pairs with the same hash only cost the read of one more payout. */
function hashOf([key, value]: Pair): number {
  return hashText(`${key}\n${value}`)
}

const arrayOf = (hashes: readonly number[]) => `{${hashes.join(',')}}`

/**
 * The filter by pairs. It goes from one part that has a hash of each pair to the next such part,
 * until the page is full. The query counts its rows itself, because a planner that expects few
 * parts would read all of them and sort. `coalesce` hides that expectation from the planner.
 */
export const BY_METADATA: Filter = {
  name: 'metadata',
  by: 'part',
  leads: 'always',
  walk(sql, { account_id, after, before, limit, newest_first, filters }, rangeOf) {
    const hashes = arrayOf((filters.metadata ?? []).map(text => hashOf(pairFrom(text))))
    const [first = ''] = after
    const [last = ''] = before
    const [start, next, order] = newest_first
      ? [AFTER_ALL, sql`m.part < w.part`, sql`desc`]
      : [BEFORE_ALL, sql`m.part > w.part`, sql``]
    return sql`
      with recursive w (part, ids, found) as (
        select ${start}::text::bigint, '{}'::text[] collate "C", 0
        union all
        select n.part, r.ids, w.found + cardinality(r.ids) from w
        cross join lateral (
          select m.part, m.first_id, m.last_id from payout_metadata m
          where m.account_id = ${account_id} and ${next}
            and coalesce(m.hashes @> (select ${hashes}::text::integer[]), false)
            and m.last_id > (select ${first}::text) and m.first_id < (select ${last}::text)
          order by m.part ${order} limit 1
        ) n
        cross join lateral (
          select coalesce(array_agg(id), '{}') as ids
          from (${rangeOf(sql`and p.id between n.first_id and n.last_id`)}) of_part
        ) r
        where w.found < (select ${limit}::integer)
      )
      select r.* from w cross join lateral unnest(w.ids) as i (id)
      cross join lateral (${rangeOf(sql`and p.id = i.id`)}) r
      order by r.id ${order} limit (select ${limit}::integer)`
  },
}

const AFTER_ALL = String(2n ** 63n - 1n)
const BEFORE_ALL = '-1'

/**
 * The filters that lead to a page, and the condition that each payout of the page has all pairs. If
 * no other filter is selective, the pairs lead.
 */
export function pairFilters(
  sql: Tag,
  { metadata = [], ...filters }: Filters,
): readonly [Filters, Fragment] {
  if (metadata.length === 0) return [filters, sql``]
  const hasSelectiveFilter = ['quote', 'reference_id', 'beneficiary', 'scheduled'].some(
    name => name in filters,
  )
  const pairs = metadata.map(pairFrom)
  const condition = sql`and not exists (
    select from unnest(
      ${pairs.map(([key]) => key)}::text[], ${pairs.map(([, value]) => value)}::text[]
    ) as w (key, value)
    where coalesce(s.metadata, p.particulars -> 'metadata') ->> w.key is distinct from w.value)`
  return [hasSelectiveFilter ? filters : { ...filters, metadata }, condition]
}
