// What a lane does when a batch goes wrong, on a scratch table and an operation of its own: a poisoned
// command, refusals, contention, and a connection lost in the middle.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { connect, type Sql, type TransactionSql } from '../../src/db/connect.ts'
import { Lane } from '../../src/engine/lane.ts'
import type { Operation } from '../../src/engine/operation.ts'
import { Refusal, refusal } from '../../src/errors.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

type Fate = 'well' | 'refused' | 'throws' | 'breaks store' | 'contends' | 'loses connection'

interface Note {
  readonly id: number
  readonly fate: Fate
}

let database: TestDatabase
let sql: Sql
/** How often `store` was tried, and how many contentions are still to come. */
let stores: Note[][] = []
let contentions = Number.POSITIVE_INFINITY

const write: Operation<Note, null, Note> = {
  name: 'write_note',
  load: async tx => {
    await tx`select 1`
    return null
  },
  decide(_state, note) {
    if (note.fate === 'refused') throw refusal('invalid_field', 'No.')
    if (note.fate === 'throws') throw new TypeError('a fault of ours')
    return note
  },
  async store(tx: TransactionSql, notes) {
    stores.push([...notes])
    const rows = JSON.stringify(notes)
    await tx`insert into notes select id from json_to_recordset(${rows}::text::json) as r(id int)`
    const has = (fate: Fate) => notes.some(note => note.fate === fate)
    if (has('breaks store')) await tx`select 1 / 0`
    if (has('contends') && contentions > 0) {
      contentions -= 1
      await tx.unsafe(`do $$ begin raise exception 'told to' using errcode = '40001'; end $$`)
    }
    if (has('loses connection')) await loseConnection(tx)
  },
}

/** As an operator, a failover or a crash would: the server ends the session under the transaction. */
async function loseConnection(tx: TransactionSql): Promise<void> {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
  await database.owner`select pg_terminate_backend(${row?.pid ?? 0})`
  await tx`select pg_sleep(5)`
}

before(async () => {
  database = await createDatabase()
  await database.owner`create table notes (id integer)`
  await database.owner`grant all on notes to corridor_service`
  sql = connect(database.url, { max: 1, as: 'service' })
})
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
async function runBatch(fates: readonly Fate[]): Promise<PromiseSettledResult<Note>[]> {
  const lane = new Lane(sql, write, { max_batch: 100 })
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

for (const fate of ['throws', 'breaks store'] as const) {
  test(`a batch of 5, one ${fate}: it fails alone, its neighbours are written once`, async () => {
    const results = await runBatch(['well', 'well', fate, 'well', 'well'])
    const ends = ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']
    assert.deepEqual(results.map(reasonOf), ends)
    assert.deepEqual(await listNotes(), [0, 1, 2, 4, 5])
  })
}

test('a batch of 4, two refused: only they are, in one transaction with the others', async () => {
  const results = await runBatch(['well', 'refused', 'well', 'refused'])
  const ends = ['fulfilled', 'invalid_field', 'fulfilled', 'invalid_field']
  assert.deepEqual(results.map(reasonOf), ends)
  assert.deepEqual(await listNotes(), [0, 1, 3])
  assert.equal(stores.length, 2)
})

test('a batch in contention 4 times: tried a fifth time, written once, nobody is told', async () => {
  contentions = 4
  const results = await runBatch(['well', 'contends', 'well'])
  assert.deepEqual(results.map(reasonOf), ['fulfilled', 'fulfilled', 'fulfilled'])
  assert.deepEqual(await listNotes(), [0, 1, 2, 3])
  assert.equal(stores.length, 1 + 5)
})

test('one command in contention for ever: tried 5 times, then 503, nothing written', async () => {
  const results = await runBatch(['contends'])
  assert.deepEqual(results.map(reasonOf), ['service_unavailable'])
  assert.deepEqual(await listNotes(), [0])
  assert.equal(stores.length, 1 + 5)
})

test('a batch in contention for ever: its cause alone gets 503, its neighbours are written', async () => {
  const results = await runBatch(['well', 'contends', 'well'])
  assert.deepEqual(results.map(reasonOf), ['fulfilled', 'service_unavailable', 'fulfilled'])
  assert.deepEqual(await listNotes(), [0, 1, 3])
})

test('the connection lost in store, 10 times: 503 for the batch, nothing doubled, the lane goes on', async () => {
  for (let round = 0; round < 10; round++) {
    const results = await runBatch(['well', 'loses connection', 'well'])
    assert.deepEqual(results.map(reasonOf), Array(3).fill('service_unavailable'))
  }
  // The command before each lost batch was written; of the lost batches, which are never tried
  // again, nothing was.
  assert.deepEqual(await listNotes(), Array(10).fill(0))
  assert.equal(stores.length, 20)
})
