// corridor verify --all and --heads: every bad row is named once and no good one, whatever stands in a
// row, and a chain rewritten whole differs from the heads that were kept elsewhere.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listHeads } from '../../src/ledger/store.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { verify } from '../../src/verify/run.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { disarm, rechain } from './forgery.ts'
import { type History, makeHistory } from './history.ts'

let history: History
let owner: Sql
let audit: Sql
let cli: Cli

before(async () => {
  history = await makeHistory()
  owner = history.service.database.owner
  audit = connect(history.service.database.url, { max: 1, as: 'auditor' })
  cli = await openCli(history.service.database.url)
  await disarm(owner)
})
after(async () => {
  await audit?.end({ timeout: 1 })
  await cli?.close()
  await history?.service.close()
})

/** What is named after these changes, of which nothing is left. */
function namedAfter(...changes: readonly string[]): Promise<string[]> {
  return undone(owner, async tx => {
    for (const change of changes) await tx.unsafe(change)
    const verdict = await verdictIn(tx, true)
    return verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`).sort()
  })
}

/** Keeps the rows of a table beside it, and puts them back. */
const keeping = (table: string) => ({
  keep: `create table kept_rows as select * from ${table}`,
  undo: `delete from ${table}; insert into ${table} select * from kept_rows; drop table kept_rows`,
})

const main = () => `account_id = '${history.main.account.account_id}'`

test('corridor verify --all, three journals changed, one missing: exactly these four named', async () => {
  const named = await namedAfter(
    `update journals set source = source || 'x' where ${main()} and number in (2, 5, 9)`,
    `delete from journals where ${main()} and number = 7`,
  )
  const journals = named.filter(name => name.startsWith('journals'))
  assert.deepEqual(
    journals,
    [2, 5, 7, 9].map(number => `journals number ${number}`),
  )
})

test('corridor verify, documents malformed, or null where required: each row named', async () => {
  const { payouts, entities, open_quote } = history
  // Each row has one change at a time.
  for (const changes of [
    [
      ['payout_outcomes', payouts.answered, `answers = '{"a": 1}'`],
      ['payout_outcomes', payouts.succeeded, `failure = '[[]]'`],
      ['payouts', payouts.swift, `beneficiary_details = '[]'`],
      ['entities', entities.business, `details = '[]'`],
      ['entities', entities.approved, `approval_history = '{"status": "approved"}'`],
      ['quotes', open_quote, `basis = '{"fee": 7}'`],
    ],
    [
      ['payout_outcomes', payouts.swift, `answers = '7'`],
      ['payouts', payouts.succeeded, `particulars = 'null'`],
      ['entities', entities.pending, `approval_history = '[null]'`],
      ['quotes', open_quote, `holding_to_payout = 1e300`],
    ],
  ] as const) {
    const named = await namedAfter(
      ...changes.map(([table, id, change]) => `update ${table} set ${change} where id = '${id}'`),
    )
    for (const [table, id, change] of changes) {
      // How a payout stands is named with it.
      const row = `${table === 'payout_outcomes' ? 'payouts' : table} ${id}`
      assert.ok(named.includes(row), `${change}: named ${named}`)
    }
    // A table without a row: its check has ended at one of these rows, and has seen no other.
    assert.ok(!named.some(name => name.endsWith(' ')), `named ${named}`)
  }
})

test('corridor verify, decisions or list data set to null: each row named', async () => {
  const places = [
    ['beneficiaries', 'approval', 0],
    ['beneficiaries', 'screening', 1],
    ['entities', 'screening', 0],
  ] as const
  const alters = places.map(([table, column]) => {
    return `alter table ${table} disable trigger user, alter ${column} drop not null`
  })
  const rows: string[] = []
  const updates: string[] = []
  for (const [table, column, place] of places) {
    const [row] = await owner<{ id: string }[]>`
      select id from ${owner(table)} where ${owner(column)} = ''
      order by id offset ${place} limit 1`
    rows.push(`${table} ${row?.id}`)
    updates.push(`update ${table} set ${column} = null where id = '${row?.id}'`)
  }
  assert.deepEqual(await namedAfter(...alters, ...updates), rows.sort())
})

test('corridor verify --all, two refused items of a batch exchanged: batch named', async () => {
  const payouts = ['A', 'B'].map(reference_id => {
    return { ...localPayout, amount: 9_000_000_000, reference_id }
  })
  const body = { mode: 'best_effort', payouts: [{ ...localPayout, amount: 1_000 }, ...payouts] }
  const made = await history.main.post('/v3/payout_batch', body)
  assert.equal(made.status, 200, made.text)
  const { id } = made.json.data
  const named = await namedAfter(
    `update payout_batch_items set reference_id = case reference_id when 'A' then 'B'
      else 'A' end where batch_id = '${id}' and status = 'refused'`,
  )
  assert.deepEqual(named.length, 1, named.join(', '))
  assert.match(named[0] ?? '', new RegExp(`^payout_batches .*${id}`))
})

test('corridor verify --all, held items of a batch called created and created ones held: each named', async () => {
  const held = { ...localPayout, amount: 3_000, on_behalf_of: history.entities.pending }
  const body = { mode: 'best_effort', payouts: [{ ...localPayout, amount: 1_100 }, held] }
  const made = await history.main.post('/v3/payout_batch', body)
  assert.equal(made.json.data?.counts.held, 1, made.text)
  const { id } = made.json.data
  const named = await namedAfter(
    `update payout_batch_items set status = case status when 'held' then 'created' else 'held' end
    where batch_id = '${id}' and status <> 'refused'`,
  )
  const items = named.filter(name => name.startsWith('payout_batch_items'))
  assert.deepEqual(
    items,
    [0, 1].map(at => `payout_batch_items ${id} ${at}`),
    named.join(', '),
  )
})

test("POST /v3/payout_batch: writes no row of the installation's audit log", async () => {
  const logged = () => owner`select from audit_log`
  const before = (await logged()).length
  const payouts = [1_000, 9_000_000_000].map(amount => ({ ...localPayout, amount }))
  const made = await history.main.post('/v3/payout_batch', { mode: 'best_effort', payouts })
  assert.equal(made.status, 200, made.text)
  assert.equal((await logged()).length, before)
})

test('corridor verify --all --json: lists every bad row, exit code 1; without --all: the first', async () => {
  const { payouts } = history
  const { keep, undo } = keeping('payouts')
  const ids = [payouts.processing, payouts.failed].map(id => `'${id}'`).join(', ')
  await owner.unsafe(`${keep}; update payouts set charge_type = 'ours' where id in (${ids})`)
  try {
    const all = await cli.run('verify', '--all', '--json')
    assert.equal(all.code, 1, all.stderr)
    const keys = all.json.problems.map(({ key }: { key: string }) => key).sort()
    assert.deepEqual(keys, [payouts.processing, payouts.failed].sort())
    const first = await cli.run('verify', '--json')
    assert.equal(first.json.problems.length, 1)
    assert.deepEqual(first.json.problem, first.json.problems[0])
    const told = await cli.run('verify', '--all')
    assert.equal(told.code, 1)
    assert.match(told.stdout, /^Not in order: 2 rows are named above\.$/m)
    for (const key of keys)
      assert.match(told.stdout, new RegExp(`^payouts, .*${key}: expected`, 'm'))
  } finally {
    await owner.unsafe(undo)
  }
})

test('corridor verify --heads, whole chain of an account rewritten: account named', async () => {
  const { account_id } = history.main.account
  const path = await cli.file('heads.json', JSON.stringify(await listHeads(audit)))
  const before = await cli.run('verify', '--heads', path, '--json')
  assert.equal(before.code, 0, before.stdout)
  assert.deepEqual(before.json.heads, await listHeads(audit))
  const { keep, undo } = keeping('journals')
  const [book] =
    await owner`select encode(head_hash, 'hex') as head from books where account_id = ${account_id}`
  await owner.unsafe(`${keep}; update journals set created_at = created_at + interval '1 microsecond'
    where ${main()} and number = (select max(number) from journals where ${main()}) and kind <> ''`)
  await rechain(owner, account_id)
  try {
    const verdict = await verify(audit, { account_id, all: true, kept: before.json.heads })
    assert.ok(!verdict.ok)
    const named = verdict.problems.map(({ table, key }) => `${table} ${key}`)
    assert.ok(named.includes('books kept head'), named.join(', '))
  } finally {
    await owner.unsafe(undo)
    await owner`update books set head_hash = decode(${book?.head}, 'hex') where account_id = ${account_id}`
  }
  const none = await cli.run('verify', '--heads', await cli.file('none.json', '{"heads": 1}'))
  assert.equal(none.code, 2)
  assert.match(none.stderr, /no list of heads/)
})
