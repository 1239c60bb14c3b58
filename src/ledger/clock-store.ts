// The SQL statements of database_clock and clock_corrections.
import type { Sql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'

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
      corrected_at: Instant | null
      seen_at: Instant | null
      seen_by_host: Instant | null
      stopped_from: Instant | null
      stopped_at: Instant | null
    }[]
  >`
    select clock_timestamp() as now, c.corrections, c.corrected_at, m.seen_at, m.seen_by_host,
      m.stopped_from, m.stopped_at
    from (
      select count(*) as corrections, max(set_to) as corrected_at from clock_corrections
    ) c
    left join database_clock m on true`
  if (row === undefined) throw new Error('no time from the database')
  const { now, corrections, corrected_at, seen_at, seen_by_host, stopped_from, stopped_at } = row
  const stopped =
    stopped_from === null || stopped_at === null
      ? null
      : { expected: stopped_from, found: stopped_at }
  const mark: ClockMark | undefined =
    seen_at === null || seen_by_host === null ? undefined : { seen_at, seen_by_host, stopped }
  return { now, corrections, corrected_at, mark }
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

export interface Correction {
  readonly set_from: Instant
  readonly set_to: Instant
}

/** The confirmed corrections, for the proof of the books. */
export async function listCorrections(sql: Tag): Promise<Correction[]> {
  return sql`select set_from, set_to from clock_corrections order by number`
}

/** Confirms the database's present time. Returns the correction. */
export async function confirmClock(sql: Tag, host: Instant): Promise<Correction> {
  const [correction] = await sql<Correction[]>`
    select set_from, set_to from confirm_clock(${host}::timestamptz)`
  if (correction === undefined) throw new Error('the correction was not kept')
  return correction
}
