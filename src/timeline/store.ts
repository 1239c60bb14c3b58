// Reads the rows of a payout's timeline in one snapshot, as states change meanwhile. Each statement
// is an index look-up in the payout's own account, so that a receiver's rows stay hidden.
import { transactConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { within } from '../db/shard.ts'
import { listEventsOf } from '../event/store.ts'
import type { Key } from '../id.ts'
import { findJournals } from '../ledger/store.ts'
import { findPayouts } from '../payout/store.ts'
import {
  journalsNamed,
  MAX_ATTEMPTS,
  MAX_STATES,
  type TimelineAttempt,
  type TimelineSource,
} from './rules.ts'

/** Undefined when the account has no such payout. */
export function findTimeline(sql: Sql, key: Key): Promise<TimelineSource | undefined> {
  const mode = 'isolation level repeatable read read only'
  return transactConfined(sql, [key.account_id], tx => readTimeline(tx, key), mode)
}

async function readTimeline(tx: TransactionSql, key: Key): Promise<TimelineSource | undefined> {
  const { account_id } = key
  const [[payout], events] = await Promise.all([
    findPayouts(tx, [key]),
    listEventsOf(tx, key, MAX_STATES + 1),
  ])
  if (payout === undefined) return undefined
  const kept = events.slice(0, MAX_STATES)
  const numbers = journalsNamed(kept)
  const [journals, attempts] = await Promise.all([
    numbers.length === 0
      ? []
      : findJournals(
          tx,
          numbers.map(number => ({ account_id, number })),
        ),
    listAttemptsOf(tx, kept, MAX_ATTEMPTS + 1),
  ])
  return {
    payout,
    events: kept,
    journals,
    attempts: attempts.slice(0, MAX_ATTEMPTS),
    truncated: events.length > MAX_STATES || attempts.length > MAX_ATTEMPTS,
  }
}

/** The webhook attempts of these events, to any endpoint, newest first. */
export async function listAttemptsOf(
  tx: TransactionSql,
  events: readonly Key[],
  limit: number,
): Promise<TimelineAttempt[]> {
  return tx<TimelineAttempt[]>`
    select d.endpoint_id, d.event_id, d.event_sequence, d.event_type, d.status, d.attempts,
      d.due_at + b.clock_ahead as due_at, a.*
    from ${keysOf(tx, events)}
    cross join lateral (
      select clock_ahead from books b where b.account_id = k.account_id ${within(tx, 'b', events)}
      limit 1
    ) b
    cross join lateral (
      select * from webhook_deliveries d
      where d.account_id = k.account_id and d.event_id = k.id and d.event_id <> ''
        ${within(tx, 'd', events)}
      order by d.created_at desc limit ${limit}
    ) d
    cross join lateral (
      select delivery_id, number, created_at, duration_ms, status_code, error
      from webhook_attempts a
      where a.account_id = d.account_id and a.delivery_id = d.id ${within(tx, 'a', events)}
      order by a.number desc limit ${limit}
    ) a
    order by a.created_at desc, d.event_sequence desc, a.number desc, a.delivery_id desc
    limit ${limit}`
}
