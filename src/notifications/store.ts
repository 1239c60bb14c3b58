// The SQL statements of notifications: what is new in live accounts since the last one, and how far
// each way has come. The table is the queue: a message that was not sent is made anew, with all
// that has happened since. So it needs no more rows than there are kinds and ways.
import type { Threshold } from '../config/notifying.ts'
import type { Sql } from '../sql/connect.ts'
import type { Claim, Kind, News, Period, Sort, WayName, WayState } from './notification.ts'

/** Adds what is missing. A new way begins now, and tells nothing of the past. */
export async function insertWays(
  sql: Sql,
  kinds: readonly Kind[],
  ways: readonly WayName[],
): Promise<void> {
  await sql`
    insert into notifications (kind, way)
    select kind, way from unnest(${[...kinds]}::text[]) as k (kind),
      unnest(${[...ways]}::text[]) as w (way)
    on conflict do nothing`
}

/**
 * Claims what is due, for `lease_s`. A way that was off for long tells of the last day alone.
 */
export function claimDue(
  sql: Sql,
  ways: readonly WayName[],
  lease_s: number,
): Promise<readonly Claim[]> {
  return sql<Claim[]>`
    update notifications n set due_at = clock_timestamp() + make_interval(secs => ${lease_s})
    where ctid = any (array(
      select ctid from notifications
      where due_at <= clock_timestamp() and way = any (${[...ways]}::text[])
      for update skip locked
    ))
    returning kind, way, greatest(told_until, clock_timestamp() - interval '1 day') as told_until,
      failures, last_error, clock_timestamp() as now, due_at`
}

/** Ends the claim, unless it has run out meanwhile. */
export async function endClaim(
  sql: Sql,
  { kind, way, due_at }: Claim,
  ended: {
    readonly told_until: string
    readonly wait_s: number
    readonly failures: number
    /** '' after a success. */
    readonly error: string
  },
): Promise<void> {
  const { told_until, wait_s, failures, error } = ended
  await sql`
    update notifications set told_until = ${told_until}, failures = ${failures},
      last_error = ${error}, due_at = clock_timestamp() + make_interval(secs => ${wait_s}),
      failing_since = case when ${failures} > 0 then coalesce(failing_since, clock_timestamp()) end
    where kind = ${kind} and way = ${way} and due_at = ${due_at}`
}

/** The ways that a process has used lately. A failing one is used again within an hour. */
export function listWays(audit: Sql): Promise<readonly WayState[]> {
  return audit<WayState[]>`
    select kind, way, told_until, failures, failing_since, last_error from notifications
    where due_at > clock_timestamp() - interval '2 hours' order by kind, way`
}

type Counted = Omit<News, 'of'>

const withoutName = (rows: readonly Counted[]): News[] => rows.map(row => ({ ...row, of: '' }))

/** Payouts that still wait, and beneficiaries that have come to wait. */
export async function listApprovals(audit: Sql, period: Period): Promise<News[]> {
  const payouts = await audit<Counted[]>`
    select 'payout' as sort, a.account_id, count(*)::integer as count
    from payout_approvals a join books b on b.account_id = a.account_id
    where a.outcome = '' and not b.sandbox
      and a.requested_at > ${period.from} and a.requested_at <= ${period.to}
    group by a.account_id order by a.account_id`
  const others = await countEvents(audit, { 'beneficiary.pending_approval': 'beneficiary' }, period)
  return [...withoutName(payouts), ...others]
}

/** The most events of a type and account that count. */
const MOST_COUNTED = 100

/** The failures that are no news: people of the account have cancelled or rejected the payout. */
const OWN_FAILURES = ['PF000100', 'PF000400']

/** Counts the events of these rare types; an account without new events costs one look-up. */
async function countEvents(
  audit: Sql,
  sorts: Readonly<Record<string, Sort>>,
  { from, to }: Period,
): Promise<News[]> {
  const rows = await audit<{ type: string; account_id: string; count: number }[]>`
    select t.type, b.account_id, count(*)::integer as count
    from books b
    cross join lateral (
      select created_at from events l where l.account_id = b.account_id
      order by l.sequence desc limit 1
    ) l
    cross join unnest(${Object.keys(sorts)}::text[]) as t (type)
    cross join lateral (
      select e.created_at, e.data from events e
      where e.account_id = b.account_id and e.type = t.type and e.type <> ''
      order by e.sequence desc limit ${MOST_COUNTED}
    ) e
    where not b.sandbox and l.created_at > ${from} and e.created_at > ${from}
      and e.created_at <= ${to}
      and coalesce(e.data -> 0 -> 'failure' ->> 'code', '') <> all (${OWN_FAILURES}::text[])
    group by t.type, b.account_id order by b.account_id, t.type`
  return rows.flatMap(({ type, account_id, count }) => {
    const sort = sorts[type]
    return sort === undefined ? [] : [{ sort, account_id, count, of: '' }]
  })
}

