// The SQL statements of payouts that no rail is known to have. In a database that was restored they
// may have gone out since the copy was made.
import { attemptId } from '../../rails/attempt.ts'
import type { RailPayout } from '../../rails/rail.ts'
import type { Sql } from '../../sql/connect.ts'
import { sql } from '../../sql/sql.ts'
import { endToEndIdOf } from './ids.ts'

interface UnsentRow
  extends Pick<RailPayout, 'account_id' | 'id' | 'status' | 'amount' | 'currency' | 'created_at'> {
  readonly rail: string
  readonly attempt: number
}

/** A payout, with the id by which a bank has it if it went out. */
export type Unsent = UnsentRow & { readonly end_to_end_id: string }

const FROM_UNSENT = sql`
  from open_payouts o
  join payouts p on p.account_id = o.account_id and p.id = o.id
  left join lateral (
    select number, asked_at, ended_as from payout_attempts t
    where t.account_id = o.account_id and t.payout_id = o.id order by number desc limit 1
  ) a on true
  left join rail_items i on i.account_id = o.account_id and i.payout_id = o.id
    and i.attempt = a.number
  left join rail_files f on f.msg_id = i.msg_id
  where o.rail not in ('', 'simulator') and o.status <> 'succeeded'
    and (a.number is null or a.ended_as <> '' or a.asked_at is null
      or i.attempt is not null and coalesce(f.offers, 0) = 0)`

/** The payouts that no rail is known to have, the oldest first. `rail`: of this rail alone. */
export async function listUnsent(audit: Sql, rail: string | undefined, limit: number) {
  const rows = await audit<UnsentRow[]>`
    select o.account_id, o.id, o.rail, o.status, p.destination_amount as amount,
      p.destination_currency as currency, p.created_at,
      case when a.ended_as = '' then a.number else coalesce(a.number, 0) + 1 end as attempt
    ${FROM_UNSENT} and (${rail ?? null}::text is null or o.rail = ${rail ?? null})
    order by p.created_at, o.id limit ${limit}`
  return rows.map(row => ({ ...row, end_to_end_id: endToEndIdOf(attemptId(row.id, row.attempt)) }))
}

export async function countUnsent(audit: Sql): Promise<number> {
  const [row] = await audit<{ count: number }[]>`select count(*)::integer as count ${FROM_UNSENT}`
  return row?.count ?? 0
}
