// The SQL statements of client money by day, and by state of the US. Sums of days and the audit log
// make every figure: `corridor verify` proves both, and what happens later changes no past day.
import { sql as part, type Tag } from '../sql/sql.ts'
import { accountsBehind } from './item-store.ts'

/** Days of UTC that are over, both included. */
export interface Days {
  readonly first: string
  readonly last: string
}

/** Where an account counts of which nothing was said. */
const UNSAID = { us_state: 'none', pool: 'payments' } as const
type By = keyof typeof UNSAID

/**
 * `said`: the place at which each account counted at the end of each day on which something was
 * said of it, '' for nowhere, as its pool was `none`. What was said before the first day counts on
 * the day before it.
 */
const said = ({ first, last }: Days, by: By) => part`
  with changes as (
    select after ->> 'account_id' as account_id, change_id,
      greatest((changed_at at time zone 'UTC')::date, ${first}::date - 1) as day,
      after ->> 'us_state' as us_state, after ->> 'pool' as pool
    from audit_log
    where table_name in ('accounts', 'account_pools')
      and changed_at < (${last}::date + 1)::timestamp at time zone 'UTC'
      and (after ? 'pool' or coalesce(before ->> 'us_state', 'none') <> after ->> 'us_state')),
  by_day as (
    select account_id, day,
      (array_agg(us_state order by change_id desc) filter (where us_state is not null))[1]
        as us_state,
      (array_agg(pool order by change_id desc) filter (where pool is not null))[1] as pool
    from changes group by account_id, day),
  counted as (
    select *, count(us_state) over w as states, count(pool) over w as pools
    from by_day window w as (partition by account_id order by day)),
  said as (
    select account_id, day,
      case when pool = 'none' then '' else coalesce(${part(by)}, ${UNSAID[by]}) end as place
    from (select account_id, day,
        first_value(us_state) over (partition by account_id, states order by day) as us_state,
        first_value(pool) over (partition by account_id, pools order by day) as pool
      from counted) known)`

/**
 * `days`: what was owed at the end of each day, by place and currency, in minor units: of each
 * account what it has and what is in transit, where no negative sum offsets another account's. Its
 * rows are made of steps: what began and what ended on a day.
 */
export const owedByDay = ({ first, last }: Days, by: By) => part`
  ${said({ first, last }, by)},
  moved as (
    select account_id, currency, greatest(day, ${first}::date - 1) as day, sum(amount) as amount
    from account_days
    where code in ('available', 'in_transit') and day <= ${last}::date group by 1, 2, 3),
  points as (
    select account_id, currency, day, sum(amount) as amount, max(place) as place from (
      select account_id, currency, day, amount, null as place from moved
      union all
      select account_id, c.currency, s.day, 0, s.place from said s
      join (select distinct account_id, currency from moved) c using (account_id)) all_points
    group by 1, 2, 3),
  balances as (
    select account_id, currency, day, place, greatest(sum(amount) over w, 0) as owed,
      count(place) over w as changes
    from points window w as (partition by account_id, currency order by day)),
  stated as (
    select account_id, currency, day, owed, coalesce(first_value(place) over (
      partition by account_id, currency, changes order by day), ${UNSAID[by]}) as place
    from balances),
  steps as (
    select place, currency, day, sum(amount) as amount from (
      select place, currency, day, owed as amount from stated
      union all
      select lag(place) over w, currency, day, -lag(owed) over w from stated
      window w as (partition by account_id, currency order by day)) all_steps
    where amount <> 0 and place <> '' group by 1, 2, 3),
  days as (
    select place, currency, day, sum(coalesce(s.amount, 0)) over (
      partition by place, currency order by day) as amount
    from (select distinct place, currency from steps) k
    cross join (select ${first}::date + n - 1 as day
      from generate_series(0, ${last}::date - ${first}::date + 1) n) d
    left join steps s using (place, currency, day))`

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
    ${owedByDay(days, 'us_state')}
    select place as us_state, currency, day::text, amount::bigint from (
      select place, currency, null::date as day, sum(amount) as amount from days
      where day >= ${days.first}::date group by 1, 2
      union all
      select place, currency, day, amount from days where day >= ${days.first}::date) rows
    where amount <> 0
    order by (day is null) desc, place, currency, day limit ${limit}`
}

/** Payouts that were settled, and those that came back; minor units of what payees got. */
export interface StatePayouts {
  readonly kind: 'payout' | 'payout_return'
  readonly us_state: string
  readonly currency: string
  readonly number: bigint
  readonly amount: bigint
}

/**
 * By the state of the account at the end of the day, without those of accounts that count nowhere.
 * Payouts to another account move no money.
 */
export function listStatePayouts(sql: Tag, days: Days): Promise<StatePayouts[]> {
  const { first, last } = days
  return sql<StatePayouts[]>`
    ${said(days, 'us_state')},
    periods as (
      select account_id, place, day as since,
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
    select s.kind, coalesce(p.place, 'none') as us_state, s.currency,
      sum(s.number)::bigint as number, sum(s.amount)::bigint as amount
    from sent s left join periods p on p.account_id = s.account_id and s.day >= p.since
      and (p.until is null or s.day < p.until)
    where p.place is distinct from ''
    group by 1, 2, 3 order by 1, 2, 3`
}
