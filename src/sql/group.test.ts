import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import { nextTick } from '../values/event-loop.ts'
import { connect, type Sql, type TransactionSql } from './connect.ts'

let database: TestDatabase
let sql: Sql

before(async () => {
  database = await createDatabase()
  await database.owner`create table notes (text text unique)`
  await database.owner`grant all on notes to corridor_service`
  sql = connect(database.url, { max: 1, as: 'service' })
})
after(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

async function written(): Promise<string[]> {
  const rows = await database.owner<{ text: string }[]>`select text from notes order by text`
  await database.owner`delete from notes`
  return rows.map(({ text }) => text)
}

const write = (tx: TransactionSql, text: string) => tx`insert into notes values (${text})`

/** Later than a moment, and before any answer is read. */
async function anotherMoment(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) await nextTick()
}

test('BEGIN fails, statements of its transaction sent with it or later: nothing written', async () => {
  const later = sql.begin('by mistake', async tx => {
    await anotherMoment()
    await write(tx, 'later')
  })
  await assert.rejects(later, { code: '42601' })
  await assert.rejects(
    sql.begin('by mistake', tx => write(tx, 'with it')),
    { code: '42601' },
  )
  await sql.begin(tx => write(tx, 'after'))
  assert.deepEqual(await written(), ['after'])
})

test('statements sent together, one fails: rejects with the first error, nothing written, connection usable', async () => {
  const failing = sql.begin(tx =>
    Promise.all([write(tx, 'before'), tx`select 1 / 0`, write(tx, 'behind')]),
  )
  await assert.rejects(failing, { code: '22012' })
  await sql.begin(tx => Promise.all([write(tx, 'one'), write(tx, 'two')]))
  assert.deepEqual(await written(), ['one', 'two'])
})

test('savepoint rolled back in the tick of a failing statement: the transaction continues', async () => {
  await sql.begin(async tx => {
    await write(tx, 'kept')
    const given_up = tx.savepoint(async inner => {
      void inner`select 1 / 0`.execute()
      throw new Error('given up')
    })
    await assert.rejects(given_up, /given up/)
    await write(tx, 'also kept')
  })
  assert.deepEqual(await written(), ['also kept', 'kept'])
})

test('statement never prepared before, sent behind a failing statement: prepared by its next use', async () => {
  const select = (tx: TransactionSql) => tx<{ a: number }[]>`select 7 as a, 'never before' as b`
  await assert.rejects(sql.begin(tx => Promise.all([tx`select 1 / 0`, select(tx)])))
  for (const _ of [1, 2]) {
    const rows = await sql.begin(tx => select(tx))
    assert.deepEqual([...rows], [{ a: 7, b: 'never before' }])
  }
})

test('query text with several statements, between other statements: run in order', async () => {
  const found = await sql.begin(async tx => {
    void write(tx, 'first').execute()
    void tx
      .unsafe(`insert into notes values ('second'); insert into notes values ('third')`)
      .execute()
    const [row] = await tx<{ count: bigint }[]>`select count(*) from notes`
    return row?.count
  })
  assert.equal(found, 3n)
  assert.deepEqual(await written(), ['first', 'second', 'third'])
})
