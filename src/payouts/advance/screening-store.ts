// The SQL statements of payouts that are due to be screened, and of payouts that screening holds.
import type { ScreeningHold } from '../../screening/match.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { updater } from '../../sql/rows.ts'
import type { Key } from '../../values/id.ts'

/**
 * Payouts to screen at this version: payouts that were never screened, held payouts that were not
 * compared with it, and due payouts screened at another version; with `every`, all payouts screened
 * at another version. Leaves out the accounts in `waiting`, which wait for lists.
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
  const inScope = finder`account_id <> all (${[...waiting]}::text[])`
  const isLeft = finder`screening in ('', 'waits') and ${inScope}
    and (status in ('processing', 'pending_approval') or held_for <> '' or screening = 'waits')`
  const isHeld = finder`screening in ('open', 'confirmed') and ${inScope}`
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

/** Writes the hold of a payout by screening. The caller has locked the payout's row and book. */
export async function updateHold(
  tx: TransactionSql,
  { account_id, id }: Key,
  screening: ScreeningHold,
): Promise<void> {
  void tx`
    update open_payouts set screening = ${screening}, screened = null
    where account_id = ${account_id} and id = ${id}`.execute()
}

/** Writes the version of the lists that held payouts were compared with. */
export const updateCompared = updater<Key & { readonly compared: bigint }>(
  'open_payouts',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', compared: 'bigint' },
)

/** A payout that a match holds, or that waits to be screened. */
export interface HeldByScreening extends Key {
  readonly screening: 'waits' | 'open' | 'confirmed'
  readonly status: string
  readonly updated_at: string
}

/** Which payouts that screening holds to list; '' is any. */
export interface HeldFilter {
  readonly account_id: string
  readonly state: string
  /** The payout after which the list begins. Screening may not hold it any more. */
  readonly starting_after: string
}

const IS_HELD = "screened is null and status <> 'succeeded'"
const HOLD = "case screening when '' then 'waits' else screening end"

/** The held payouts, the oldest first. Payouts that were not screened yet count as `waits`. */
export async function listHeldByScreening(
  sql: Sql,
  { account_id, state, starting_after }: HeldFilter,
  limit: number,
): Promise<HeldByScreening[]> {
  return sql<HeldByScreening[]>`
    select account_id, id, ${sql.unsafe(HOLD)} as screening, status, updated_at
    from open_payouts
    where ${sql.unsafe(IS_HELD)}
      and (${account_id} = '' or account_id = ${account_id})
      and (${state} = '' or ${sql.unsafe(HOLD)} = ${state})
      and id > ${starting_after}
    order by id limit ${limit}`
}

/** How screening holds one payout; undefined when it does not. */
export async function findHeldByScreening(sql: Sql, { account_id, id }: Key) {
  const [held] = await sql<HeldByScreening[]>`
    select account_id, id, ${sql.unsafe(HOLD)} as screening, status, updated_at
    from open_payouts
    where ${sql.unsafe(IS_HELD)}
      and account_id = ${account_id} and id = ${id}`
  return held
}

/** How many payouts screening holds, by the state of the hold. */
export async function countHeldByScreening(finder: Sql) {
  return finder<{ screening: string; payouts: number }[]>`
    select ${finder.unsafe(HOLD)} as screening, count(*)::integer as payouts
    from open_payouts where ${finder.unsafe(IS_HELD)} group by 1`
}
