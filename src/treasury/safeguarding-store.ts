// The SQL statements of client money: what is owed, what is held, and the signed snapshots.
import { databaseNow, type Sql } from '../sql/connect.ts'
import { sql as part, type Tag } from '../sql/sql.ts'
import { type Instant, instantFromIso } from '../values/instant.ts'
import { sumsAt, unassigned } from './balance-store.ts'
import {
  type External,
  type KeptSafeguarding,
  type Requirement,
  type Resource,
  type SafeguardedPool,
  type Safeguarding,
  type SignedDay,
  safeguardingOf,
  type Unassigned,
} from './safeguarding.ts'
import type { ToSign } from './safeguarding-month.ts'
import { type Days, owedByDay } from './state-store.ts'

/**
 * What is owed to clients before this instant. Nothing where no nostro has a pool: an installation
 * that safeguards nothing by Corridor has no shortfall either.
 */
export function listRequirements(sql: Tag, at: Instant): Promise<Requirement[]> {
  return sql<Requirement[]>`
    ${sumsAt(at)},
    clients as (
      select account_id, currency,
        coalesce(sum(amount) filter (where code in ('available', 'in_transit')), 0) as owed,
        coalesce(sum(amount) filter (where code in ('fees', 'fx_income')), 0) as income
      from sums where account_id <> '' group by account_id, currency)
    select coalesce(p.pool, 'payments') as pool, c.currency,
      sum(greatest(c.owed, 0))::bigint as owed,
      (count(*) filter (where c.owed < 0))::integer as negative, sum(c.income)::bigint as income
    from clients c left join account_pools p using (account_id)
    where coalesce(p.pool, 'payments') <> 'none'
      and exists (select from nostros where pool <> 'none')
    group by 1, 2 order by 1, 2`
}

/**
 * What has left accounts before this instant from a nostro that nobody knows. An account without a
 * pool may have paid from the nostros of `payments`.
 */
export function listUnassigned(sql: Tag, at: Instant): Promise<Unassigned[]> {
  return sql<Unassigned[]>`
    select coalesce(nullif(p.pool, 'none'), 'payments') as pool, i.currency,
      -sum(i.amount)::bigint as amount
    from nostro_items i left join account_pools p using (account_id)
    where ${unassigned(part`n.purpose = 'client' and n.pool <> 'none'`)}
      and i.amount < 0 and i.booked_at < ${at}::timestamptz
    group by 1, 2 order by 1, 2`
}

interface NostroAt extends Omit<Resource, 'nostros'> {
  readonly nostro: string
  readonly institution: string
  readonly open_lines: bigint
  readonly open_items: bigint
  readonly proved: boolean
  readonly closed: boolean
}

/** What is matched with a line or an item behind the cut: it was open at the cut. */
const LATE = part`late as (
  select i.match from cut join nostro_items i on i.booked_at >= cut.at
    join nostros n on n.name = i.nostro and n.purpose = 'client' where i.match is not null
  union
  select l.match from cut join bank_lines l on l.booked_on > cut.day
    join nostros n on n.name = l.nostro and n.purpose = 'client' where l.match is not null)`

/** What journals of the house bring on a day behind the cut, unless they are reversed. */
const TO_COME = part`to_come as (
  select i.id, i.nostro, i.amount from cut join nostros n on n.purpose = 'client'
  join nostro_items i on i.nostro = n.name and i.kind = 'house' and i.match is null
    and i.amount > 0 and i.value_on > cut.day and i.booked_at < cut.at
  where not exists (select from house_journals u
    where u.undoes = i.house_number and u.created_at < cut.at))`

/** Of the nostro `n`: its lines and its items that were open at the cut. */
const OPEN_LINES = part`(
  select amount, booked_on from bank_lines where nostro = n.name and match is null
  union all
  select amount, booked_on from late join bank_lines using (match) where nostro = n.name)`
const OPEN_ITEMS = part`(
  select amount, kind, booked_at from nostro_items where nostro = n.name and match is null
  union all
  select amount, kind, booked_at from late join nostro_items using (match)
  where nostro = n.name)`

/** Of the nostro `n`: open debits at the bank, but for one with the sum of each open item. */
const OPEN_DEBITS = part`(
  select sum(d.amount * greatest(d.count - (select count(*) from nostro_items i
    where i.nostro = n.name and i.match is null and i.amount = d.amount), 0)) as amount
  from (select amount, count(*) as count from ${OPEN_LINES} lines, cut
    where amount < 0 and booked_on <= cut.day group by amount) d)`

