import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import { until } from '../../test/support/service/process.ts'
import { openPool, type Sql } from './pool.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase({ empty: true })
})
after(() => database.drop())

function open(t: TestContext, max: number): Sql {
  const sql = openPool(database.url, { max, application_name: 'pool under test' })
  t.after(() => sql.end({ timeout: 0 }))
  return sql
}

async function pidOf(sql: Pick<Sql, 'unsafe'>): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
  return row?.pid ?? 0
}

/** Ends the sessions of the pools under test. */
const terminate = () => database.owner`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'pool under test'`

test('pool, sequential statements, several idle connections: all on the connection used last', async t => {
  const sql = open(t, 3)
  await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.01)`))
  const pids = [await pidOf(sql), await pidOf(sql), await pidOf(sql), await pidOf(sql)]
  assert.equal(new Set(pids).size, 1)
})

test('pool, PGOPTIONS in the environment: ignored', async t => {
  process.env.PGOPTIONS = '-c search_path=elsewhere'
  t.after(() => Reflect.deleteProperty(process.env, 'PGOPTIONS'))
  const [row] = await open(t, 1)`show search_path`
  assert.notEqual(row?.search_path, 'elsewhere')
})

test('pool, more statements than connections: all answered, number of connections bounded', async t => {
  const sql = open(t, 2)
  const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(sql)))
  assert.ok(new Set(pids).size <= 2)
})

test('pool, no free connection in time: rejects, later statements succeed', async t => {
  // Long enough for a busy machine to open one.
  const sql = openPool(database.url, { max: 1, wait_ms: 1_000 })
  t.after(() => sql.end({ timeout: 0 }))
  const session = await sql.reserve()
  const late = { code: 'CONNECT_TIMEOUT' }
  await Promise.all([
    assert.rejects(async () => await sql`select 1`, late),
    assert.rejects(
      sql.begin(tx => tx`select 1`),
      late,
    ),
  ])
  session.release()
  assert.deepEqual([...(await sql`select 1 as one`)], [{ one: 1 }])
})

test('pool end: statements sent before are answered, later ones reject', async t => {
  const sql = open(t, 1)
  const asked = Promise.all([sql`select pg_sleep(0.05)`, sql`select 1 as one`])
  await sql`select 1`
  const ended = sql.end()
  await assert.rejects(async () => await sql`select 2`, { code: 'CONNECTION_ENDED' })
  const [, [row]] = await asked
  assert.equal(row?.one, 1)
  await ended
})

test('pool end with immediate stop: waiting statements reject', async t => {
  const sql = open(t, 1)
  await sql`select 1`
  const codeOf = (asked: PromiseLike<unknown>) =>
    asked.then(
      () => 'answered',
      error => error.code,
    )
  const sleeping = codeOf(sql`select pg_sleep(600)`)
  // The pool sends a statement in the next turn: the transaction must not overtake it.
  await turn()
  const waiting = [codeOf(sql`select 1`), codeOf(sql.begin(tx => tx`select 1`))]
  await sql.end({ timeout: 0 })
  assert.equal(await sleeping, 'CONNECTION_CLOSED')
  assert.deepEqual(await Promise.all(waiting), ['CONNECTION_ENDED', 'CONNECTION_ENDED'])
})

test('prepared statement, table changed by a migration: answered', async t => {
  const sql = open(t, 1)
  await sql`create table changing (a integer)`
  const read = (on: Pick<Sql, 'unsafe'>) =>
    on.unsafe('select * from changing', [], { prepare: true })
  await read(sql)
  await database.owner`alter table changing add column b integer`
  await database.owner`insert into changing values (1, 2)`
  assert.deepEqual([...(await read(sql))], [{ a: 1, b: 2 }])
  await database.owner`alter table changing drop column a`
  // The transaction runs again, also from the statements before.
  const both = await sql.begin(async tx => {
    await tx`update changing set b = b + 1`
    return read(tx)
  })
  assert.deepEqual([...both], [{ b: 3 }])
})

test('prepared statement, table changed during its transaction: rejects, not run a third time', async t => {
  const sql = open(t, 1)
  await sql`create table always_changing (a integer)`
  let ran = 0
  const change = async (tx: Pick<Sql, 'unsafe'>) => {
    ran += 1
    await tx.unsafe('select * from always_changing', [], { prepare: true })
    await tx.unsafe(`alter table always_changing add column b${ran} integer`)
    await tx.unsafe('select * from always_changing', [], { prepare: true })
  }
  await assert.rejects(sql.begin(change), { code: '0A000' })
  assert.equal(ran, 2)
})

test('transaction: commits, rolls back, releases its connection', async t => {
  const sql = open(t, 1)
  await sql`create table kept (id integer)`
  await sql.begin(tx => tx`insert into kept values (1)`)
  await assert.rejects(
    sql.begin(async tx => {
      await tx`insert into kept values (2)`
      throw new Error('no')
    }),
    /^Error: no$/,
  )
  // A failed statement fails the transaction, although no caller awaits the statement.
  await assert.rejects(
    sql.begin(async tx => {
      await tx`insert into kept values (3)`
      await tx`select 1 / 0`.catch(() => {})
    }),
    { code: '22012' },
  )
  await sql.begin(async tx => {
    await tx`insert into kept values (4)`
    const within = tx.savepoint(async tx => {
      await tx`insert into kept values (5)`
      await tx`select 1 / 0`
    })
    await assert.rejects(within, { code: '22012' })
  })
  const rows = await sql<{ id: number }[]>`select id from kept order by id`
  assert.deepEqual(
    rows.map(row => row.id),
    [1, 4],
  )
})

test('pool listen: receives notifications, also after its connection was lost', async t => {
  const sql = open(t, 1)
  const told: string[] = []
  let listens = 0
  const { unlisten } = await sql.listen(
    'tellings',
    payload => told.push(payload),
    () => (listens += 1),
  )
  await database.owner`select pg_notify('tellings', 'first')`
  await until('the first is told', () => told.includes('first'))
  await terminate()
  await until('it listens again', () => listens === 2)
  await database.owner`select pg_notify('tellings', 'second')`
  await until('the second is told', () => told.includes('second'))
  unlisten()
  await until('nobody listens', async () => {
    const rows = await database.owner`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'pool under test'`
    return rows.length === 0
  })
  assert.deepEqual([told, listens], [['first', 'second'], 2])
})

test('reserved session: keeps its connection until released', async t => {
  const sql = open(t, 2)
  const session = await sql.reserve()
  assert.equal(session.pid, await pidOf(session))
  await session`create temporary table own (id integer)`
  await Promise.all([1, 2, 3].map(() => sql`select 1`))
  await session`insert into own values (1)`
  session.release()
})