const FAILURES = { 'payout.failed': 'failed', 'payout.reversed': 'reversed' } as const

export function listFailures(audit: Sql, period: Period): Promise<News[]> {
  return countEvents(audit, FAILURES, period)
}

/** What waits for a person: by screening, for a review, for an answer, after a rail's report. */
export async function listHolds(audit: Sql, { from, to }: Period): Promise<News[]> {
  const isNew = (at: string) =>
    audit`${audit.unsafe(at)} > ${from} and ${audit.unsafe(at)} <= ${to}`
  const isMatched = (object: string) => audit`exists (
    select from screening_matches m
    where m.account_id = ${audit.unsafe(object)}.account_id
      and m.object_id = ${audit.unsafe(object)}.id and m.state = 'open' and ${isNew('m.found_at')})`
  const rows = await audit<Counted[]>`
    select h.sort, h.account_id, count(*)::integer as count from (
      select 'screening' as sort, o.account_id from open_payouts o
      where o.screened is null and o.status <> 'succeeded' and o.screening = 'open'
        and ${isMatched('o')}
      union all
      select 'screening', p.account_id from entities p
      where p.screening = 'open' and ${isMatched('p')}
      union all
      select 'screening', p.account_id from beneficiaries p
      where p.screening = 'open' and ${isMatched('p')}
      union all
      select case o.status when 'requires_action' then 'action' else 'review' end, o.account_id
      from open_payouts o
      where o.status in ('compliance_hold', 'requires_action') and o.screening <> 'open'
        and ${isNew('o.updated_at')}
      union all
      select 'exception', e.account_id from rail_exceptions e
      where e.closed_at is null and ${isNew('e.opened_at')}
    ) h join books b on b.account_id = h.account_id
    where not b.sandbox
    group by h.sort, h.account_id order by h.account_id, h.sort`
  return withoutName(rows)
}

/** The balances that were not below their threshold before the period, and are at its end. */
export async function listLowBalances(
  audit: Sql,
  thresholds: readonly Threshold[],
  { from, to }: Period,
): Promise<News[]> {
  const balanceAt = (at: string) => audit`(
    select j.balance_after from journals j
    where j.account_id = x.account_id and j.currency = x.currency and j.currency is not null
      and j.created_at <= ${at}
    order by j.number desc limit 1)`
  const rows = await audit<{ account_id: string; of: string }[]>`
    select x.account_id, x.currency as of
    from balances x join books b on b.account_id = x.account_id
    join unnest(${thresholds.map(({ currency }) => currency)}::text[],
      ${thresholds.map(({ least }) => String(least))}::text[]::bigint[]) as t (currency, least)
      on t.currency = x.currency
    where not b.sandbox and x.updated_at > ${from}
      and ${balanceAt(to)} < t.least and ${balanceAt(from)} >= t.least
    order by x.account_id, x.currency`
  return rows.map((row): News => ({ ...row, sort: 'balance', count: 1 }))
}

/** Rows that differ from the books, found in the period. */
export async function listFaults(audit: Sql, { from, to }: Period): Promise<News[]> {
  const rows = await audit<Counted[]>`
    select 'fault' as sort, f.account_id, count(*)::integer as count
    from verify_faults f join books b on b.account_id = f.account_id
    where not b.sandbox and f.found_at > ${from} and f.found_at <= ${to}
    group by f.account_id order by f.account_id`
  return withoutName(rows)
}

/** Endpoints that answered 410, or whose first delivery of a day is dead. */
export async function listDeadEndpoints(audit: Sql, { from, to }: Period): Promise<News[]> {
  // A delivery is dead within two days of its creation, by which the index is read.
  const died = audit`
    select from webhook_deliveries d
    where d.account_id = e.account_id and d.endpoint_id = e.id and d.status = 'dead'
      and d.created_at > ${from}::timestamptz - interval '3 days'`
  const rows = await audit<Counted[]>`
    select 'endpoint' as sort, e.account_id, count(*)::integer as count
    from webhook_endpoints e join books b on b.account_id = e.account_id
    where not b.sandbox and (
      (e.status = 'disabled' and e.disabled_reason = 'gone' and e.updated_at > ${from}
        and e.updated_at <= ${to})
      or (e.status = 'enabled'
        and exists (${died} and d.updated_at > ${from} and d.updated_at <= ${to})
        and not exists (${died} and d.updated_at > ${from}::timestamptz - interval '1 day'
          and d.updated_at <= ${from})))
    group by e.account_id order by e.account_id`
  return withoutName(rows)
}
