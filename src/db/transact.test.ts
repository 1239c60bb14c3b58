import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { connect, type Sql } from './connect.ts'
import { transactPipelined } from './transact.ts'

let database: TestDatabase
let sql: Sql

before(async () => {
  database = await createDatabase()
  await database.owner`create table notes (text text)`
  await database.owner`create table checked_at_commit (id integer unique initially deferred)`
  await database.owner`grant all on notes, checked_at_commit to corridor_service`
  sql = connect(database.url, { max: 1, as: 'service' })
})
after(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

async function written(text: string): Promise<boolean> {
  const rows = await database.owner`select from notes where text = ${text}`
  return rows.length > 0
}

test('COMMIT behind its statements: resolves when they can be read', async () => {
  const result = await transactPipelined(sql, async (tx, commit) => {
    await Promise.all([tx`insert into notes values ('sent at once')`, commit()])
    assert.ok(await written('sent at once'))
    return 'done'
  })
  assert.equal(result, 'done')
})

test('COMMIT behind a statement that fails: rejects with its error, nothing written', async () => {
  const work = transactPipelined(sql, (tx, commit) =>
    Promise.all([tx`insert into notes values ('half')`, tx`select 1 / 0`, commit()]),
  )
  await assert.rejects(work, { code: '22012' })
  assert.equal(await written('half'), false)
})

test('a statement after the COMMIT: refused, as no transaction would have it', async () => {
  const work = transactPipelined(sql, async (tx, commit) => {
    await Promise.all([tx`insert into notes values ('in time')`, commit()])
    await tx`insert into notes values ('too late')`
  })
  await assert.rejects(work, /after the COMMIT/)
  assert.deepEqual([await written('in time'), await written('too late')], [true, false])
})

test('no COMMIT of its own: committed at the end, rolled back when the work fails', async () => {
  await transactPipelined(sql, async tx => void (await tx`insert into notes values ('at the end')`))
  const failing = transactPipelined(sql, async tx => {
    await tx`insert into notes values ('given up')`
    throw new Error('no')
  })
  await assert.rejects(failing, /^Error: no$/)
  assert.deepEqual([await written('at the end'), await written('given up')], [true, false])
})

test('a COMMIT that is refused: rejects, and ends no transaction that gets its connection', async () => {
  const first = transactPipelined(sql, (tx, commit) =>
    Promise.all([tx`insert into checked_at_commit values (1), (1)`, commit()]),
  )
  const second = transactPipelined(sql, async tx => {
    await tx`insert into notes values ('of the second')`
    throw new Error('no')
  })
  const ends = await Promise.allSettled([first, second])
  assert.deepEqual(
    ends.map(end => end.status === 'rejected' && (end.reason.code ?? end.reason.message)),
    ['23505', 'no'],
  )
  assert.equal(await written('of the second'), false)
})
