// Each connection has its role and its settings before anything else is asked of it, or nothing is.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from '../../src/sql/connect.ts'
import { isConnectionLost } from '../../src/sql/failure.ts'
import { createDatabase } from '../support/database/database.ts'
import { startTestService } from '../support/service/service.ts'

const ROLES = {
  service: 'corridor_service',
  finder: 'corridor_finder',
  auditor: 'corridor_auditor',
}

const database = await createDatabase()
const name = new URL(database.url).pathname.slice(1)
after(() => database.drop())

test('database connections of each kind, many at once and after a loss: role and settings set before the first query', async () => {
  const operator = 'O\'Brien \\ \\\' "x"'
  for (const as of ['service', 'finder', 'auditor'] as const) {
    const sql = connect(database.url, { max: 5, as, operator })
    const ask = () => sql`
      select current_user as role, current_setting('lock_timeout') as waits,
        current_setting('corridor.operator') as operator, current_setting('TimeZone') as zone`
    // The first to ask finds that its connection is gone.
    const askAgain = (): ReturnType<typeof ask> =>
      ask().catch(error => {
        if (!isConnectionLost(error)) throw error
        return askAgain()
      }) as ReturnType<typeof ask>
    const expected = { role: ROLES[as], waits: '2s', operator, zone: 'UTC' }
    for (let round = 0; round < 3; round++) {
      const rows = await Promise.all(Array.from({ length: 20 }, askAgain))
      for (const [row] of rows) assert.deepEqual({ ...row }, expected)
      await database.owner`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name = 'corridor'`
    }
    await sql.end({ timeout: 5 })
  }
})

test('service start: opens three database connections', async () => {
  const started = await startTestService()
  try {
    const rows = await started.database.owner`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'corridor'`
    assert.equal(rows.length, 3)
  } finally {
    await started.close()
  }
})

test('database connection for look-ups, jit on at the server: jit off, sequential scans off', async () => {
  await database.owner.unsafe(`alter database ${name} set jit = on`)
  const sql = connect(database.url, { max: 1, as: 'service', look_ups: true })
  try {
    const [row] = await sql`
      select current_setting('jit') as jit, current_setting('enable_seqscan') as scans`
    assert.deepEqual({ ...row }, { jit: 'off', scans: 'off' })
  } finally {
    await sql.end({ timeout: 5 })
  }
})

test('database connection, role that the log-in may not take: every query rejected, none run', async () => {
  const login = `stranger_${name}`
  await database.owner.unsafe(`create role ${login} login password 'x'`)
  const url = new URL(database.url)
  url.username = login
  url.password = 'x'
  const sql = connect(url.href, { max: 3, as: 'service' })
  try {
    for (let round = 0; round < 3; round++) {
      const asked = Array.from({ length: 10 }, () => sql`select pg_notify('told', 'x')`)
      for (const end of await Promise.allSettled(asked)) {
        assert.equal(end.status, 'rejected')
        assert.match(String(end.reason), /permission denied to set role|CONNECTION_/)
      }
    }
  } finally {
    await sql.end({ timeout: 0 })
    await database.owner.unsafe(`drop role ${login}`)
  }
})
