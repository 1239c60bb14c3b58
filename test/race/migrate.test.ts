// Migrations that build indexes while the service writes: by several processes at once, again after
// one was cut off, and without holding any writer up.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { DatabaseProblem } from '../../src/sql/failure.ts'
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
  statementsOf,
} from '../../src/sql/migrate.ts'
import { createDatabase } from '../support/database/database.ts'

/** What a version might bring: indexes on the busiest tables, a unique one among them. */
const MORE: Migration = {
  name: '9001-more-indexes.sql',
  text: `-- without a transaction: indexes are built while the service writes
    create index concurrently if not exists more_payouts on payouts (account_id, created_at);
    create index concurrently if not exists more_events on events (account_id, type, told);
    create unique index concurrently if not exists more_events_once on events (account_id, created_at);`,
  hash: 'more',
}
const indexes = statementsOf(MORE).flatMap(({ index }) => index ?? [])

const database = await createDatabase()
const all = [...(await readMigrations()), MORE]
after(() => database.drop())

/** As it was before the migration. */
beforeEach(async () => {
  const { owner } = database
  for (const index of indexes) await owner.unsafe(`drop index if exists ${index}`)
  await owner`delete from schema_migrations where name = ${MORE.name}`
})

async function migrateAlone(): Promise<string[]> {
  const owner = connect(database.url, { max: 1, as: 'owner' })
  try {
    return await migrate(owner, all)
  } finally {
    await owner.end()
  }
}

async function isRecorded(): Promise<boolean> {
  const rows = await database.owner`select from schema_migrations where name = ${MORE.name}`
  return rows.length === 1
}

async function assertBuilt(): Promise<void> {
  const rows = await database.owner<{ name: string; indisvalid: boolean }[]>`
    select indexrelid::regclass::text as name, indisvalid from pg_index
    where indexrelid::regclass::text = any (${[...indexes]}::text[])`
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...indexes].sort())
  assert.ok(rows.every(({ indisvalid }) => indisvalid))
  assert.ok(await isRecorded())
}

test('corridor migrate, four processes in parallel: one migrates, the others find it done', async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(migrateAlone))
  assert.deepEqual(applied.flat(), [MORE.name])
  await assertBuilt()
})

/** All of one time, on which a unique index cannot be built. */
const event = (sql: Pick<Sql, 'unsafe'>, sequence: number) =>
  sql.unsafe(`
    insert into events (account_id, sequence, created_at, told, type, object_id, hash)
    values ('acc_a', ${sequence}, '2026-01-01', '-', 't', 'o', sha256(''))`)

test('corridor migrate, index build failed: reported, not recorded, built again once the cause is gone', async () => {
  const { owner } = database
  await event(owner, 1)
  await event(owner, 2)
  await assert.rejects(migrateAlone(), /more_events_once/)
  assert.ok(!(await isRecorded()))
  const [left] = await owner`
    select indisvalid from pg_index where indexrelid = 'more_events_once'::regclass`
  assert.deepEqual(left, { indisvalid: false })
  await owner.begin(async tx => {
    await tx`alter table events disable trigger user`
    await tx`delete from events`
    await tx`alter table events enable trigger user`
  })
  assert.deepEqual(await migrateAlone(), [MORE.name])
  await assertBuilt()
})

test('corridor migrate, an older transaction open: waits for it, writers do not wait', async () => {
  const { owner } = database
  const migrated = await owner.begin(async tx => {
    await tx`insert into holds values ('acc_a', 'ent_a', 'pot_a')`
    await tx`insert into ended_reviews values ('acc_a', 'ent_a', now())`
    await tx.unsafe('lock table payouts in row exclusive mode')
    const migrating = migrateAlone()
    for (;;) {
      const [waiting] = await owner`
        select from pg_stat_activity
        where datname = current_database() and query like 'create index%' and wait_event = 'virtualxid'`
      if (waiting !== undefined) break
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    // Nothing that a payout writes is locked.
    await owner.begin(async writer => {
      await writer`set local lock_timeout = '100ms'`
      await writer.unsafe('lock table payouts, events in row exclusive mode')
      await event(writer, 3)
    })
    return () => migrating
  })
  assert.deepEqual(await migrated(), [MORE.name])
  await assertBuilt()
})

test('corridor migrate, log-in that owns nothing, nothing to do: succeeds; role not permitted: named', async () => {
  await migrateAlone()
  const { owner } = database
  const login = `login_${randomBytes(4).toString('hex')}`
  const url = new URL(database.url)
  url.username = login
  url.password = 'secret'
  const migrating = async () => {
    const sql = connect(url.href, { max: 1, as: 'owner' })
    return await migrate(sql, all).finally(() => sql.end())
  }
  await owner.unsafe(`create role ${login} login password 'secret' in role corridor_service`)
  try {
    await assert.rejects(migrating(), (error: Error) => {
      assert.ok(error instanceof DatabaseProblem)
      assert.match(error.message, /may not act as corridor_auditor, corridor_finder: /)
      return true
    })
    await owner.unsafe(`grant corridor_auditor, corridor_finder to ${login}`)
    assert.deepEqual(await migrating(), [])
    const service = connect(url.href, { max: 1, as: 'service' })
    try {
      assert.deepEqual(await pendingMigrations(service), [])
      await assert.rejects(service`create table a (b int)`, /permission denied/)
    } finally {
      await service.end()
    }
  } finally {
    await owner.unsafe(`drop role ${login}`)
  }
})

test('migrations without a transaction: contain only indexes built concurrently', async () => {
  for (const migration of await readMigrations()) {
    if (migration.text.startsWith('-- without a transaction')) {
      assert.ok(statementsOf(migration).length > 0, migration.name)
    }
  }
  const bad = [
    'create index a on b (c)',
    'create index concurrently a on b (c)',
    'create index concurrently if not exists a on b (c); update b set c = 1',
    'drop table b',
  ]
  for (const text of bad) {
    const migration = { name: 'bad.sql', text: `-- without a transaction\n${text};\n`, hash: '' }
    assert.throws(() => statementsOf(migration), /bad.sql may only build or drop indexes/)
  }
})
