// What a lane does when a batch goes wrong, on a scratch table and an operation of its own: a poisoned
// command, refusals, contention, a connection lost in the middle, and a commit whose answer is lost.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Lane } from '../../src/engine/lane.ts'
import type { Operation } from '../../src/engine/operation.ts'
import { connect, type Sql, type TransactionSql } from '../../src/sql/connect.ts'
import type { Work } from '../../src/sql/transact.ts'
import { Refusal, refusal } from '../../src/values/errors.ts'
import { createDatabase } from '../support/database/database.ts'

type Fate =
  | 'well'
  | 'refused'
  | 'throws'
  | 'cannot be written'
  | 'breaks store'
  | 'breaks commit'
  | 'contends'
  | 'loses connection'
  | 'loses answer'
  | 'stands still'
  | 'hangs'

interface Note {
  readonly id: number
  readonly fate: Fate
}

/** How often `store` was tried, and how many contentions are still to come. */
let stores: Note[][] = []
let contentions = Number.POSITIVE_INFINITY

/** Of the connection that the last batch was on. */
let pid = 0

const write: Operation<Note, null, Note> = {
  name: 'write_note',
  load: async tx => {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    pid = row?.pid ?? 0
    return null
  },
  decide(_state, note) {
    if (note.fate === 'refused') throw refusal('invalid_field', 'No.')
    if (note.fate === 'throws') throw new TypeError('a fault of ours')
    return note
  },
  // Every statement is sent before it returns, as a store must: the COMMIT follows at once.
  store(tx: TransactionSql, notes) {
    stores.push([...notes])
    const rows = JSON.stringify(notes)
    const has = (fate: Fate) => notes.some(note => note.fate === fate)
    if (has('stands still')) setImmediate(() => standStill())
    const contends = has('contends') && contentions > 0
    if (contends) contentions -= 1
    return Promise.all([
      tx`insert into notes select id from json_to_recordset(${rows}::text::json) as r(id int)`,
      has('cannot be written') && Promise.reject(new TypeError('no JSON for a bigint')),
      has('breaks store') && tx`select 1 / 0`,
      has('breaks commit') && tx`insert into checked_at_commit values (1), (1)`,
      contends && tx.unsafe(`do $$ begin raise 'told to' using errcode = '40001'; end $$`),
      has('hangs') && tx`select pg_sleep(60)`,
      has('loses connection') && tx`select pg_sleep(5)`,
      has('loses connection') && endSession(),
    ])
  },
}

/** As an operator, a failover or a crash would: the server ends it under the transaction. */
function endSession() {
  return database.owner`select pg_terminate_backend(${pid}::integer)`
}

/** As a suspended process does, while the database goes on. */
function standStill(ms = 1_500): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const database = await createDatabase()
await database.owner`create table notes (id integer)`
await database.owner`create table checked_at_commit (id integer unique initially deferred)`
await database.owner`grant all on notes, checked_at_commit to corridor_service`
const sql = connect(database.url, { max: 1, as: 'service' })
after(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})
beforeEach(async () => {
  stores = []
  contentions = Number.POSITIVE_INFINITY
  await database.owner`truncate notes`
})

/** Runs one command alone and the others as one batch behind it. */
async function runBatch(fates: readonly Fate[], on = sql): Promise<PromiseSettledResult<Note>[]> {
  const lane = new Lane(on, write, { max_batch: 100 })
  const first = lane.run({ id: 0, fate: 'well' })
  const rest = fates.map((fate, i) => lane.run({ id: i + 1, fate }))
  await first
  return Promise.allSettled(rest)
}

async function listNotes(): Promise<number[]> {
  const rows = await database.owner<{ id: number }[]>`select id from notes order by id`
  return rows.map(row => row.id)
}

const reasonOf = (result: PromiseSettledResult<Note> | undefined) =>
  result?.status === 'rejected' && result.reason instanceof Refusal
    ? result.reason.problems[0]?.reason
    : result?.status

const messageOf = (result: PromiseSettledResult<Note> | undefined) =>
  result?.status === 'rejected' ? String(result.reason.message) : ''

/** Commits for good, then fails as a socket does whose network went down before the answer came. */
function losingAnswers(code: string): Sql {
  const lost = async () => {
    if (code === 'CONNECTION_CLOSED') await endSession()
    throw Object.assign(new Error(`write ${code}`), { code })
  }
  const begin = (work: Work<unknown>) =>
    sql.begin((tx, commit) => {
      const meant = () => stores.at(-1)?.some(note => note.fate === 'loses answer') === true
      return work(tx, () => commit().then(() => (meant() ? lost() : undefined)))
    })
  return { begin } as unknown as Sql
}

