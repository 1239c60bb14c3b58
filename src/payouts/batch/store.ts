// The SQL statements of batches. Rows are written once, under the lock of the account's book and in
// the transaction of the payouts.
import { findByKeys, selectByKeys } from '../../sql/keys.ts'
import { byId } from '../../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../../sql/page.ts'
import { inserter } from '../../sql/rows.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Key } from '../../values/id.ts'
import type { BatchItem, ItemStatus, PayoutBatch, Total } from './batch.ts'

const KINDS = {
  account_id: 'text',
  id: 'text',
  mode: 'text',
  reference_id: 'text',
  metadata: 'json',
  created: 'integer',
  held: 'integer',
  refused: 'integer',
  totals: 'exact_json',
  made_by: 'text',
  created_at: 'timestamptz',
} as const

const COLUMNS = Object.keys(KINDS) as readonly (keyof typeof KINDS)[]

/** Inserts batches. Their items are there already, because the hash of a batch covers them. */
export const insertBatches = inserter<PayoutBatch>('payout_batches', KINDS)

export const insertItems = inserter<BatchItem>('payout_batch_items', {
  account_id: 'text',
  batch_id: 'text',
  position: 'integer',
  status: 'text',
  payout_id: 'text',
  reference_id: 'text',
  problems: 'json',
})

/** Amounts in JSON documents are text. */
type Row = Omit<PayoutBatch, 'totals'> & {
  totals: readonly Record<keyof Total, string>[]
}

/** Batches by (account, id), in no order; a key without a batch has no row. */
export async function findBatches(sql: Tag, keys: readonly Key[]): Promise<PayoutBatch[]> {
  const rows = await findByKeys<Row>(sql, 'payout_batches', COLUMNS, keys)
  return rows.map(fromRow)
}

const LISTED: Listed = {
  table: 'payout_batches',
  columns: COLUMNS,
  order: byId('pob'),
  filters: [
    { name: 'reference_id', by: 'reference_id', leads: 'always' },
    { name: 'mode', by: 'mode', leads: 'never' },
  ],
  kinds: ['mode'],
}

/** A page of the account's batches; undefined when its cursor names none of them. */
export async function listBatches(sql: Tag, account_id: string, wanted: Wanted) {
  const page = await findPage<Row>(sql, LISTED, account_id, wanted)
  return page && { ...page, rows: page.rows.map(fromRow) }
}

/** The items of a batch between two positions, both exclusive. */
export interface WantedItems {
  /** 1 to 100. */
  readonly limit: number
  readonly after: number
  readonly before: number
  /** Whether the page has the first or the last of these items. */
  readonly end: 'first' | 'last'
  readonly statuses: readonly ItemStatus[]
}

/**
 * A page of the items of one batch, in the order of the request. The scan skips items of other
 * statuses one by one: a batch has at most 10,000.
 */
export async function listItems(
  sql: Tag,
  { account_id, id }: Key,
  { limit, after, before, end, statuses }: WantedItems,
): Promise<Page<BatchItem>> {
  const order = end === 'first' ? sql`position` : sql`position desc`
  const rows = await sql<BatchItem[]>`
    select account_id, batch_id, position, status, payout_id, reference_id, problems
    from payout_batch_items
    where account_id = ${account_id} and batch_id = ${id}
      and position > ${after}::integer and position < ${before}::integer
      and status = any (${[...statuses]}::text[])
    order by ${order} limit ${limit + 1}::integer`
  const page = rows.slice(0, limit)
  return { rows: end === 'first' ? page : page.reverse(), has_more: rows.length > limit }
}

/** The position that a cursor names: by itself, or by the id of a payout; undefined for none. */
export async function findPosition(sql: Tag, { account_id, id }: Key, cursor: string) {
  if (/^[0-9]+$/.test(cursor)) return Number(cursor)
  const [row] = await sql<{ position: number }[]>`
    select position from payout_batch_items
    where account_id = ${account_id} and batch_id = ${id} and payout_id = ${cursor}`
  return row?.position
}

/** The first `limit` refused items of each batch, by batch id. */
export async function findRefusedItems(sql: Tag, keys: readonly Key[], limit: number) {
  const rows = await selectByKeys<BatchItem>(
    sql,
    'batch_id',
    keys,
    ofKey => sql`
      select account_id, batch_id, position, status, payout_id, reference_id, problems
      from payout_batch_items t where ${ofKey} and t.status = 'refused'
      order by t.position limit ${limit}::integer`,
  )
  return Map.groupBy(rows, row => row.batch_id)
}

function fromRow({ totals, ...row }: Row): PayoutBatch {
  return {
    ...row,
    totals: totals.map(total => ({
      currency: total.currency,
      payouts: Number(total.payouts),
      amount: BigInt(total.amount),
      fixed_fee: BigInt(total.fixed_fee),
      variable_fee: BigInt(total.variable_fee),
      available_after: BigInt(total.available_after),
    })),
  }
}
