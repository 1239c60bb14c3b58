// Statements of imported payouts. They run under the lock of the account's book.
import type { PayoutStatus } from '../payouts/states.ts'
import { inserter } from '../sql/rows.ts'
import { eachShard, within } from '../sql/shard.ts'
import type { Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'

/** A key of a row or of a payment (paid-once.ts); `import_key` is 64 hex digits. */
export interface ImportKey {
  readonly account_id: string
  readonly import_key: string
}

export interface Cost {
  readonly currency: string
  readonly amount: bigint
  readonly holding_currency: string
  /** The amount that leaves the balance, fees included. */
  readonly total_debit: bigint
}

/** A payout that an import made, as it is now. */
export interface ImportedPayout extends Cost {
  readonly payout_id: string
  readonly status: PayoutStatus
  readonly created_at: Instant
}

/** The payouts of an import, as they are now. */
export async function findImportedPayouts(
  sql: Tag,
  import_keys: readonly ImportKey[],
): Promise<(ImportKey & ImportedPayout)[]> {
  return eachShard(import_keys, keys_of_shard => {
    const account_ids = keys_of_shard.map(({ account_id }) => account_id)
    const keys = keys_of_shard.map(({ import_key }) => import_key)
    // Each `limit 1` makes the planner use one index look-up a key; keysOf (sql/keys.ts) says why.
    return sql<(ImportKey & ImportedPayout)[]>`
      select k.account_id, k.import_key, i.payout_id, s.status, p.created_at, p.currency, p.amount,
        p.holding_currency, p.holding_amount + p.fixed_fee + p.variable_fee as total_debit
      from unnest(${account_ids}::text[], ${keys}::text[]) as k(account_id, import_key)
      cross join lateral (
        select payout_id from payout_imports i
        where i.account_id = k.account_id and i.import_key = decode(k.import_key, 'hex')
          ${within('i', keys_of_shard)}
        limit 1
      ) i
      cross join lateral (
        select * from payouts p
        where p.account_id = k.account_id and p.id = i.payout_id ${within('p', keys_of_shard)}
        limit 1
      ) p
      cross join lateral (
        select status from payout_states s
        where s.account_id = k.account_id and s.id = i.payout_id ${within('s', keys_of_shard)}
        limit 1
      ) s`
  })
}

/** If a payment is made once more, its key names the newer payout from then on. */
export const insertImportedPayouts = inserter<ImportKey & { readonly payout_id: string }>(
  'payout_imports',
  { account_id: 'text', import_key: 'hex', payout_id: 'text' },
  'on conflict (account_id, import_key) do update set payout_id = excluded.payout_id',
)
