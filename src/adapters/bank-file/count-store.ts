// The SQL statements that count files for metrics.
import type { Sql } from '../../sql/connect.ts'

/** Counts files without an answer, by rail and state. `unsent_s`: the age of the oldest unsent. */
export function countFiles(sql: Sql) {
  return sql<{ rail: string; state: string; count: number; unsent_s: number | null }[]>`
    select rail, state, count(*)::integer as count,
      max(extract(epoch from clock_timestamp() - sealed_at))
        filter (where sent_at is null)::integer as unsent_s
    from rail_files where state not in ('acknowledged', 'rejected', 'withdrawn')
    group by rail, state`
}

/** How long each rail's exchange of files has had its problem. */
export function listProblems(sql: Sql) {
  return sql<{ rail: string; since_s: number }[]>`
    select rail, extract(epoch from clock_timestamp() - problem_since)::integer as since_s
    from rail_exchanges where problem <> ''`
}

/** Counts the open quarantined files and the open lines, by rail. */
export function countQuarantined(sql: Sql) {
  return sql<{ rail: string; files: number; lines: number }[]>`
    select f.rail,
      count(distinct f.sha256)
        filter (where f.state = 'quarantined' and f.closed_by = '')::integer as files,
      count(l.position)::integer as lines
    from rail_inbox f
    left join rail_inbox_lines l on l.sha256 = f.sha256 and l.closed_by = ''
    where f.state = 'quarantined' or f.lines_quarantined > 0
    group by f.rail`
}
