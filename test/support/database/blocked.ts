// Waits until a session of the database waits for a lock that another holds: how a test knows that
// what it has sent has come as far as it should.
import type { Sql } from '../../../src/db/connect.ts'
import { until } from '../service/process.ts'
import { onCluster } from './citus.ts'

/** On a cluster another machine waits, for a session of the coordinator, which its number names. */
const SESSIONS = onCluster
  ? '(select *, (global_pid % 10000000000)::integer as "of" from citus_stat_activity) s'
  : '(select *, pid as "of" from pg_stat_activity) s'

/**
 * The ids of the sessions that wait, once one does.
 * @param owner not a transaction: it would be shown the sessions that there were when it first looked
 * @param query how the statement that waits begins; any, when left out
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
