// The statements of payouts that are to be screened, and of their holds.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { updater } from '../db/rows.ts'
import { isSpread, type OfAccount, within } from '../db/shard.ts'
import type { Key } from '../id.ts'
import { readListsVersion } from '../screening/list-store.ts'
import type { ScreeningHold } from '../screening/match.ts'

/**
 * Whether the rail of a payout may be asked: one that never was gets it only as screened at the
 * version that the lists have in the snapshot of the statement.
 */
export function mayBeAsked(sql: Sql | TransactionSql, present: ListsVersion) {
  return sql`(screened = ${presentVersion(sql, present)} or rail_attempts > 0)`
}

/**
 * Whether a payout of this alias may go out: one that is scheduled from its time on, by the clock
 * of its account, while that is not frozen. `owner` names the account of the rows looked up.
 */
export function mayBegin(
  sql: Sql | TransactionSql,
  row: 'o' | 'due',
  owner: 'o' | 'k',
  items?: readonly OfAccount[],
) {
  const [of, by] = [sql.unsafe(row), sql.unsafe(owner)]
  return sql`(${of}.execute_at is null or ${of}.rail_attempts > 0 or exists (
    select from books b where b.account_id = ${by}.account_id
      ${items === undefined ? sql`` : within(sql, 'b', items)}
      and b.state = 'active' and ${of}.execute_at <= statement_timestamp() + b.clock_ahead))`
}

/** The version of the lists, read before; undefined: as of the snapshot of the statement. */
export type ListsVersion = bigint | undefined

export function presentVersion(sql: Sql | TransactionSql, present: ListsVersion) {
  if (present === undefined) return sql`(select lists_version from reference_version)`
  return sql`${present}::bigint`
}

/** A spread database has the version on another machine than the payouts. */
export async function versionBefore(sql: Sql | TransactionSql): Promise<ListsVersion> {
  return isSpread() ? readListsVersion(sql as Sql) : undefined
}

/**
 * Payouts that were not screened at this version: those that were never, held ones that were not
 * compared with it, those that are due, and with `every` all others. Of accounts that wait for
 * lists, none.
 */
export async function listUnscreened(
  finder: Sql,
  wanted: {
    readonly version: bigint
    readonly every: boolean
    readonly waiting: readonly string[]
  },
  limit: number,
): Promise<Key[]> {
  const { version, every, waiting } = wanted
  const known = finder`account_id <> all (${[...waiting]}::text[])`
  const isLeft = finder`screening in ('', 'waits') and ${known}
    and (status in ('processing', 'pending_approval') or held_for <> '' or screening = 'waits')`
  const isHeld = finder`screening in ('open', 'confirmed') and ${known}`
  const outdated = finder`screened <> ${version}::bigint and ${isLeft}`
  const bound = every
    ? finder`true`
    : finder`ask_rail_at <= statement_timestamp() and rail_attempts = 0`
  return finder<Key[]>`
    (select account_id, id from open_payouts where screened is null and ${isLeft} limit ${limit})
    union
    (select account_id, id from open_payouts
      where screened is null and compared is distinct from ${version}::bigint and ${isHeld}
      limit ${limit})
    union
    (select account_id, id from open_payouts where ${bound} and ${outdated} limit ${limit})
    limit ${limit}`
}

/** Writes what the hold of a payout waits for. Its row and its book are locked. */
export async function updateHold(
  tx: TransactionSql,
  { account_id, id }: Key,
  screening: ScreeningHold,
): Promise<void> {
  void tx`
    update open_payouts set screening = ${screening}, screened = null
    where account_id = ${account_id} and id = ${id}`.execute()
}

/** Writes with which version held payouts were compared. */
export const updateCompared = updater<Key & { readonly compared: bigint }>(
  'open_payouts',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', compared: 'bigint' },
)
