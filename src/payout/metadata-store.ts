// The statements of the pairs of metadata by which payouts are found, of payouts that have any.
import type { Fragment } from 'postgres'
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { Filter, Filters } from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import { among, eachShard } from '../db/shard.ts'
import { pairOf } from '../found-by.ts'
import { metadataOf } from './metadata.ts'
import type { Payout } from './payout.ts'

const insertRows = inserter<{ account_id: string; pair: string; id: string }>('payout_metadata', {
  account_id: 'text',
  pair: 'text',
  id: 'text',
})

/** With the payouts; none of them has a row without metadata. */
export function insertMetadata(tx: TransactionSql, payouts: readonly Payout[]) {
  const rows = payouts.flatMap(payout => {
    const { account_id, id } = payout
    const pairs = new Set(Object.entries(metadataOf(payout) ?? {}).map(pairOf))
    return [...pairs].map(pair => ({ account_id, pair, id }))
  })
  return rows.length > 0 && insertRows(tx, rows)
}

/** After the metadata of these payouts has changed. */
export function replaceMetadata(tx: TransactionSql, payouts: readonly Payout[]) {
  const ids = payouts.map(({ id }) => id)
  return [
    eachShard(
      payouts,
      of =>
        tx`
        delete from payout_metadata m
        where ${among(tx, 'm', of)} and m.id = any (${ids}::text[])`,
    ),
    insertMetadata(tx, payouts),
  ]
}

/** The filter by a pair: the list of payouts that have it. */
export const BY_METADATA: Filter = {
  name: 'metadata',
  by: 'pair',
  leads: 'always',
  kept: () => ({ table: 'payout_metadata', stated: 'true', alone: true }),
}

/**
 * Where nothing else finds few payouts, the first pair leads. The others are conditions of each
 * payout.
 */
export function partedPairs(
  sql: Sql | TransactionSql,
  account_id: string,
  { metadata = [], ...filters }: Filters,
): readonly [Filters, Fragment] {
  const isNarrow = ['quote', 'reference_id', 'beneficiary', 'scheduled'].some(
    name => name in filters,
  )
  const leading = isNarrow ? [] : metadata.slice(0, 1)
  const besides = metadata.slice(leading.length).reduce(
    (all, pair) => sql`${all} and exists (
      select from payout_metadata m
      where m.account_id = ${account_id} and m.pair = (select ${pair}::text) and m.id = p.id)`,
    sql``,
  )
  return [leading.length === 0 ? filters : { ...filters, metadata: leading }, besides]
}
