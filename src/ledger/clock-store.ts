// The SQL statements of database_clock and clock_corrections.
import type { Sql } from '../db/connect.ts'
import type { Tag } from '../db/sql.ts'
import type { Instant } from '../instant.ts'

/** The time that was expected of the database's clock, and the time that it shows. */
export interface Jump {
  readonly expected: Instant
  readonly found: Instant
}

export interface ClockMark {
  readonly seen_at: Instant
  readonly seen_by_host: Instant
  readonly stopped: Jump | null
}

/** The database's time, what was last seen of it, and how often an operator has confirmed it. */
export async function readMark(sql: Sql) {
  const [row] = await sql<
    {
      now: Instant
      corrections: bigint
      seen_at: Instant | null
      seen_by_host: Instant | null
      stopped_from: Instant | null
      stopped_at: Instant | null
    }[]
  >`
    select clock_timestamp() as now, c.corrections, m.seen_at, m.seen_by_host, m.stopped_from,
      m.stopped_at
    from (select count(*) as corrections from clock_corrections) c
    left join database_clock m on true`
  if (row === undefined) throw new Error('no time from the database')
  const { now, corrections, seen_at, seen_by_host, stopped_from, stopped_at } = row
  const stopped =
    stopped_from === null || stopped_at === null
      ? null
      : { expected: stopped_from, found: stopped_at }
  const mark: ClockMark | undefined =
    seen_at === null || seen_by_host === null ? undefined : { seen_at, seen_by_host, stopped }
  return { now, corrections, mark }
}

/** Writes down that the clock is right. */
export async function keepSeen(sql: Sql, now: Instant, host: Instant): Promise<void> {
  await sql`
    insert into database_clock as c (seen_at, seen_by_host) values (${now}, ${host})
    on conflict (only_row) do update set seen_at = excluded.seen_at,
      seen_by_host = excluded.seen_by_host, stopped_from = null, stopped_at = null`
}

/** Writes down a jump, for all processes. The first one stays. */
export async function setStopped(sql: Sql, jump: Jump, host: Instant): Promise<void> {
  await sql`
    insert into database_clock as c (seen_at, seen_by_host, stopped_from, stopped_at)
    values (${jump.expected}, ${host}, ${jump.expected}, ${jump.found})
    on conflict (only_row) do update set stopped_from = excluded.stopped_from,
      stopped_at = excluded.stopped_at where c.stopped_at is null`
}

/** The confirmed corrections, for the proof of the books. */
export async function listCorrections(
  sql: Tag,
): Promise<{ readonly set_from: Instant; readonly set_to: Instant }[]> {
  return sql`select set_from, set_to from clock_corrections order by number`
}

/**
 * Confirms the database's present time, as the owner. Books and kept answers that are ahead of it
 * are set to it. Returns the correction.
 */
export async function confirmClock(
  owner: Sql,
  host: Instant,
): Promise<{ readonly set_from: Instant; readonly set_to: Instant }> {
  return owner.begin(async tx => {
    await tx`lock table books in share row exclusive mode`
    const [correction] = await tx<{ set_from: Instant; set_to: Instant }[]>`
      insert into clock_corrections (set_from, set_to)
      select greatest(now, (select stopped_from from database_clock),
        (select max(last_written_at - clock_ahead) from books)), now
      from (select clock_timestamp() as now offset 0) t
      returning set_from, set_to`
    if (correction === undefined) throw new Error('the correction was not kept')
    const { set_to } = correction
    await tx`
      update books set last_written_at = ${set_to}::timestamptz + clock_ahead
      where last_written_at > ${set_to}::timestamptz + clock_ahead`
    await tx`
      update idempotency_keys k set created_at = ${set_to}::timestamptz from books b
      where b.account_id = k.account_id and not b.sandbox and k.created_at > ${set_to}::timestamptz`
    await tx`
      insert into database_clock (seen_at, seen_by_host) values (${set_to}, ${host})
      on conflict (only_row) do update set seen_at = excluded.seen_at,
        seen_by_host = excluded.seen_by_host, stopped_from = null, stopped_at = null`
    return correction
  })
}
