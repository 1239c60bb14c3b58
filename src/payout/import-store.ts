// The statements of what was imported from files. They decide nothing; rows are read and written
// under the lock of the account's book.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { inserter } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import type { ImportedPayout } from './import.ts'

/** A key of an account's imports; 64 hex digits. */
export interface ImportName {
  readonly account_id: string
  readonly import_key: string
}

/** The payouts of these keys as they are now. */
export async function findImportedPayouts(
  sql: TransactionSql | Sql,
  wanted: readonly ImportName[],
): Promise<(ImportName & ImportedPayout)[]> {
  return eachShard(wanted, wanted => {
    const account_ids = wanted.map(({ account_id }) => account_id)
    const keys = wanted.map(({ import_key }) => import_key)
    // One index look-up a key, by the limit; see keysOf.
    return sql<(ImportName & ImportedPayout)[]>`
      select k.account_id, k.import_key, r.*
      from unnest(${account_ids}::text[], ${keys}::text[]) as k(account_id, import_key)
      cross join lateral (
        select i.payout_id, s.status, p.created_at, p.currency, p.amount, p.holding_currency,
          p.holding_amount + p.fixed_fee + p.variable_fee as total_debit
        from payout_imports i
        join payouts p on p.account_id = i.account_id and p.id = i.payout_id
        join payout_states s on s.account_id = i.account_id and s.id = i.payout_id
        where i.account_id = k.account_id and i.import_key = decode(k.import_key, 'hex')
          ${within(sql, 'i', wanted)} ${within(sql, 'p', wanted)}
          ${within(sql, 's', wanted)}
        limit 1
      ) r`
  })
}

/** A payment that is made once more is from then on the newer payout's. */
export const insertImportedPayouts = inserter<ImportName & { readonly payout_id: string }>(
  'payout_imports',
  { account_id: 'text', import_key: 'hex', payout_id: 'text' },
  'on conflict (account_id, import_key) do update set payout_id = excluded.payout_id',
)
