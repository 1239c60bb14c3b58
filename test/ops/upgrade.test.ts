// An upgrade under load: the next version migrates the database that this one is serving from, and
// takes over, without a request refused; the former version takes over again where the migrations
// are additive. Migrations that cannot be finished leave nothing, and a version refuses to start on
// other migrations that it does not know.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
} from '../../src/sql/migrate.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { createDatabase } from '../support/database/database.ts'
import { makeNextVersion } from '../support/database/next-version.ts'
import { openCli } from '../support/service/cli.ts'
import { checkPaid, type Load, repeatAll, startLoad } from '../support/service/load.ts'
import {
  pickSeed,
  type RunningProcess,
  runCommand,
  seeded,
  spawnCommand,
  startProcess,
  until,
} from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { promised, share } from '../support/share.ts'

/** What a version brings: columns and constraints on the busiest tables, a table, and indexes. */
const NEXT = {
  '9001-next-columns.sql': `-- additive
    create table next_things (account_id text primary key);
    grant select, insert on next_things to corridor_service;
    alter table payouts add column next_note text not null default '';
    alter table payouts add constraint next_note_short check (length(next_note) < 9) not valid;`,
  '9002-next-book.sql': `-- additive
    alter table books add column next_count bigint not null default 0;`,
  '9003-next-indexes.sql': `-- without a transaction
    -- additive
    create index concurrently if not exists next_payouts on payouts (account_id, next_note);
    create index concurrently if not exists next_events on events (account_id, type, created_at);`,
  '9004-next-check.sql': `-- additive
    alter table payouts validate constraint next_note_short;`,
}
/** What the version after it brings, with which the former ones cannot work. */
const LAST = { '9005-last-change.sql': 'create table last_things (account_id text primary key);' }

const CLIENTS = 8

const { database, account, client, start } = await openScene()
const next = await makeNextVersion(NEXT)
const last = await makeNextVersion({ ...NEXT, ...LAST })
const env = { DATABASE_URL: database.url, CORRIDOR_SETTLE_POLL_MS: '1000' }
let old: RunningProcess
let load: Load
let address: string
/** Of the load. */
const seed = pickSeed()

before(async () => {
  old = await start(env)
  address = old.address
  load = startLoad({
    client,
    clients: CLIENTS,
    address: () => address,
    name: 'u',
    random: seeded(seed),
    // It goes on beside all tests of this file.
    pause_ms: share(150, 0),
  })
  await until('under load', () => load.asked.length > 40)
})
after(async () => {
  await load?.stop()
  await next.remove()
  await last.remove()
})

const migrateNext = () => runCommand(['migrate'], env, next.main)

/** Nothing of the next version is in the database. */
async function assertUntouched(): Promise<void> {
  const [row] = await database.owner`
    select to_regclass('next_things') as things,
      (select count(*)::int from schema_migrations where name like '9%') as recorded,
      (select count(*)::int from pg_attribute
        where attname in ('next_note', 'next_count')) as columns`
  assert.deepEqual({ ...row }, { things: null, recorded: 0, columns: 0 })
}

function refusedOf({ asked }: Load): unknown[] {
  const ended = asked.filter(({ answer, error }) => answer !== undefined || error !== undefined)
  return ended
    .filter(({ answer }) => answer?.status !== 200)
    .map(({ answer, error }) => [answer?.status, answer?.text, error])
}

test('corridor migrate, table locked by a long reader: aborts in time, no request refused', async t => {
  t.diagnostic(`SEED=${seed}`)
  const asked_before = load.asked.length
  const [{ code, output }, took_ms] = await database.owner.begin(async tx => {
    await tx`select from payouts limit 1`
    const began_at = performance.now()
    return [await migrateNext(), performance.now() - began_at] as const
  })
  assert.equal(code, 1, output)
  assert.match(
    output,
    /^corridor: migration 9001-next-columns\.sql was not applied, .*run it again$/m,
  )
  promised(t, 'given up', took_ms, 10_000)
  await assertUntouched()
  assert.deepEqual(refusedOf(load), [])
  assert.ok(load.asked.length > asked_before)
})

