// The payouts that an operator looks for in all accounts, and how many of them are left alone. Read
// by the auditor, who sees every row, and by the finder.
import type { Sql } from '../db/connect.ts'
import { SIMULATOR } from '../rail/rail.ts'
import type { Payout } from './rules.ts'
import { isFinal, type PayoutStatus } from './states.ts'
import { PAYOUT_COLUMNS, type PayoutRow, payoutOf } from './store.ts'

export interface DeskFilter {
  readonly account_id?: string
  readonly status?: PayoutStatus
  readonly rail?: string
}

/**
 * At most so many, of each account by index. In a status that waits for somebody those that wait
 * longest come first, so that a limit hides none of them for ever; else the newest.
 */
export async function listForDesk(
  audit: Sql,
  { account_id, status, rail }: DeskFilter,
  limit: number,
): Promise<Payout[]> {
  const waits = status !== undefined && status !== 'succeeded' && !isFinal(status)
  const order = waits ? audit`created_at, id` : audit`created_at desc, id desc`
  const rows = await audit<PayoutRow[]>`
    select r.* from accounts a
    cross join lateral (
      select ${audit(PAYOUT_COLUMNS)} from payouts p
      where p.account_id = a.account_id and p.created_at > '-infinity'
        and ${status === undefined ? audit`true` : audit`p.status = ${status}`}
        and ${rail === undefined ? audit`true` : audit`p.rail = ${rail}`}
      order by ${order} limit ${limit}
    ) r
    where ${account_id === undefined ? audit`true` : audit`a.account_id = ${account_id}`}
    order by ${order} limit ${limit}`
  return rows.map(payoutOf)
}

/**
 * How many payouts are due whose rail is none of these, or takes no payout of their account; by
 * rail.
 */
export function countLeftAlone(
  finder: Sql,
  rails: readonly string[],
): Promise<{ rail: string; payouts: number }[]> {
  return finder<{ rail: string; payouts: number }[]>`
    select rail, count(*)::integer as payouts from payouts join accounts using (account_id)
    where ask_rail_at <= statement_timestamp()
      and (not rail = any (${[...rails]}::text[]) or (rail = ${SIMULATOR}) <> sandbox)
    group by rail order by rail`
}
