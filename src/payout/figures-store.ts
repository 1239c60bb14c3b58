// The statement that counts what has become of an account's payouts, by rail.
import type { TransactionSql } from '../db/connect.ts'
import { idMicrosSql, microsSql } from '../db/id-sql.ts'
import { idBound } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Ended } from '../rail/figures.ts'
import { SIMULATOR } from '../rail/rail.ts'

const SUCCEEDED_AT = 'coalesce(succeeded_at, updated_at)'
const SECONDS = `greatest(0, (${microsSql(SUCCEEDED_AT)} - ${idMicrosSql('id')}) / 1000000)`

/**
 * The payouts of an account that were made from `from` until `to`, were handed to a rail or taken
 * by a person, and are over. Walks the primary key, whose ids have the time.
 */
export async function countEnded(
  tx: TransactionSql,
  account_id: string,
  from: Instant,
  to: Instant,
): Promise<Ended[]> {
  const bounds = [account_id, idBound('pot', from, 'before'), idBound('pot', to, 'before')]
  return tx.unsafe<Ended[]>(
    `select rail, paid, trunc(s, 3 - length(s::text))::integer as seconds,
      count(*)::integer as payouts
    from (
      select rail, status = 'succeeded' as paid,
        (case when status = 'succeeded' then ${SECONDS} else 0 end)::numeric as s
      from payout_outcomes
      where account_id = $1 and id >= $2 and id < $3 and rail not in ('', '${SIMULATOR}')
        and (rail_attempts > 0 or taken_by <> '')
    ) ended
    group by 1, 2, 3`,
    bounds,
  )
}
