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

/**
 * For how many seconds each of these kinds has not succeeded: since its last run that has, else
 * since the first live account was made. Leaves out a kind without both.
 */
export async function readUpkeepAges(sql: Sql, kinds: readonly UpkeepKind[]) {
  return sql<{ kind: UpkeepKind; age_s: number }[]>`
    select kind, floor(extract(epoch from statement_timestamp() - since))::float8 as age_s
    from unnest(${[...kinds]}::text[]) as wanted (kind)
    cross join lateral (select coalesce(
      (select finished_at from upkeep_runs r where r.kind = wanted.kind and well
        order by number desc limit 1),
      (select min(created_at) from accounts where not sandbox)
    ) as since) s
    where since is not null`
}

/** The last run of each kind. */
export async function listLastRuns(sql: Sql): Promise<UpkeepRun[]> {
  return sql<UpkeepRun[]>`
    select distinct on (kind) kind, finished_at, well, told
    from upkeep_runs order by kind, number desc`
}