test('corridor migrate, killed before its commit: nothing changed, no request refused', async () => {
  const killed = await database.owner.begin(async tx => {
    // Where it writes down that it has applied the file.
    await tx`lock table schema_migrations in share mode`
    const child = spawnCommand(['migrate'], env, next.main)
    const waiting = await untilBlocked(database.owner, 'insert into schema_migrations')
    assert.equal(waiting.length, 1)
    child.kill('SIGKILL')
    return once(child, 'exit')
  })
  assert.deepEqual(killed, [null, 'SIGKILL'])
  await until('its session gone', async () => {
    const [row] = await database.owner<{ free: boolean }[]>`
      select pg_try_advisory_xact_lock(7210001::int) as free`
    return row?.free === true
  })
  await assertUntouched()
  assert.deepEqual(refusedOf(load), [])
})

test('next version started beside the running one, the old one stopped: no request refused', async t => {
  const asked_before = load.asked.length
  const began_at = performance.now()
  const successor = await startProcess(env, next.main)
  try {
    const migrated_ms = Math.round(performance.now() - began_at)
    const [row] = await database.owner`
      select count(*)::int as n from schema_migrations where name like '9%'`
    assert.deepEqual({ ...row }, { n: Object.keys(NEXT).length })
    // Running, it goes on; the rest of its callers come over.
    assert.equal((await client.get(old.address, '/readyz')).status, 200)
    address = successor.address
    const moved_at = performance.now()
    await until('all callers have come over', () => {
      const since = load.asked.filter(one => one.asked_at > moved_at && one.ended_at > 0)
      return new Set(since.map(({ key }) => key.slice(0, key.lastIndexOf('-')))).size === CLIENTS
    })
    old.signal('SIGTERM')
    assert.equal(await old.ended, 0)
    await load.stop()
    assert.deepEqual(refusedOf(load), [])
    const { acknowledged } = await repeatAll(client, successor.address, load.asked)
    assert.equal(acknowledged, load.asked.length)
    await checkPaid(database.owner, account.account.account_id, load.asked)
    t.diagnostic(
      `${load.asked.length - asked_before} payouts meanwhile, none refused; ` +
        `listening ${migrated_ms} ms after its start`,
    )
  } finally {
    await successor.kill()
  }
  const verdict = await runCommand(['verify'], env, next.main)
  assert.equal(verdict.code, 0, verdict.output)
})

test('former version started beside the next one, whose migrations are additive: no request refused', async t => {
  const successor = await startProcess(env, next.main)
  const before = load.asked.length
  let there = successor.address
  const random = seeded(seed + 1)
  const going = { client, clients: CLIENTS, address: () => there, name: 'back', random }
  const again = startLoad({ ...going, pause_ms: share(150, 0) })
  try {
    await until('under load', () => again.asked.length > 20)
    const former = await start(env)
    there = former.address
    const moved_at = performance.now()
    await until('callers have come back', () => {
      return again.asked.filter(one => one.asked_at > moved_at && one.ended_at > 0).length > 20
    })
    successor.signal('SIGTERM')
    assert.equal(await successor.ended, 0)
    await again.stop()
    assert.deepEqual(refusedOf(again), [])
    await repeatAll(client, former.address, again.asked)
    const all = [...load.asked, ...again.asked]
    await checkPaid(database.owner, account.account.account_id, all)
    t.diagnostic(`SEED=${seed + 1}, ${before} payouts before, ${again.asked.length} meanwhile`)
  } finally {
    await successor.kill()
  }
  for (const command of ['migrate', 'verify', 'doctor']) {
    const { code, output } = await runCommand([command], env)
    assert.equal(code, 0, output)
  }
})

