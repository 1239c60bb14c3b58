// The payouts that an operator looks for in all accounts, and how many of them wait for somebody.
// Read by the auditor, who sees every row, and by the finder.
import type { Sql } from '../db/connect.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import type { Payout } from './rules.ts'
import { OPEN_STATUSES, PAYOUT_STATUSES, type PayoutStatus } from './states.ts'
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
  const waits = status !== undefined && OPEN_STATUSES.includes(status)
  // Within an account ids are in the order of time. What the planner knows can be one of an index.
  const known = PAYOUT_STATUSES.find(known => known === status)
  const ofStatus =
    known === undefined ? audit`true` : audit`p.status = ${audit.unsafe(`'${known}'`)}`
  const ofRail = rail === undefined ? audit`true` : audit`p.rail = ${rail}`
  const rows = await audit<PayoutRow[]>`
    select r.* from accounts a
    cross join lateral (
      select ${audit(PAYOUT_COLUMNS)} from payouts p
      where p.account_id = a.account_id and ${ofStatus}
        and ${rail === MANUAL ? audit`p.rail = 'manual'` : ofRail}
      order by ${waits ? audit`id` : audit`id desc`} limit ${limit}
    ) r
    where ${account_id === undefined ? audit`true` : audit`a.account_id = ${account_id}`}
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
    select rail, count(*)::integer as payouts from payouts join accounts using (account_id)
    where ask_rail_at <= statement_timestamp()
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
export function countByHand(finder: Sql): Promise<Waiting[]> {
  return finder<Waiting[]>`
    select p.status, count(*)::integer as payouts,
      extract(epoch from statement_timestamp() - min(p.created_at))::float8 as oldest_s
    from accounts a
    cross join lateral (
      select p.status, p.created_at from payouts p
      where p.account_id = a.account_id and p.rail = ${MANUAL}
        and p.status = any (${[...OPEN_STATUSES]}::text[])
    ) p
    where not a.sandbox
    group by p.status`
}
