// Deletes quotes that nothing has used, long after they have expired: a quote costs nothing, so
// a key without money can make them without end. The event of a deleted quote stays.
import { transactConfined } from '../sql/confine.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { type Connections, PORTION } from '../sql/delete-expired.ts'
import { byShard, within } from '../sql/shard.ts'
import { PRICED_TYPES } from './quote.ts'

/** How many days after its end an unused quote is deleted. The trigger of quotes has it too. */
export const KEPT_DAYS = 90

/** How many accounts one statement looks through: one look-up in an index for each type. */
const ACCOUNTS_AT_ONCE = 500

interface Owner {
  readonly account_id: string
}

/** Returns the number of quotes deleted. */
export async function deleteOldQuotes({ finder, sql }: Connections): Promise<number> {
  const accounts = await finder<Owner[]>`select account_id from books`
  let deleted = 0
  for (const owners of byShard(accounts).flatMap(inChunks)) {
    const account_ids = owners.map(({ account_id }) => account_id)
    for (let count = PORTION; count === PORTION; deleted += count) {
      count = (await transactConfined(sql, account_ids, async tx => remove(tx, owners))).count
    }
  }
  return deleted
}

function inChunks(owners: readonly Owner[]): (readonly Owner[])[] {
  const starts = Array.from({ length: Math.ceil(owners.length / ACCOUNTS_AT_ONCE) }, (_, i) => i)
  return starts.map(i => owners.slice(i * ACCOUNTS_AT_ONCE, (i + 1) * ACCOUNTS_AT_ONCE))
}

/** Deletes at most PORTION quotes of these accounts. Their ids begin with the time of creation. */
function remove(tx: TransactionSql, owners: readonly Owner[]) {
  const account_ids = owners.map(({ account_id }) => account_id)
  return tx`
    delete from quotes d where d.account_id = any (${account_ids}::text[])
      and ctid = any (array(
        select q.ctid from unnest(${account_ids}::text[]) as b(account_id)
        cross join unnest(${[...PRICED_TYPES]}::text[]) as t(type)
        cross join lateral (
          select ctid from quotes q
          where q.account_id = b.account_id and q.status = 'active' and q.payout_type = t.type
            and q.id < case t.type when 'conversion' then 'coq_' else 'poq_' end
              || id_time(statement_timestamp() - interval '90 days')
            and q.valid_until <= statement_timestamp() - interval '90 days' ${within('q', owners)}
          order by q.id limit ${PORTION}
        ) q limit ${PORTION}
      )) ${within('d', owners)}`
}