test('corridor start, migrate and verify on a database of a newer version: exit code 1, one line', async () => {
  const migrated = await runCommand(['migrate'], env, last.main)
  assert.equal(migrated.code, 0, migrated.output)
  const cli = await openCli(database.url, { PORT: '0' })
  for (const command of ['start', 'migrate', 'verify']) {
    const { code, stdout, stderr } = await cli.run(command)
    assert.deepEqual([code, stdout], [1, ''], stderr)
    assert.match(stderr, /^corridor: the database has migration 9005-last-change\.sql, unknown to/)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
  await cli.close()
})

const EXTRA = { name: '9999-extra.sql', text: 'create table extra ()', hash: 'extra' }

test('corridor migrate, applied migration edited: refused, no pending migration applied', async () => {
  const edited = await createDatabase()
  try {
    const { owner } = edited
    await owner`update schema_migrations set hash = 'x' where name like '0003-%'`
    const migrations = [...(await readMigrations()), EXTRA]
    await assert.rejects(migrate(owner, migrations), /^Error: migration 0003-book\.sql was changed/)
    const [row] = await owner`select to_regclass('extra') as extra`
    assert.deepEqual({ ...row }, { extra: null })
    const cli = await openCli(edited.url)
    for (const command of ['migrate', 'verify']) {
      const { code, stderr } = await cli.run(command)
      assert.equal(code, 1)
      assert.equal(
        stderr,
        'corridor: migration 0003-book.sql was changed after it was applied: install the version ' +
          'that applied it\n',
      )
    }
    await cli.close()
  } finally {
    await edited.drop()
  }
})

test('corridor start, migrate and verify on a database of a version before 0.1.0: exit code 1, one line', async () => {
  const old = await createDatabase()
  try {
    await old.owner`alter table schema_migrations drop column additive`
    const cli = await openCli(old.url, { PORT: '0' })
    for (const command of ['start', 'migrate', 'verify']) {
      const { code, stderr } = await cli.run(command)
      assert.equal(code, 1)
      assert.match(stderr, /^corridor: the database is of a version before 0\.1\.0, .*\n$/)
    }
    await cli.close()
  } finally {
    await old.drop()
  }
})

/** All that is defined, in words that do not depend on when it was. */
async function schemaOf(sql: Sql): Promise<unknown> {
  const rows = await sql<{ what: string }[]>`
    select 'column ' || attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod)
      || ' ' || attnotnull as what
    from pg_attribute join pg_class c on c.oid = attrelid
    where c.relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    union all select pg_get_indexdef(indexrelid) || ' ' || indisvalid from pg_index
      where indrelid::regclass::text not like 'pg_%'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc
      where pronamespace = 'public'::regnamespace
    union all select relname || ' ' || relacl::text from pg_class
      where relnamespace = 'public'::regnamespace and relacl is not null
    order by 1`
  return rows.map(({ what }) => what)
}

/** Up to and without this migration. */
async function migrateUpTo(owner: Sql, migrations: readonly Migration[], count: number) {
  await migrate(owner, migrations.slice(0, count))
}

test('corridor migrate, each migration interrupted before it was recorded: run again, same schema', async t => {
  const migrations = await readMigrations()
  const random = seeded(seed)
  const order = migrations.map((_, i) => i).sort(() => random() - 0.5)
  const cut = order.slice(0, share(1, migrations.length))
  t.diagnostic(`SEED=${seed} cut off in ${cut.map(i => migrations[i]?.name).join(', ')}`)
  const whole = await createDatabase({ empty: true })
  await migrate(whole.owner)
  const expected = await schemaOf(whole.owner)
  await whole.drop()
  for (const i of cut) {
    const half = await createDatabase({ empty: true })
    const migrator = connect(half.url, { max: 1, as: 'owner' })
    try {
      const { owner } = half
      await migrate(owner, [])
      await migrateUpTo(owner, migrations, i)
      await owner.begin(async tx => {
        await tx`lock table schema_migrations in share mode`
        const migrating = assert.rejects(migrate(migrator, migrations))
        const [pid, ...more] = await untilBlocked(owner, 'insert into schema_migrations')
        assert.deepEqual(more, [])
        await tx`select pg_terminate_backend(${pid ?? 0})`
        await migrating
      })
      const left = (await pendingMigrations(owner)).length
      assert.equal(left, migrations.length - i, `cut off at ${i}`)
      await migrate(owner)
      assert.deepEqual(await schemaOf(owner), expected)
    } finally {
      await migrator.end({ timeout: 1 })
      await half.drop()
    }
  }
})
