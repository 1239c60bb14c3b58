// The SQL statements that move the clock of a sandbox account, which is the database's clock plus
// `clock_ahead`. Workers' due times are by the database's clock, so they move back by the same
// time.
import type { TransactionSql } from '../sql/connect.ts'

/** How many whole seconds, rounded down, the account's clock is ahead. */
export async function findClockAhead(tx: TransactionSql, account_id: string): Promise<number> {
  const [row] = await tx<{ ahead_s: number }[]>`
    select floor(extract(epoch from clock_ahead))::integer as ahead_s
    from books where account_id = ${account_id}`
  return row?.ahead_s ?? 0
}

/**
 * The book must be locked. Locks endpoints, in order, before their deliveries, as the delivery
 * worker does. A delivery in flight keeps its due time, because it would be sent twice otherwise. A
 * payout's claim moves with its due time: a report in flight is applied, and the rail is asked
 * again when due.
 */
export function updateClock(tx: TransactionSql, account_id: string, seconds: number) {
  const step = `${seconds} seconds`
  // `at time zone 'UTC'` makes the expression independent of settings, as Citus demands.
  const sooner = (column: 'ask_rail_at' | 'claimed_until' | 'due_at') =>
    tx`(${tx(column)} at time zone 'UTC' - ${step}::interval) at time zone 'UTC'`
  const locking = tx`
    select from webhook_endpoints where account_id = ${account_id} order by id for update`
  return Promise.all([
    tx`
      update books set clock_ahead = clock_ahead + ${step}::interval
      where account_id = ${account_id}`,
    tx`
      update open_payouts
      set ask_rail_at = ${sooner('ask_rail_at')}, claimed_until = ${sooner('claimed_until')}
      where account_id = ${account_id} and ask_rail_at is not null`,
    tx`
      update ended_reviews set due_at = ${sooner('due_at')}
      where account_id = ${account_id}`,
    locking,
    tx`
      update webhook_deliveries d set due_at = ${sooner('due_at')}
      where account_id = ${account_id} and due_at is not null and (attempts = 0 or exists (
        select from webhook_attempts a
        where a.account_id = ${account_id} and a.delivery_id = d.id and a.number = d.attempts))`,
  ])
}
