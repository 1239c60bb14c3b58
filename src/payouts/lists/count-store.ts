// The SQL statements that count payouts: open payouts, and the outcomes of payouts that are over.
import type { EndedPayouts } from '../../rails/figures.ts'
import { MANUAL, SIMULATOR } from '../../rails/rail.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { idMicrosSql, microsSql } from '../../sql/id-sql.ts'
import { idBound, instantIn } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { mayBeAsked, mayBegin, unclaimed, versionBefore } from '../advance/claim-store.ts'
import { OPEN_STATUSES, type PayoutStatus } from '../states.ts'

/** How many payouts of an account have a row of `open_payouts`. */
export async function countOpenPayouts(tx: TransactionSql, account_id: string): Promise<number> {
  const [row] = await tx<{ open: number }[]>`
    select count(*)::integer as open from open_payouts where account_id = ${account_id}`
  return row?.open ?? 0
}

/**
 * How many due payouts have a rail that no worker asks, by rail: the rail is not in `rails`, or it
 * takes no payouts of their account.
 */
export function countUnaskedPayouts(finder: Sql, rails: readonly string[]) {
  return finder<{ rail: string; payouts: number }[]>`
    select rail, count(*)::integer as payouts from open_payouts join books using (account_id)
    where ask_rail_at <= statement_timestamp() and ${unclaimed(finder)}
      and (not rail = any (${[...rails]}::text[]) or (rail = ${SIMULATOR}) <> sandbox)
    group by rail order by rail`
}

/**
 * Workers ask at least once a minute, so work that has been due for so many seconds, and that none
 * has claimed, is late.
 */
export const LATE_S = 300

/**
 * How many payouts have been due for `LATE_S` seconds although their rail may be asked and no
 * worker has claimed them. Leaves out the rails in `paused`. `sql` sees all accounts.
 */
export async function countOverdue(sql: Sql, paused: readonly string[]): Promise<number> {
  const [row] = await sql<{ payouts: number }[]>`
    select count(*)::integer as payouts from open_payouts o
    where ask_rail_at <= statement_timestamp() - make_interval(secs => ${LATE_S})
      and ${unclaimed(sql)} and ${mayBegin(sql, 'o', 'o')}
      and ${mayBeAsked(sql, await versionBefore(sql))}
      and not rail = any (${[...paused]}::text[])`
  return row?.payouts ?? 0
}

interface Waiting {
  readonly status: PayoutStatus
  readonly payouts: number
  /** For how many seconds the oldest has waited to be paid. */
  readonly oldest_s: number
}

/**
 * How many payouts of the rail `manual` wait for people, by status. A scheduled payout counts from
 * its `execute_at` on.
 */
export async function countByHand(finder: Sql): Promise<Waiting[]> {
  const rows = await finder<
    { status: PayoutStatus; payouts: number; first: string | null; due: Instant; now: Instant }[]
  >`
    select o.status, count(*)::integer as payouts, statement_timestamp() as now,
      min(o.id) filter (where execute_at is null) as first,
      coalesce(min(execute_at), statement_timestamp()) as due
    from books b join open_payouts o using (account_id)
    where not b.sandbox and o.rail = ${MANUAL} and o.status = any (${[...OPEN_STATUSES]}::text[])
      and (execute_at is null or execute_at <= statement_timestamp())
    group by o.status`
  return rows.map(({ first, due, now, ...waiting }) => {
    const first_made = first === null ? due : instantIn(first)
    const since = first_made < due ? first_made : due
    return { ...waiting, oldest_s: (Date.parse(now) - Date.parse(since)) / 1000 }
  })
}

const SUCCEEDED_AT = 'coalesce(succeeded_at, updated_at)'
const SECONDS = `greatest(0, (${microsSql(SUCCEEDED_AT)} - ${idMicrosSql('id')}) / 1000000)`

/** How many durations are sampled for each rail, because reading all is slow. */
const SAMPLED = 500

/**
 * The ended payouts of an account that were made from `from` until `to` and had been handed to a
 * rail or a person. Walks the primary key, whose ids contain the time. Counts are exact. Durations
 * come from a sample: `stands_for` is the number of payouts behind each of its rows.
 */
export async function countEnded(
  tx: TransactionSql,
  account_id: string,
  from: Instant,
  to: Instant,
): Promise<EndedPayouts[]> {
  const bounds = [account_id, idBound('pot', from, 'before'), idBound('pot', to, 'before')]
  return tx.unsafe<EndedPayouts[]>(
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
