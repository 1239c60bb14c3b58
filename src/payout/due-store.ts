// The statements that find payouts whose rail is due to be asked. They take no lock: the claim
// decides.
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { Key } from '../id.ts'
import { mayBeAsked, mayBegin, versionBefore } from './screen-store.ts'

/** A payout whose rail is due to be asked, as the finder sees it. */
export interface DuePayout extends Key {
  readonly rail: string
  /** Its time has come, and its rail was not asked yet. */
  readonly begins: boolean
}

/**
 * Due payouts of these rails, the longest due first. It takes no lock: the claim decides. Here and
 * in claims, statement_timestamp() bounds the index scan. With clock_timestamp(), which is
 * volatile, the scan would read every later row.
 */
export async function listDuePayouts(
  finder: Sql,
  rails: readonly string[],
  limit: number,
): Promise<DuePayout[]> {
  return finder<DuePayout[]>`
    select account_id, id, rail, execute_at is not null and rail_attempts = 0 as begins
    from open_payouts o
    where ask_rail_at <= statement_timestamp() and ${unclaimed(finder)}
      and ${mayBeAsked(finder, await versionBefore(finder))} and ${mayBegin(finder, 'o', 'o')}
      and rail = any (${[...rails]}::text[])
    order by ask_rail_at limit ${limit}`
}

/** A claimed payout stays due, and nobody else claims it until the claim expires. */
export function unclaimed(sql: Sql | TransactionSql) {
  return sql`(claimed_until is null or claimed_until <= statement_timestamp())`
}
