// The SQL statements of failing webhooks.
import type { Sql } from '../sql/connect.ts'
import type { Instant } from '../values/instant.ts'

/** An endpoint that is disabled, or has dead deliveries. */
export interface FailingEndpoint {
  readonly account_id: string
  readonly id: string
  readonly url: string
  readonly status: 'enabled' | 'disabled'
  /** Why it is disabled: by its account, or because it answered 410; '' while it is enabled. */
  readonly disabled_reason: '' | 'account' | 'gone'
  /** How many events have a dead last delivery; at most MAX_COUNTED. */
  readonly dead: number
  readonly dead_since: Instant | null
}

export const MAX_COUNTED = 1_000

/** Endpoints of all accounts that are disabled or have dead deliveries, the oldest first. */
export async function listFailing(
  audit: Sql,
  starting_after: string,
  limit: number,
): Promise<FailingEndpoint[]> {
  return audit<FailingEndpoint[]>`
    select e.account_id, e.id, e.url, e.status, e.disabled_reason, d.dead, d.dead_since
    from webhook_endpoints e
    cross join lateral (
      select count(*)::integer as dead, min(created_at) as dead_since from (
        select d.created_at from webhook_deliveries d
        where d.account_id = e.account_id and d.endpoint_id = e.id and d.status = 'dead'
          and not exists (
            select from webhook_deliveries l
            where l.account_id = e.account_id and l.event_id = d.event_id and l.event_id <> ''
              and l.endpoint_id = d.endpoint_id and l.number > d.number)
        order by d.created_at, d.id limit ${MAX_COUNTED}
      ) d
    ) d
    where e.id > ${starting_after} and (e.status = 'disabled' or d.dead > 0)
    order by e.id limit ${limit}`
}

/** How many enabled endpoints have an event or a delivery due for at least `late_s` seconds. */
export async function countLate(audit: Sql, late_s: number): Promise<number> {
  const [row] = await audit<{ endpoints: number }[]>`
    select count(*)::integer as endpoints from webhook_endpoints e
    join books b using (account_id)
    where e.status = 'enabled' and (
      exists (
        select from webhook_deliveries d
        where d.account_id = e.account_id and d.endpoint_id = e.id
          and d.due_at <= statement_timestamp() - make_interval(secs => ${late_s}))
      or exists (
        select from events v
        where v.account_id = e.account_id and v.sequence > e.fanned_out
          and v.created_at
            <= statement_timestamp() + b.clock_ahead - make_interval(secs => ${late_s})))`
  return row?.endpoints ?? 0
}
