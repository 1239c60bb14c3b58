// The payouts that an operator looks for in all accounts, and how many of them wait for somebody.
// Read by the auditor, who sees every row, and by the finder.
import type { Sql } from '../db/connect.ts'
import { instantIn } from '../id.ts'
import type { Instant } from '../instant.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import { unclaimed } from './open-store.ts'
import type { Payout } from './payout.ts'
import { isGivenBack, OPEN_STATUSES, type PayoutStatus } from './states.ts'
import { joinState, PAYOUT_COLUMNS, type PayoutRow, payoutOf, STATE_COLUMNS } from './store.ts'

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
  const waits = status !== undefined && OPEN_STATUSES.includes(status)
  const undone = status !== undefined && isGivenBack({ status })
  // Within an account ids are in the order of time.
  const walked = status === undefined ? 'payouts' : waits ? 'open_payouts' : 'payout_outcomes'
  const stated = status === undefined ? audit`true` : audit`n.status = ${status}`
  // As the index of what was given back has it.
  const indexed = undone ? audit`n.status <> 'succeeded'` : audit`true`
  const rows = await audit<PayoutRow[]>`
    select r.* from books b
    cross join lateral (
      select p.* from ${audit(walked)} n
      cross join lateral (
        select ${audit([...PAYOUT_COLUMNS, ...STATE_COLUMNS])} from payouts p ${joinState(audit)}
        where p.account_id = b.account_id and p.id = n.id
          and ${rail === undefined ? audit`true` : audit`p.rail = ${rail}`} limit 1
      ) p
      where n.account_id = b.account_id and ${stated} and ${indexed}
      order by ${waits ? audit`n.id` : audit`n.id desc`} limit ${limit}
    ) r
    where ${account_id === undefined ? audit`true` : audit`b.account_id = ${account_id}`}
    order by ${waits ? audit`created_at, id` : audit`created_at desc, id desc`} limit ${limit}`
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
    select rail, count(*)::integer as payouts from open_payouts join books using (account_id)
    where ask_rail_at <= statement_timestamp() and ${unclaimed(finder)}
      and (not rail = any (${[...rails]}::text[]) or (rail = ${SIMULATOR}) <> sandbox)
    group by rail order by rail`
}

interface Waiting {
  readonly status: PayoutStatus
  readonly payouts: number
  /** Since the first of them was made. */
  readonly oldest_s: number
}

/** How many payouts wait for people, who pay what the rail `manual` has; by status. */
export async function countByHand(finder: Sql): Promise<Waiting[]> {
  const rows = await finder<
    { status: PayoutStatus; payouts: number; first: string; now: Instant }[]
  >`
    select o.status, count(*)::integer as payouts, min(o.id) as first, statement_timestamp() as now
    from books b join open_payouts o using (account_id)
    where not b.sandbox and o.rail = ${MANUAL} and o.status = any (${[...OPEN_STATUSES]}::text[])
    group by o.status`
  return rows.map(({ first, now, ...waiting }) => {
    return { ...waiting, oldest_s: (Date.parse(now) - Date.parse(instantIn(first))) / 1000 }
  })
}