/** Of the nostro `n`: what transfers moved to accounts of the house's own, less what came back. */
const TAKEN_OUT = part`(
  select -sum(i.amount) as amount from nostro_items i
  join house_journals h on h.number = i.house_number and h.kind = 'transfer'
  where i.nostro = n.name and i.booked_at < cut.at and i.id not in (select id from to_come)
    and exists (
      select from nostro_items o join nostros x on x.name = o.nostro and x.purpose = 'own'
      where o.house_number = h.number))`

function nostrosAt(sql: Tag, at: Instant): Promise<NostroAt[]> {
  return sql<NostroAt[]>`
    with cut as (select ${at}::timestamptz as at,
      ((${at}::timestamptz - interval '1 microsecond') at time zone 'UTC')::date as day),
    ${LATE}, ${TO_COME}
    select n.pool, n.currency, n.name as nostro, n.institution,
      (n.opening_balance + coalesce(t.amount, 0) - coalesce(later.amount, 0))::bigint as bank,
      (n.opening_balance + coalesce(b.amount, 0) - coalesce(after.amount, 0))::bigint as book,
      coalesce(l.credits, 0)::bigint as suspense, coalesce(l.amount, 0)::bigint as open_lines,
      coalesce(i.amount, 0)::bigint as open_items,
      coalesce(f.amount, 0)::bigint as to_come, coalesce(-d.amount, 0)::bigint as debits,
      coalesce(-i.returning, 0)::bigint as returning, coalesce(o.amount, 0)::bigint as taken_out,
      not exists (select from bank_statements s where s.nostro = n.name and s.state <> 'proved')
        as proved,
      coalesce(n.closed_at < cut.at, false) as closed
    from nostros n cross join cut
    left join nostro_totals t on t.nostro = n.name and t.side = 'bank' and t.currency = n.currency
    left join nostro_totals b on b.nostro = n.name and b.side = 'book' and b.currency = n.currency
    left join lateral (select sum(amount) as amount from bank_lines
      where nostro = n.name and booked_on > cut.day) later on true
    left join lateral (select sum(amount) as amount from nostro_items
      where nostro = n.name and booked_at >= cut.at) after on true
    left join lateral (select sum(amount) as amount,
        sum(amount) filter (where amount > 0) as credits
      from ${OPEN_LINES} lines
      where booked_on <= cut.day) l on true
    left join lateral (select sum(amount) as amount,
        sum(amount) filter (where kind = 'funding_reversal') as returning
      from ${OPEN_ITEMS} items
      where booked_at < cut.at) i on true
    left join lateral ${OPEN_DEBITS} d on true
    left join lateral ${TAKEN_OUT} o on true
    left join lateral (select sum(amount) as amount from to_come where nostro = n.name) f on true
    -- A nostro opens at the start of its day, which is the end of the day before.
    where n.purpose = 'client' and n.pool <> 'none' and n.opening_on <= cut.day + 1
    order by n.pool, n.currency, n.name`
}

/**
 * Lines up to its day, and items before it, of each nostro of a pool. Midnight ends the day before.
 * Those that are closed have nothing but what transfers took out of them.
 */
export async function listResources(sql: Tag, at: Instant): Promise<Resource[]> {
  const rows = await nostrosAt(sql, at)
  const groups = Map.groupBy(rows, ({ pool, currency }) => `${pool} ${currency}`)
  return [...groups.values()].flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    const sum = (of: (row: (typeof group)[number]) => bigint) =>
      group.reduce((total, row) => total + of(row), 0n)
    return {
      ...{ pool: first.pool, currency: first.currency },
      ...{ bank: sum(row => row.bank), book: sum(row => row.book) },
      ...{ to_come: sum(row => row.to_come), debits: sum(row => row.debits) },
      ...{ suspense: sum(row => row.suspense), returning: sum(row => row.returning) },
      taken_out: sum(row => row.taken_out),
      nostros: group
        .filter(row => !row.closed)
        .map(row => ({
          ...{ nostro: row.nostro, institution: row.institution },
          ...{ bank: String(row.bank), book: String(row.book), proved: row.proved },
          ...{ open_lines: String(row.open_lines), open_items: String(row.open_items) },
        })),
    }
  })
}

const SIGNED = part`day::text, pool, currency, number, at, as_of, requirement::bigint,
  resource::bigint, entered::bigint, d1_requirement::bigint, d1_resource::bigint, earned::bigint,
  external, state, action, by`

