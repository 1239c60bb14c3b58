// Waits until a session of the database waits for a lock of another session, so that a test knows
// how far its statement has come.
import type { Sql } from '../../../src/sql/connect.ts'
import { until } from '../service/process.ts'
import { onCluster } from './citus.ts'

/** On a cluster a worker's session waits; its global_pid names the coordinator's session. */
const SESSIONS = onCluster
  ? '(select *, (global_pid % 10000000000)::integer as "of" from citus_stat_activity) s'
  : '(select *, pid as "of" from pg_stat_activity) s'

/**
 * Waits until a session waits for a lock; returns the process ids of all such sessions.
 * @param owner not a transaction, which would keep seeing the sessions of its first look
 * @param query the beginning of the waiting statement; any statement when left out
 */
export async function untilBlocked(owner: Sql, query = ''): Promise<number[]> {
  let pids: number[] = []
  await until('a session waits for a lock', async () => {
    const rows = await owner<{ pid: number }[]>`
      select "of" as pid from ${owner.unsafe(SESSIONS)}
      where datname = current_database()
        and wait_event_type = 'Lock' and starts_with(query, ${query})`
    pids = rows.map(({ pid }) => pid)
    return pids.length > 0
  })
  return pids
}
