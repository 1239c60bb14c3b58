// The SQL statements that tell what happened to payouts since an instant: in a copy of the database
// that was recovered to the end of its log, and of the same payouts in one that ends before.
import { attemptId } from '../../rails/attempt.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { sql } from '../../sql/sql.ts'
import type { Key } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { endToEndIdOf } from './ids.ts'

interface Standing extends Key {
  readonly status: string
  /** Its last attempt; 0 for a payout that people pay, or that no rail was asked about. */
  readonly attempt: number
  /** Whether its rail, or the person who took it, may have it. */
  readonly may_be_sent: boolean
}

interface StandingRow extends Standing {
  readonly rail: string
  readonly amount: bigint
  readonly currency: string
  readonly created_at: Instant
}

/** A payout of a live account that is not in the earlier database as it is in the later one. */
export interface Since extends StandingRow {
  /** The status in the earlier database; null if the payout is not there. */
  readonly status_here: string | null
  /** Whether it may have gone out, and the earlier database does not know that. */
  readonly may_be_sent: boolean
  /** The id that a bank has of it. */
  readonly end_to_end_id: string
}

/** As in unsent-store.ts: a file's payment may be sent once the bank was offered the file. */
const MAY_BE_SENT = sql`(
  a.asked_at is not null and (i.attempt is null or coalesce(f.offers, 0) > 0)
  or s.rail = 'manual' and (s.taken_by <> '' or s.status in ('succeeded', 'reversed')))`

const STANDING = sql`
  s.account_id, s.id, s.status, coalesce(a.number, 0) as attempt,
  coalesce(${MAY_BE_SENT}, false) as may_be_sent`

const FROM_STANDING = sql`
  from (
    select account_id, id, status::text as status, rail, taken_by, updated_at from open_payouts
    where status <> 'succeeded'
    union all
    select account_id, id, status, rail, taken_by, updated_at from payout_outcomes
  ) s
  left join lateral (
    select number, asked_at from payout_attempts t
    where t.account_id = s.account_id and t.payout_id = s.id order by number desc limit 1
  ) a on true
  left join rail_items i on i.account_id = s.account_id and i.payout_id = s.id
    and i.attempt = a.number
  left join rail_files f on f.msg_id = i.msg_id`

const PAGE = 1_000

/** Calls `onPage` with the payouts that have changed after the instant, and with more. */
export async function eachSince(
  later: Sql,
  since: Instant,
  onPage: (rows: readonly StandingRow[]) => Promise<void>,
): Promise<void> {
  await later.begin('isolation level repeatable read read only', async tx => {
    await tx`set local statement_timeout = 0`
    await tx`
      declare since no scroll cursor for
      select ${STANDING}, s.rail, p.destination_amount as amount,
        p.destination_currency as currency, p.created_at
      ${FROM_STANDING}
      join payouts p on p.account_id = s.account_id and p.id = s.id
      where s.rail not in ('', 'simulator')
        and greatest(p.created_at, s.updated_at, a.asked_at, f.offered_at) >= ${since}
      order by s.account_id, s.id`
    for (;;) {
      const rows = await fetchPage(tx)
      if (rows.length === 0) return
      await onPage(rows)
    }
  })
}

function fetchPage(tx: TransactionSql): Promise<StandingRow[]> {
  return tx.unsafe<StandingRow[]>(`fetch ${PAGE} from since`)
}

/** Those of the later database's payouts that stand otherwise in this one. */
export async function compareSince(
  here: Sql,
  later: readonly StandingRow[],
): Promise<readonly Since[]> {
  const rows = await here<Standing[]>`
    select ${STANDING} ${FROM_STANDING}
    join unnest(${later.map(({ account_id }) => account_id)}::text[],
      ${later.map(({ id }) => id)}::text[]) as k (account_id, id)
      on k.account_id = s.account_id and k.id = s.id`
  const found = new Map(rows.map(row => [`${row.account_id} ${row.id}`, row]))
  return later.flatMap((row): Since[] => {
    const here = found.get(`${row.account_id} ${row.id}`)
    const is_known = here?.may_be_sent === true && here.attempt >= row.attempt
    if (here?.status === row.status && (is_known || !row.may_be_sent)) return []
    return [
      {
        ...row,
        status_here: here?.status ?? null,
        may_be_sent: row.may_be_sent && !is_known,
        end_to_end_id: endToEndIdOf(attemptId(row.id, Math.max(row.attempt, 1))),
      },
    ]
  })
}
