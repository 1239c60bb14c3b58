// Has the rails of payouts asked at once, because there is news of them.
import type { TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { within } from '../db/shard.ts'
import { type Key, nameOf } from '../id.ts'

export async function wakePayouts(tx: TransactionSql, keys: readonly Key[]): Promise<void> {
  const ordered = keys.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  await tx`
    update open_payouts o set ask_rail_at = statement_timestamp() from (
      select r.* from ${keysOf(tx, ordered)}
      cross join lateral (
        select ctid as place from open_payouts t
        where t.account_id = k.account_id and t.id = k.id ${within(tx, 't', ordered)}
        limit 1 for update
      ) r
    ) k
    where o.ctid = k.place ${within(tx, 'o', ordered)}`
}
