// The bytes of what banks have sent: deleted by their age where somebody has set one, as long as payments
// are kept at least, and never while somebody is to look at the file. What the file said stays, and its hash.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listInbox, sweepInbox } from '../../src/adapters/bank-file/inbox-store.ts'
import { rowVersions } from '../support/assert/check.ts'
import { type FileRailWorld, openFileWorld } from '../support/bank/file-rail.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let bank: FileRailWorld
let ada: Cli
let ids: string[]
before(async () => {
  service = await startTestService()
  ada = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  bank = await openFileWorld(service)
  ids = await bank.pay([100, 200])
  await bank.work()
  const paid = await bank.sweep()
  await bank.book(paid)
  await bank.report('half of a file', 'half.txt')
  await bank.report('half of another', 'closed.txt')
  await bank.report(
    [{ level: 'transaction', code: 'RJCT', end_to_end_id: 'NOBODYS00000001' }],
    'strays',
  )
  await bank.work()
  const closed = (await files()).find(({ name }) => name === 'closed.txt')
  const close = ['file', 'close', closed?.sha256 ?? '', '--note', 'Asked for another']
  assert.equal((await ada.run(...close)).code, 0)
})
after(async () => {
  await ada?.close()
  await bank?.close()
  await service?.close()
})

const files = () => listInbox(service.deps.sql, { limit: 100 })
const sweep = () => sweepInbox(service.deps)
const set = (what: string, days: string) =>
  ada.run('privacy', 'retention', what, days, '--reason', 'Law of 2026')

/** As if all that the bank has sent had come so many years sooner. */
async function age(years: number): Promise<void> {
  const { owner } = service.database
  await owner`alter table rail_inbox disable trigger legal_step`
  await owner`
    update rail_inbox set received_at = received_at - make_interval(years => ${years}::integer)`
  await owner`alter table rail_inbox enable trigger legal_step`
}

test('retention of bank files, no days set: forever; days set: at least as long as payments', async () => {
  await age(4)
  const before = await rowVersions(service.database.owner)
  assert.equal(await sweep(), 0)
  for (const days of ['0', '1', '1829', 'soon', '36501']) {
    assert.equal((await set('bank-files', days)).code, 2, days)
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const done = await set('bank-files', '1830')
  assert.match(done.stdout, /what banks have sent for 1830 days; set by ada: Law of 2026/)
  // Keeping payments for longer takes what banks have said of them along.
  assert.match((await set('set', '6')).stderr, /2196 days at least for bank-files/)
  assert.equal(await sweep(), 0)
})

test('PostgreSQL, bytes of a bank file that is young, open or still kept: cannot be deleted', async () => {
  const { owner } = service.database
  const swept = `update rail_inbox set kept = false, swept_at = now()`
  await assert.rejects(owner.unsafe(swept), /as long as payments are kept|swept_when_over/)
  await assert.rejects(owner`update rail_inbox set kept = false`, /stays as it came/)
  await assert.rejects(owner`delete from rail_inbox_bytes`, /append-only/)
  const { sql } = service.deps
  await assert.rejects(sql`delete from rail_inbox_bytes`, /permission denied/)
  const named = (await files()).map(({ sha256 }) => sha256)
  const [row] = await sql<{ count: number }[]>`
    select sweep_inbox(${named}::text[], 100) as count`
  assert.equal(row?.count, 0)
})

test('old bank files, two processes: bytes deleted once; files that a person must decide kept; corridor verify clean', async () => {
  await age(2)
  const before = await files()
  const swept = await Promise.all([sweep(), sweep()])
  assert.equal(swept[0] + swept[1], 2)
  const now = await files()
  for (const { name, kept, swept_at, ...file } of now) {
    const was = before.find(({ sha256 }) => sha256 === file.sha256)
    const goes = !['half.txt', 'strays'].includes(name)
    assert.deepEqual([kept, swept_at !== null], [!goes, goes], name)
    assert.deepEqual({ ...was, kept, swept_at }, { ...file, name, kept, swept_at })
  }
  for (const id of ids) assert.equal(await bank.statusOf(id), 'succeeded')
  const verdict = await undone(service.database.owner, tx => verdictIn(tx, true))
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
  const closed = now.find(({ name }) => name === 'closed.txt')
  const read = await ada.run('file', 'read', closed?.sha256 ?? '')
  assert.match(read.stderr, /its bytes were swept at 20/)
})

test('bank file received again after its bytes were deleted: recognised by hash, nothing applied twice', async () => {
  await bank.report('half of another', 'again.txt')
  await bank.work()
  assert.deepEqual(
    (await files()).filter(({ name }) => name === 'again.txt'),
    [],
  )
})

for (const [what, statement] of [
  ['a byte', `update rail_inbox_bytes set bytes = 'x' || substr(bytes, 2)`],
  ['a missing piece', `delete from rail_inbox_bytes`],
  ['a piece without a file', `insert into rail_inbox_bytes values (sha256('x'), 0, 'x')`],
  [
    'bytes of a swept file',
    `insert into rail_inbox_bytes select sha256, 0, 'x' from rail_inbox where not kept`,
  ],
] as const) {
  test(`corridor verify, bank file changed by SQL, ${what}: named`, async () => {
    const verdict = await undone(service.database.owner, async tx => {
      await tx`alter table rail_inbox_bytes disable trigger user`
      await tx.unsafe(statement)
      return verdictIn(tx, true)
    })
    const named = verdict.ok ? [] : verdict.problems.map(({ table }) => table)
    assert.deepEqual([...new Set(named)], ['rail_inbox_bytes'])
  })
}

test('retention of payments of 0 years: retention of bank files of 0 days allowed', async () => {
  assert.equal((await set('set', '0')).code, 0)
  assert.match((await set('bank-files', '0')).stdout, /what banks have sent for 0 days; set by ada/)
})