/** Signed days of a month, oldest first; each correction after the day that it corrects. */
export async function listSignedDays(sql: Tag, month: string): Promise<SignedDay[]> {
  const days = await sql<SignedDay[]>`
    select ${SIGNED} from safeguarding_days
    where day >= ${`${month}-01`}::date and day < ${`${month}-01`}::date + interval '1 month'
    order by day, pool, currency, number`
  // The first signed days do not say the institution.
  return days.map(day => ({
    ...day,
    external: day.external.map(one => ({ ...one, institution: one.institution ?? '' })),
  }))
}

/**
 * What is to be signed: each day at whose end a pool had an account at a bank in the currency, or
 * owed clients money in it. The audit log has what was said by then, so no later change of an
 * account changes a day. Nothing before the first account with a pool.
 */
export function listToSign(sql: Tag, days: Days): Promise<ToSign[]> {
  return sql<ToSign[]>`
    ${owedByDay(days, 'pool')},
    pooled as (
      select d.day, n.pool, n.currency, n.closed_at is null as is_open
      from (select ${days.first}::date + n as day
        from generate_series(0, ${days.last}::date - ${days.first}::date) n) d
      cross join lateral (
        select distinct on (after ->> 'name') after ->> 'pool' as pool,
          after ->> 'currency' as currency, after ->> 'closed_at' as closed_at
        from audit_log
        where table_name = 'nostros'
          and changed_at < (d.day + 1)::timestamp at time zone 'UTC'
        order by after ->> 'name', change_id desc) n
      where n.pool <> 'none')
    select day::text, pool, currency from pooled where is_open
    union
    select d.day::text, d.place, d.currency from days d
    where d.amount > 0 and exists (select from pooled p where p.day = d.day)
    order by 1, 2, 3`
}

/** Stores the snapshot under the next number of its day. */
export async function insertSignedDay(
  sql: Tag,
  day: KeptSafeguarding,
  signed: Pick<SignedDay, 'entered' | 'state' | 'action' | 'by'>,
): Promise<SignedDay> {
  const external: readonly External[] = day.external
  const { pool, currency }: { pool: SafeguardedPool; currency: string } = day
  const [row] = await sql<SignedDay[]>`
    insert into safeguarding_days (day, pool, currency, number, as_of, requirement, resource,
      entered, d1_requirement, d1_resource, earned, external, state, action, by)
    select ${day.day}::date, ${pool}, ${currency}, 1 + coalesce((select max(number)
        from safeguarding_days where day = ${day.day}::date and pool = ${pool}
          and currency = ${currency}), 0),
      ${day.as_of}::timestamptz, ${day.requirement}::bigint, ${day.resource}::bigint,
      ${signed.entered}::bigint, ${day.d1_requirement}::bigint, ${day.d1_resource}::bigint,
      ${day.earned}::bigint, ${JSON.stringify(external)}::text::jsonb, ${signed.state},
      ${signed.action}, ${signed.by}
    returning ${SIGNED}`
  if (row === undefined) throw new Error('a signed day without a row')
  return row
}

/** Sets the pool of an account's money. */
export async function upsertAccountPool(sql: Tag, account_id: string, pool: string): Promise<void> {
  await sql`
    insert into account_pools (account_id, pool) values (${account_id}, ${pool})
    on conflict (account_id) do update set pool = excluded.pool`
}

/** The figures of this moment; `d1` is the midnight before. */
export async function readSafeguarding(audit: Sql): Promise<Safeguarding[]> {
  return audit.begin('isolation level repeatable read read only', async tx => {
    const as_of = await databaseNow(tx)
    const day = as_of.slice(0, 10)
    const midnight = instantFromIso(`${day}T00:00:00Z`) ?? as_of
    const momentOf = async (at: string) => ({
      requirements: await listRequirements(tx, at),
      resources: await listResources(tx, at),
    })
    const now = { ...(await momentOf(as_of)), unassigned: await listUnassigned(tx, as_of) }
    return safeguardingOf({ day, as_of }, now, await momentOf(midnight))
  })
}

/** What the house has earned in a pool and may take out, in minor units. */
export async function readEarned(audit: Sql, pool: string, currency: string): Promise<bigint> {
  const days = await readSafeguarding(audit)
  return days.find(day => day.pool === pool && day.currency === currency)?.earned ?? 0n
}
