import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import { startProxy } from '../../test/support/network/proxy.ts'
import { until } from '../../test/support/service/process.ts'
import { readAtOnce, readConfined } from './confine.ts'
import { connect, type Sql, type TransactionSql } from './connect.ts'
import { OutcomeUnknown } from './failure.ts'

let database: TestDatabase
let sql: Sql

before(async () => {
  database = await createDatabase()
  await database.owner`create table notes (text text)`
  await database.owner`create table checked_at_commit (id integer unique initially deferred)`
  await database.owner`create table told_at_commit (code text)`
  await database.owner.unsafe(`
    create function tell() returns trigger language plpgsql as
      $$ begin raise 'told to' using errcode = new.code; end $$;
    create constraint trigger tell after insert on told_at_commit deferrable initially deferred
      for each row execute function tell()`)
  await database.owner`grant all on notes, checked_at_commit, told_at_commit to corridor_service`
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

test('COMMIT sent together with its statements: resolves once their rows are readable', async () => {
  const result = await sql.begin(async (tx, commit) => {
    await Promise.all([tx`insert into notes values ('sent at once')`, commit()])
    assert.ok(await written('sent at once'))
    return 'done'
  })
  assert.equal(result, 'done')
})

test('COMMIT sent together with a failing statement: rejects with its error, nothing written', async () => {
  const work = sql.begin((tx, commit) =>
    Promise.all([tx`insert into notes values ('half')`, tx`select 1 / 0`, commit()]),
  )
  await assert.rejects(work, { code: '22012' })
  assert.equal(await written('half'), false)
})

test('statement after the COMMIT of its transaction: refused', async () => {
  const work = sql.begin(async (tx, commit) => {
    await Promise.all([tx`insert into notes values ('in time')`, commit()])
    await tx`insert into notes values ('too late')`
  })
  await assert.rejects(work, /after the COMMIT/)
  assert.deepEqual([await written('in time'), await written('too late')], [true, false])
})

test('transaction without its own COMMIT: committed at the end, rolled back on failure', async () => {
  await sql.begin(async tx => void (await tx`insert into notes values ('at the end')`))
  const failing = sql.begin(async tx => {
    await tx`insert into notes values ('given up')`
    throw new Error('no')
  })
  await assert.rejects(failing, /^Error: no$/)
  assert.deepEqual([await written('at the end'), await written('given up')], [true, false])
})

test("COMMIT refused: rejects, the connection's next transaction is unaffected", async () => {
  const first = sql.begin((tx, commit) =>
    Promise.all([tx`insert into checked_at_commit values (1), (1)`, commit()]),
  )
  const second = sql.begin(async tx => {
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

test('statement sent after its transaction ended: rejects, writes nothing', async () => {
  // Returned as a member: as the result itself, its `then` would be called.
  const { tx } = await sql.begin(async tx => ({ tx }))
  const late = async () => await tx`insert into notes values ('after the end')`
  await assert.rejects(late, { code: 'TRANSACTION_OVER' })
  assert.equal(await written('after the end'), false)
})

test('statement sent after its savepoint or transaction ended: rejects, writes nothing', async () => {
  const write = (tx: TransactionSql) => tx`insert into notes values ('after the savepoint')`
  const { tx, within } = await sql.begin(async tx => {
    const within = await tx.savepoint(async tx => ({ tx }))
    await assert.rejects(async () => await write(within.tx), { code: 'TRANSACTION_OVER' })
    return { tx, within }
  })
  await assert.rejects(async () => await write(within.tx), { code: 'TRANSACTION_OVER' })
  await assert.rejects(tx.savepoint(write), { code: 'TRANSACTION_OVER' })
  assert.equal(await written('after the savepoint'), false)
})

test('savepoint that outlives its transaction: later transactions unaffected', async () => {
  const waits = Promise.withResolvers<void>()
  let late: Promise<unknown> = Promise.resolve()
  const first = sql.begin(async tx => {
    late = tx.savepoint(async () => await waits.promise)
    late.catch(() => {})
    await tx`select 1`
    throw new Error('no')
  })
  await assert.rejects(first, /^Error: no$/)
  await sql.begin(async tx => {
    await tx.savepoint(async tx => {
      await tx`insert into notes values ('of another')`
      waits.resolve()
      await assert.rejects(late, { code: 'TRANSACTION_OVER' })
    })
  })
  assert.ok(await written('of another'))
})

test('nested savepoints: each rolls back to its own beginning', async () => {
  await sql.begin(async tx => {
    await tx`insert into notes values ('around')`
    const outer = tx.savepoint(async tx => {
      await tx`insert into notes values ('outer')`
      const inner = tx.savepoint(async tx => {
        await tx`insert into notes values ('inner')`
        throw new Error('inner')
      })
      await assert.rejects(inner, /inner/)
      throw new Error('outer')
    })
    await assert.rejects(outer, /outer/)
  })
  const kept = await Promise.all(['around', 'outer', 'inner'].map(written))
  assert.deepEqual(kept, [true, false, false])
})

test('statement with an invalid parameter, not awaited: its transaction fails', async () => {
  const bad = (tx: TransactionSql) =>
    void tx`insert into notes values (${undefined as never})`.execute()
  const alone = sql.begin(async tx => {
    await tx`insert into notes values ('beside nothing')`
    bad(tx)
  })
  await assert.rejects(alone, TypeError)
  const pipelined = sql.begin((tx, commit) => {
    const good = tx`insert into notes values ('beside nothing')`
    bad(tx)
    return Promise.all([good, commit()])
  })
  await assert.rejects(pipelined, TypeError)
  assert.equal(await written('beside nothing'), false)
})

test('the same statement several times in a failed transaction: each rejects with the cause; the next transaction succeeds', async () => {
  const asked = (tx: TransactionSql, id: number) => tx`select ${id}::integer as failing_twice`
  const work = sql.begin(tx => Promise.all([tx`select 1 / 0`, asked(tx, 1), asked(tx, 2)]))
  await assert.rejects(work, { code: '22012' })
  const late = sql.begin(async tx => {
    await tx`select 1 / 0`.catch(() => {})
    await Promise.allSettled([asked(tx, 1), asked(tx, 2)])
  })
  await assert.rejects(late, { code: '22012' })
  const [row] = await sql.begin(tx => asked(tx, 3))
  assert.equal(row?.failing_twice, 3)
})

test('connection lost after the COMMIT was sent: rejects with OutcomeUnknown', async () => {
  const other = connect(database.url, { max: 1, as: 'service' })
  const work = sql.begin(async (tx, commit) => {
    await Promise.all([tx`insert into notes values ('then elsewhere')`, commit()])
    await other`select 1 / 0`
  })
  await assert.rejects(work, OutcomeUnknown)
  await other.end({ timeout: 1 })
  assert.ok(await written('then elsewhere'))
})

test('connection lost before the COMMIT is sent: nothing committed', async () => {
  const work = sql.begin(async (tx, commit) => {
    await tx`insert into notes values ('not to be')`
    void commit().catch(() => {})
    throw new Error('no')
  })
  await assert.rejects(work, /^Error: no$/)
  assert.equal(await written('not to be'), false)
})

test('COMMIT of a read-only transaction, answered with XX000: rejects with that error', async t => {
  const proxy = await startProxy(database.url)
  t.after(() => proxy.close())
  const on = connect(proxy.url, { max: 1, as: 'service' })
  t.after(() => on.end({ timeout: 1 }))
  proxy.answerCommits('XX000', 1, /from notes/)
  const reading = on.begin('read only', tx => tx`select text from notes`)
  await assert.rejects(reading, { name: 'PostgresError', code: 'XX000' })
})

/** One statement, with a COMMIT sent right behind it, and with a COMMIT after its answer. */
const WAYS: readonly (readonly [
  way: string,
  run: (on: Sql, statement: (tx: TransactionSql) => Promise<unknown>) => Promise<unknown>,
])[] = [
  [
    'sent with its statements',
    (on, statement) => on.begin((tx, commit) => Promise.all([statement(tx), commit()])),
  ],
  ['sent after its statements', (on, statement) => on.begin(statement)],
]

// Only class 40 without 40003, class 23 and 25P02 prove that nothing was committed.
const CERTAIN = ['40000', '40001', '40002', '40P01', '23000', '23505', '23514', '25P02']
const UNCERTAIN = ['40003', '08007', '25P01', '53100', '55P03', '57014', '58030', 'P0001', 'XX000']

for (const [way, run] of WAYS) {
  for (const code of CERTAIN) {
    test(`COMMIT ${way}, answered with ${code}: rejects with that error`, async () => {
      await assert.rejects(
        run(sql, tx => tx`insert into told_at_commit values (${code})`),
        { code },
      )
    })
  }
  for (const code of UNCERTAIN) {
    test(`COMMIT ${way}, answered with ${code}: OutcomeUnknown`, async () => {
      const answer = await run(sql, tx => tx`insert into told_at_commit values (${code})`).then(
        () => 'committed',
        (error: unknown) => error,
      )
      assert.ok(answer instanceof OutcomeUnknown, String(answer))
      assert.equal((answer.cause as { code?: string }).code, code)
    })
    test(`COMMIT ${way}, earlier statement fails with ${code}: rejects with that error, nothing written`, async () => {
      const raising = `do $$ begin raise 'told to' using errcode = '${code}'; end $$`
      const failing = (tx: TransactionSql) =>
        Promise.all([tx`insert into notes values (${code})`, tx.unsafe(raising)])
      await assert.rejects(run(sql, failing), { code })
      assert.equal(await written(code), false)
    })
  }

  test(`COMMIT ${way}, executed but answered with XX000: OutcomeUnknown, connection usable`, async t => {
    const proxy = await startProxy(database.url)
    t.after(() => proxy.close())
    const on = connect(proxy.url, { max: 1, as: 'service' })
    t.after(() => on.end({ timeout: 1 }))
    const write = (text: string) => run(on, tx => tx`insert into notes values (${text})`)
    await write(`before, ${way}`)
    proxy.answerCommits('XX000', 1, /insert into notes/)
    await assert.rejects(write(`unknown, ${way}`), OutcomeUnknown)
    assert.equal(proxy.answersLeft(), 0)
    await write(`after, ${way}`)
    for (const when of ['before', 'unknown', 'after']) assert.ok(await written(`${when}, ${way}`))
  })
}

test('client disconnects between a statement and its Sync: locks released', async t => {
  const [server] = await sql`select current_setting('server_version_num')::integer as version`
  if (server?.version < 170_000) return t.skip('PostgreSQL 17 is the first to end such a session')
  const proxy = await startProxy(database.url)
  const as = { max: 1, as: 'service', look_ups: true } as const
  const vanishing = connect(proxy.url, { ...as, transaction_within: '1s' })
  t.after(async () => {
    await vanishing.end({ timeout: 0 })
    await proxy.close()
  })
  await sql`insert into notes values ('locked')`
  proxy.forgetUnsynced(/for update/)
  const ended = vanishing
    .begin(tx => tx`select text from notes where text = 'locked' for update`)
    .catch(() => 'ended')
  await until('it has the lock', async () => {
    const free = await sql`select from notes where text = 'locked' for update skip locked`
    return free.length === 0
  })
  await until('the lock is given back', async () => {
    const free = await sql`select from notes where text = 'locked' for update skip locked`
    return free.length === 1
  })
  await vanishing.end({ timeout: 0 })
  assert.equal(await ended, 'ended')
})

test('readAtOnce: reads only rows of the named accounts, in its own transaction', async () => {
  const read = await readAtOnce(sql, ['acc_one', 'acc_two'], async tx => {
    const [named, mode] = await Promise.all([
      tx`select current_setting('corridor.accounts') as of`,
      tx`select current_setting('transaction_read_only') as of`,
    ])
    return [named[0]?.of, mode[0]?.of]
  })
  assert.deepEqual(read, ['acc_one,acc_two', 'on'])
  const [after] = await sql`select current_setting('corridor.accounts', true) as of`
  assert.equal(after?.of, '')
})

test('readAtOnce and readConfined, column type changed by a migration: answered', async () => {
  await database.owner`create table typed (a integer)`
  await database.owner`insert into typed values (7)`
  await database.owner`grant select on typed to corridor_service`
  for (const reading of [readAtOnce, readConfined]) {
    const read = () => reading(sql, ['acc_one'], async tx => (await tx`select a from typed`)[0]?.a)
    await database.owner`alter table typed alter column a type integer`
    assert.equal(await read(), 7)
    await database.owner`alter table typed alter column a type smallint`
    assert.equal(await read(), 7)
  }
})

test('readAtOnce, statement after an awaited answer: refused', async () => {
  const work = readAtOnce(sql, ['acc_one'], async tx => {
    await tx`select 1`
    await tx`select text from notes`
  })
  await assert.rejects(work, /after the COMMIT/)
})

test('readAtOnce, callback throws or writes: rejects, connection usable', async () => {
  await assert.rejects(
    readAtOnce(sql, ['acc_one'], async tx => tx`select 1 / 0`),
    { code: '22012' },
  )
  const writing = readAtOnce(sql, ['acc_one'], async tx => tx`insert into notes values ('read')`)
  await assert.rejects(writing, { code: '25006' })
  const [row] = await sql`select 1 as one`
  assert.deepEqual([row?.one, await written('read')], [1, false])
})
