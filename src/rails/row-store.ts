// The SQL statements of rails, a reference table.
import type { Sql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { RailRow } from './kind.ts'

/** All rails, the manual one included, by name. */
export async function listRails(sql: Tag): Promise<RailRow[]> {
  return sql<RailRow[]>`
    select name, kind, config, secret, paused_reason from rails order by name`
}

/** Adds a rail; false when the name is taken. */
export async function insertRail(sql: Sql, rail: RailRow): Promise<boolean> {
  const { name, kind, config, secret, paused_reason } = rail
  const { count } = await sql`
    insert into rails (name, kind, config, secret, paused_reason)
    values (${name}, ${kind}, ${JSON.stringify(config)}::text::jsonb, ${secret}, ${paused_reason})
    on conflict (name) do nothing`
  return count === 1
}

/** Replaces the settings and the secret of a rail. */
export async function updateRail(sql: Sql, { name, config, secret }: RailRow): Promise<void> {
  await sql`
    update rails set config = ${JSON.stringify(config)}::text::jsonb, secret = ${secret}
    where name = ${name}`
}

/** Counts the attempts that the rail is still asked about. Paid and ended attempts count, too. */
export async function countAskedAttempts(audit: Sql, rail: string): Promise<number> {
  const [row] = await audit<{ count: number }[]>`
    select count(*)::integer as count from payout_attempts a
    left join open_payouts p on p.account_id = a.account_id and p.id = a.payout_id
    where a.rail = ${rail} and a.asked_at is not null and (a.ask_again_at is not null
      or a.ended_as in ('', 'paid') and p.id is not null)`
  return row?.count ?? 0
}

/** Pauses a rail for a reason, or resumes it with ''. */
export async function updatePause(sql: Sql, name: string, paused_reason: string): Promise<void> {
  await sql`update rails set paused_reason = ${paused_reason} where name = ${name}`
}

/** Those of these rails that are paused. */
export async function listPaused(sql: Tag, names: ReadonlySet<string>): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from rails where name = any (${[...names]}::text[]) and paused_reason <> ''`
  return rows.map(({ name }) => name)
}

/** Pauses every rail but the manual one; returns their names. A paused rail keeps its reason. */
export async function pauseAll(sql: Sql, paused_reason: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    update rails set paused_reason = ${paused_reason} where kind <> 'manual' and paused_reason = ''
    returning name`
  return rows.map(({ name }) => name)
}

/** Removes a rail. The database refuses when a route names it or a payout went to it. */
export async function deleteRail(sql: Sql, name: string): Promise<void> {
  await sql`delete from rails where name = ${name}`
}
