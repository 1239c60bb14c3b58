// The SQL statements of upkeep: the runs of `corridor verify` and of backups.
import type { Sql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'

export const UPKEEP_KINDS = ['verify', 'backup'] as const
export type UpkeepKind = (typeof UPKEEP_KINDS)[number]

export interface UpkeepRun {
  readonly kind: UpkeepKind
  readonly finished_at: Instant
  /** Whether the books are in order, or the backup is whole. */
  readonly well: boolean
  /** The run's report in words: what it checked or wrote. */
  readonly told: string
}

export async function keepRun(
  sql: Sql,
  { kind, well, told }: Omit<UpkeepRun, 'finished_at'>,
): Promise<void> {
  await sql`insert into upkeep_runs (kind, well, told) values (${kind}, ${well}, ${told})`
}

/** The last run of each kind. */
export async function listLastRuns(sql: Sql): Promise<UpkeepRun[]> {
  return sql<UpkeepRun[]>`
    select distinct on (kind) kind, finished_at, well, told
    from upkeep_runs order by kind, number desc`
}
