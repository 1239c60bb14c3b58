// The statement that counts what has become of an account's payouts, by rail.
import type { TransactionSql } from '../db/connect.ts'
import { idMicrosSql, microsSql } from '../db/id-sql.ts'
import { idBound } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Ended } from '../rail/figures.ts'
import { SIMULATOR } from '../rail/rail.ts'

const SUCCEEDED_AT = 'coalesce(succeeded_at, updated_at)'
const SECONDS = `greatest(0, (${microsSql(SUCCEEDED_AT)} - ${idMicrosSql('id')}) / 1000000)`

/** How long payouts took is read from so many ids of a rail, spread evenly: it is slow work. */
const SAMPLED = 500

/**
 * The payouts of an account that were made from `from` until `to`, were handed to a rail or taken
 * by a person, and are over. Walks the primary key, whose ids have the time. Counts are exact; how
 * long payouts took is told of a sample, each of which stands for as many.
 */
export async function countEnded(
  tx: TransactionSql,
  account_id: string,
  from: Instant,
  to: Instant,
): Promise<Ended[]> {
  const bounds = [account_id, idBound('pot', from, 'before'), idBound('pot', to, 'before')]
  return tx.unsafe<Ended[]>(
    `with ended as materialized (
      select id, rail, status = 'succeeded' as paid, succeeded_at, updated_at
      from payout_outcomes
      where account_id = $1 and id >= $2 and id < $3 and rail not in ('', '${SIMULATOR}')
        and (rail_attempts > 0 or taken_by <> '')
    ), every as (
      select rail, greatest(1, count(*) / ${SAMPLED}) as nth from ended where paid group by 1
    )
    select rail, paid, 0 as seconds, count(*)::integer as payouts, 0 as stands_for
    from ended group by 1, 2
    union all
    select rail, true, trunc(s, 3 - length(s::text))::integer, 0, (count(*) * max(nth))::integer
    from (
      select rail, nth, (${SECONDS})::numeric as s from ended join every using (rail)
      where paid and hashtext(id) % nth = 0
    ) sampled
    group by 1, 3`,
    bounds,
  )
}
