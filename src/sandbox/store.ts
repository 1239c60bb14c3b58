// The SQL statements that move the clock of a sandbox account: the database's clock plus
// `clock_ahead`. Due times of workers are by the database's clock, so they move back by the same
// amount.
import type { TransactionSql } from '../db/connect.ts'

/** How many whole seconds, rounded down, the account's clock is ahead. */
export async function findClockAhead(tx: TransactionSql, account_id: string): Promise<number> {
  const [row] = await tx<{ ahead_s: number }[]>`
    select floor(extract(epoch from clock_ahead))::integer as ahead_s
    from books where account_id = ${account_id}`
  return row?.ahead_s ?? 0
}

/**
 * Called under the lock of the book. Locks endpoints in order before their deliveries, as delivery
 * does. A delivery being sent keeps its due time, or it would be sent twice. The claim of a payout
 * moves with its due time: a report in flight is applied, and the rail is asked again when due.
 */
export function updateClock(tx: TransactionSql, account_id: string, seconds: number) {
  const by = `${seconds} seconds`
  // `at time zone 'UTC'` makes the expression independent of settings, as Citus demands.
  const sooner = (column: 'ask_rail_at' | 'claimed_until' | 'due_at') =>
    tx`(${tx(column)} at time zone 'UTC' - ${by}::interval) at time zone 'UTC'`
  const locked = tx`
    select from webhook_endpoints where account_id = ${account_id} order by id for update`
  return Promise.all([
    tx`
      update books set clock_ahead = clock_ahead + ${by}::interval
      where account_id = ${account_id}`,
    tx`
      update open_payouts
      set ask_rail_at = ${sooner('ask_rail_at')}, claimed_until = ${sooner('claimed_until')}
      where account_id = ${account_id} and ask_rail_at is not null`,
    tx`
      update ended_reviews set due_at = ${sooner('due_at')}
      where account_id = ${account_id}`,
    locked,
    tx`
      update webhook_deliveries d set due_at = ${sooner('due_at')}
      where account_id = ${account_id} and due_at is not null and (attempts = 0 or exists (
        select from webhook_attempts a
        where a.account_id = ${account_id} and a.delivery_id = d.id and a.number = d.attempts))`,
  ])
}
