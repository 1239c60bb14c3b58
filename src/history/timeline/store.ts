// Reads a payout's timeline in one snapshot, because states change meanwhile. Looks up the payout's
// own account, so that a receiver's rows stay hidden.
import { findJournals } from '../../ledger/store.ts'
import { keepsAttempts } from '../../payouts/advance/attempt.ts'
import type { Payout } from '../../payouts/payout.ts'
import { findPayouts } from '../../payouts/store.ts'
import { findAttempts } from '../../rails/attempt-store.ts'
import { findExceptions } from '../../rails/exception-store.ts'
import { transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { keysOf } from '../../sql/keys.ts'
import { within } from '../../sql/shard.ts'
import { findCut } from '../../statements/event/cut-store.ts'
import { listEventsOf } from '../../statements/event/store.ts'
import type { Key } from '../../values/id.ts'
import type { HandOver } from './attempts.ts'
import {
  journalsNamed,
  MAX_ATTEMPTS,
  MAX_STATES,
  type TimelineSource,
  type WebhookAttempt,
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
    listEventsOf(tx, key, MAX_STATES),
  ])
  if (payout === undefined) return undefined
  const newest = events.rows
  const numbers = journalsNamed(newest)
  const [journals, webhook_attempts, handOver, cut] = await Promise.all([
    numbers.length === 0
      ? []
      : findJournals(
          tx,
          numbers.map(number => ({ account_id, number })),
        ),
    // There are none if an archive has all of its events.
    newest.length === 0 ? [] : listAttemptsOf(tx, newest, MAX_ATTEMPTS + 1),
    findHandOver(tx, payout),
    findCut(tx, account_id),
  ])
  const is_archived = cut !== undefined && payout.created_at <= cut.created_at
  return {
    archived_to: is_archived ? cut.created_at : null,
    payout,
    events: newest,
    journals,
    handOver,
    webhook_attempts: webhook_attempts.slice(0, MAX_ATTEMPTS),
    truncated: events.has_more || webhook_attempts.length > MAX_ATTEMPTS,
  }
}

async function findHandOver(tx: TransactionSql, payout: Payout): Promise<HandOver> {
  const with_attempts = keepsAttempts(payout) ? [payout] : []
  const [ask_counts, attempts, exceptions] = await Promise.all([
    findAskCounts(tx, payout),
    findAttempts(tx, with_attempts),
    findExceptions(tx, with_attempts),
  ])
  return { ...ask_counts, attempts, exceptions }
}

async function findAskCounts(tx: TransactionSql, key: Key) {
  const { account_id, id } = key
  const [ask_counts] = await tx<Omit<HandOver, 'attempts' | 'exceptions'>[]>`
    select s.rail_attempts, o.ask_rail_at, o.awaits_funds_of, o.awaits_funds_since
    from payout_states s
    left join lateral (
      select ask_rail_at, awaits_funds_of, awaits_funds_since from open_payouts o
      where o.account_id = ${account_id} and o.id = ${id} ${within('o', [key])} limit 1
    ) o on true
    where s.account_id = ${account_id} and s.id = ${id} ${within('s', [key])} limit 1`
  const none = { ask_rail_at: null, awaits_funds_of: null, awaits_funds_since: null }
  return ask_counts ?? { rail_attempts: 0, ...none }
}

/** To any endpoint, newest first. */
export async function listAttemptsOf(
  tx: TransactionSql,
  events: readonly Key[],
  limit: number,
): Promise<WebhookAttempt[]> {
  return tx<WebhookAttempt[]>`
    select d.endpoint_id, d.event_id, d.event_sequence, d.event_type, d.status, d.attempts,
      d.due_at + b.clock_ahead as due_at, a.*
    from ${keysOf(events)}
    cross join lateral (
      select clock_ahead from books b where b.account_id = k.account_id ${within('b', events)}
      limit 1
    ) b
    cross join lateral (
      select * from webhook_deliveries d
      where d.account_id = k.account_id and d.event_id = k.id and d.event_id <> ''
        ${within('d', events)}
      order by d.created_at desc limit ${limit}
    ) d
    cross join lateral (
      select delivery_id, number, created_at, duration_ms, status_code, error
      from webhook_attempts a
      where a.account_id = d.account_id and a.delivery_id = d.id ${within('a', events)}
      order by a.number desc limit ${limit}
    ) a
    order by a.created_at desc, d.event_sequence desc, a.number desc, a.delivery_id desc
    limit ${limit}`
}
