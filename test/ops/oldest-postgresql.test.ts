// The oldest PostgreSQL that Corridor runs on. The other tests run on the newest, which accepts more.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect } from '../../src/sql/connect.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { verify } from '../../src/verify/run.ts'
import { makeEverything } from '../ledger/everything.ts'
import { withTemplate } from '../support/database/database.ts'
import { PROGRAMS, Programs } from '../support/database/programs.ts'

/** README.md promises it. */
const OLDEST = 15

const bin = PROGRAMS.get(OLDEST)
const folder = await mkdtemp(join(tmpdir(), 'corridor-oldest-'))
after(() => rm(folder, { recursive: true, force: true }))

test(`PostgreSQL ${OLDEST}, a history of every kind: written by the service, read back, verified`, {
  skip: bin === undefined && `no PostgreSQL ${OLDEST} (Debian 12: postgresql)`,
}, async t => {
  const programs = await Programs.in(folder, bin as string)
  const server = await programs.make('cluster')
  const opened: (() => Promise<void>)[] = [server.stop]
  t.after(async () => {
    for (const close of opened.reverse()) await close()
  })
  await programs.prepare(server, 'superuser')
  const url = server.url('corridor')
  const owner = connect(url, { max: 1, as: 'owner' })
  await migrate(owner)
  await owner.end()
  const { service, main } = await withTemplate(url, makeEverything)
  opened.push(() => service.close())
  const sql = connect(service.database.url, { max: 2, as: 'auditor' })
  const verdict = await verify(sql, { account_id: null, beside: sql }).finally(() => sql.end())
  assert.ok(verdict.ok, JSON.stringify(verdict.problem))
  for (const path of ['payout', 'balance_transaction', 'entity', 'beneficiary', 'event']) {
    const { status, text } = await main.get(`/v3/${path}?limit=100`)
    assert.equal(status, 200, text)
  }
})