for (const fate of ['throws', 'cannot be written', 'breaks store', 'breaks commit'] as const) {
  test(`lane, batch of 5, one ${fate}: only this one fails, the others written once`, async () => {
    const results = await runBatch(['well', 'well', fate, 'well', 'well'])
    const ends = ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']
    assert.deepEqual(results.map(reasonOf), ends)
    assert.deepEqual(await listNotes(), [0, 1, 2, 4, 5])
  })
}

test('lane, batch of 4, two refused: only these fail, in one transaction with the others', async () => {
  const results = await runBatch(['well', 'refused', 'well', 'refused'])
  const ends = ['fulfilled', 'invalid_field', 'fulfilled', 'invalid_field']
  assert.deepEqual(results.map(reasonOf), ends)
  assert.deepEqual(await listNotes(), [0, 1, 3])
  assert.equal(stores.length, 2)
})

test('lane, batch with serialization failures 4 times: fifth try succeeds, written once, no caller fails', async () => {
  contentions = 4
  const results = await runBatch(['well', 'contends', 'well'])
  assert.deepEqual(results.map(reasonOf), ['fulfilled', 'fulfilled', 'fulfilled'])
  assert.deepEqual(await listNotes(), [0, 1, 2, 3])
  assert.equal(stores.length, 1 + 5)
})

test('lane, batch with endless serialization failures: 5 tries, then 503 for all, nothing written', async () => {
  const results = await runBatch(['well', 'contends', 'well'])
  assert.deepEqual(results.map(reasonOf), Array(3).fill('service_unavailable'))
  for (const result of results) assert.match(messageOf(result), /nothing was written/)
  assert.deepEqual(await listNotes(), [0])
  assert.equal(stores.length, 1 + 5)
})

test('lane, process paused longer than callers wait: results already committed are still returned', async () => {
  const lane = new Lane(sql, write, { max_batch: 1, max_wait_ms: 600 })
  assert.equal((await lane.run({ id: 1, fate: 'stands still' })).id, 1)
  assert.deepEqual(await listNotes(), [1])
})

test('lane, process paused repeatedly, database silent: 503', async () => {
  const lane = new Lane(sql, write, { max_batch: 1, max_wait_ms: 600 })
  let stills = 0
  const still = setInterval(() => {
    stills += 1
    if (stills < 10) standStill(1_050)
  })
  try {
    const [result] = await Promise.allSettled([lane.run({ id: 1, fate: 'hangs' })])
    assert.match(messageOf(result), /whether it took effect is not known/)
    assert.ok(stills < 10, `after ${stills} times`)
  } finally {
    clearInterval(still)
    await endSession()
  }
})

test('lane, connection lost while storing, 10 times: 503 for the batch, nothing written twice, lane continues', async () => {
  for (let round = 0; round < 10; round++) {
    const results = await runBatch(['well', 'loses connection', 'well'])
    assert.deepEqual(results.map(reasonOf), Array(3).fill('service_unavailable'))
  }
  // The command before each lost batch was written; of the lost batches, which are never tried
  // again, nothing was.
  assert.deepEqual(await listNotes(), Array(10).fill(0))
  assert.equal(stores.length, 20)
})

// ENETDOWN stands for every code that no list of ours names, '' for a fault of the driver. Even what
// is contention elsewhere must not be tried again unless the server itself said it.
for (const code of ['ENETDOWN', 'CONNECTION_CLOSED', '40001', '']) {
  for (const fates of [['loses answer'], ['well', 'loses answer']] as const) {
    test(`lane, batch of ${fates.length} committed, answered with "${code}": 503 for all, written once`, async () => {
      const results = await runBatch(fates, losingAnswers(code))
      assert.deepEqual(results.map(reasonOf), Array(fates.length).fill('service_unavailable'))
      for (const result of results) {
        assert.ok(result.status === 'rejected')
        assert.equal(result.reason.status, 503)
        assert.match(messageOf(result), /whether it took effect is not known/)
      }
      assert.deepEqual(await listNotes(), [0, ...fates.map((_, i) => i + 1)])
      assert.equal(stores.length, 2)
      // The pool may learn only now that the server has ended its session.
      await sql`select 1`.catch(() => {})
    })
  }
}
