// The SQL statements of client money by state of the US. Sums of days and the audit log make every
// figure: `corridor verify` proves both, and nothing that happens later changes a past day.
import { sql as part, type Tag } from '../sql/sql.ts'
import { accountsBehind } from './item-store.ts'

/** Days of UTC that are over, both included. */
export interface Days {
  readonly first: string
  readonly last: string
}

/**
 * The state of each account at the end of each day on which it changed; changes before the first
 * day count on the day before it.
 */
const said = ({ first, last }: Days) => part`
  with said as (
    select distinct on (account_id, day) account_id, day, us_state from (
      select after ->> 'account_id' as account_id, after ->> 'us_state' as us_state,
        greatest((changed_at at time zone 'UTC')::date, ${first}::date - 1) as day, change_id
      from audit_log
      where table_name = 'accounts' and after ? 'us_state'
        and coalesce(before ->> 'us_state', 'none') <> after ->> 'us_state'
        and changed_at < (${last}::date + 1)::timestamp at time zone 'UTC') changes
    order by account_id, day, change_id desc)`

/**
 * What was owed at the end of each day, in minor units: of each account what it has and what is in
 * transit, where no negative sum offsets another account's. Its rows are steps: what began and what
 * ended on a day.
 */
const DAYS = ({ first, last }: Days) => part`
  moved as (
    select account_id, currency, greatest(day, ${first}::date - 1) as day, sum(amount) as amount
    from account_days
    where code in ('available', 'in_transit') and day <= ${last}::date group by 1, 2, 3),
  points as (
    select account_id, currency, day, sum(amount) as amount, max(us_state) as us_state from (
      select account_id, currency, day, amount, null as us_state from moved
      union all
      select account_id, c.currency, s.day, 0, s.us_state from said s
      join (select distinct account_id, currency from moved) c using (account_id)) all_points
    group by 1, 2, 3),
  balances as (
    select account_id, currency, day, us_state, greatest(sum(amount) over w, 0) as owed,
      count(us_state) over w as changes
    from points window w as (partition by account_id, currency order by day)),
  stated as (
    select account_id, currency, day, owed, coalesce(first_value(us_state) over (
      partition by account_id, currency, changes order by day), 'none') as us_state
    from balances),
  steps as (
    select us_state, currency, day, sum(amount) as amount from (
      select us_state, currency, day, owed as amount from stated
      union all
      select lag(us_state) over w, currency, day, -lag(owed) over w from stated
      window w as (partition by account_id, currency order by day)) all_steps
    where amount <> 0 group by 1, 2, 3),
  days as (
    select us_state, currency, day, sum(coalesce(s.amount, 0)) over (
      partition by us_state, currency order by day) as amount
    from (select distinct us_state, currency from steps) k
    cross join (select ${first}::date + n - 1 as day
      from generate_series(0, ${last}::date - ${first}::date + 1) n) d
    left join steps s using (us_state, currency, day))`

/** How many accounts have journals of these days that are in no sum yet. */
export async function countAccountsBehind(sql: Tag, { last }: Days): Promise<bigint> {
  const [row] = await sql<{ accounts: bigint }[]>`
    select count(*) as accounts from (${accountsBehind(part`${last}::date + 1`)}) b`
  return row?.accounts ?? 0n
}

/** Minor units. `day`: null for the sum of all days. */
export interface Liability {
  readonly us_state: string
  readonly currency: string
  readonly day: string | null
  readonly amount: bigint
}

/** By state and currency: first the sum of all days, then each day with a liability. */
export function listLiabilities(sql: Tag, days: Days, limit: number): Promise<Liability[]> {
  return sql<Liability[]>`
    ${said(days)}, ${DAYS(days)}
    select us_state, currency, day::text, amount::bigint from (
      select us_state, currency, null::date as day, sum(amount) as amount from days
      where day >= ${days.first}::date group by 1, 2
      union all
      select us_state, currency, day, amount from days where day >= ${days.first}::date) rows
    where amount <> 0
    order by (day is null) desc, us_state, currency, day limit ${limit}`
}

/** Payouts that were settled, and those that came back; minor units of what payees got. */
export interface StatePayouts {
  readonly kind: 'payout' | 'payout_return'
  readonly us_state: string
  readonly currency: string
  readonly number: bigint
  readonly amount: bigint
}

/** By the state of the account at the end of the day. Payouts to another account move no money. */
export function listStatePayouts(sql: Tag, days: Days): Promise<StatePayouts[]> {
  const { first, last } = days
  return sql<StatePayouts[]>`
    ${said(days)},
    periods as (
      select account_id, us_state, day as since,
        lead(day) over (partition by account_id order by day) as until
      from said),
    sent as (
      select i.kind, i.account_id, i.currency, (i.booked_at at time zone 'UTC')::date as day,
        count(*) as number, sum(abs(i.amount)) as amount
      from (select name from nostros union all select '') n
      join nostro_items i on i.nostro = n.name
        and i.booked_at >= ${first}::date::timestamp at time zone 'UTC'
        and i.booked_at < (${last}::date + 1)::timestamp at time zone 'UTC'
      where i.kind in ('payout', 'payout_return') group by 1, 2, 3, 4)
    select s.kind, coalesce(p.us_state, 'none') as us_state, s.currency,
      sum(s.number)::bigint as number, sum(s.amount)::bigint as amount
    from sent s left join periods p on p.account_id = s.account_id and s.day >= p.since
      and (p.until is null or s.day < p.until)
    group by 1, 2, 3 order by 1, 2, 3`
}
