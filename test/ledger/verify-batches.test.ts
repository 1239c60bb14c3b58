// What corridor verify reads of payouts that were made by the thousand. PostgreSQL has no figures of
// a table that has just grown, and believes it small.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { verify } from '../../src/verify/run.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startSideBySide } from '../support/service/side-by-side.ts'

/** The most payouts that a batch may have. */
const OF_A_BATCH = 1_000
const BATCHES = 3
/** Rows are read once by each rule that needs them. */
const READS_OF_A_ROW = 40

const all = await startSideBySide(1)
after(() => all.close())

test('corridor verify, thousands of payouts made by batches: each rule reads an event once', async () => {
  const by = await all.open({ fund: { USD: 1_000_000_000n } })
  const { database } = all.service
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const payouts = Array.from({ length: OF_A_BATCH }, () => ({ ...localPayout, amount: 1_000 }))
    const { status, text } = await by(0).post('/v3/payout_batch', { payouts })
    assert.equal(status, 200, text)
  }
  const before = await eventsRead(database.owner)
  const sql = connect(database.url, { max: 2, as: 'auditor' })
  const { problem } = await verify(sql, { account_id: null, beside: sql })
  // PostgreSQL counts the reads of a session at its end.
  await sql.end()
  assert.equal(problem, null)
  const { rows, read } = await eventsRead(database.owner)
  assert.ok(rows > OF_A_BATCH, `${rows} rows of events`)
  const times = (read - before.read) / rows
  assert.ok(times > 0 && times < READS_OF_A_ROW, `each event was read ${times} times`)
})

async function eventsRead(sql: Sql): Promise<{ rows: number; read: number }> {
  const [row] = await sql<{ rows: number; read: number }[]>`
    select (select count(*) from events)::int as rows,
      (seq_tup_read + idx_tup_fetch)::float as read
    from pg_stat_user_tables where relname = 'events'`
  assert.ok(row !== undefined)
  return row
}
