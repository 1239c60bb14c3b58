// The SQL statements of what keeps an installation: when the books were proved, and when a backup
// was taken.
import type { Sql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'

export const UPKEEP_KINDS = ['verify', 'backup'] as const
export type UpkeepKind = (typeof UPKEEP_KINDS)[number]

export interface UpkeepRun {
  readonly kind: UpkeepKind
  readonly finished_at: Instant
  /** Whether the books are in order, or the backup is whole. */
  readonly well: boolean
  /** What was checked or written, in words. */
  readonly told: string
}

export async function keepRun(
  sql: Sql,
  { kind, well, told }: Omit<UpkeepRun, 'finished_at'>,
): Promise<void> {
  await sql`insert into upkeep_runs (kind, well, told) values (${kind}, ${well}, ${told})`
}

/** The last run of each kind that there is. */
export async function listLastRuns(sql: Sql): Promise<UpkeepRun[]> {
  return sql<UpkeepRun[]>`
    select distinct on (kind) kind, finished_at, well, told
    from upkeep_runs order by kind, number desc`
}
