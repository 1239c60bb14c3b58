// The statements that move the clock of a sandbox account. Its time is the database's plus
// `clock_ahead`; what workers wait for is kept in the database's time, and comes due sooner.
import type { TransactionSql } from '../db/connect.ts'

/** How far the account's clock is ahead, in whole seconds, rounded down. */
export async function findClockAhead(tx: TransactionSql, account_id: string): Promise<number> {
  const [row] = await tx<{ ahead_s: number }[]>`
    select floor(extract(epoch from clock_ahead))::integer as ahead_s
    from books where account_id = ${account_id}`
  return row?.ahead_s ?? 0
}

/**
 * Under the lock of the book. Endpoints are locked first, in order, as by those who deliver to
 * them. Deliveries that are being sent keep their time, or they would be sent twice. The claim of a
 * payout is moved: what the rail says is applied, and it is asked again when the moved time says.
 */
export function updateClock(tx: TransactionSql, account_id: string, seconds: number) {
  const by = `${seconds} seconds`
  // In UTC, in which no calendar takes part: Citus asks for expressions that depend on no setting.
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
