// Users and the audit log: who may run commands, that each act is there once with the name of whoever
// did it, and that a log which was changed is named.
import assert from 'node:assert/strict'
import { hostname, userInfo } from 'node:os'
import { after, test } from 'node:test'
import { rowVersions } from '../support/assert/check.ts'
import { createDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { runImport } from '../support/service/importing.ts'
import { startListening } from '../support/service/listening.ts'
import { startTestService } from '../support/service/service.ts'

const people = new Map<string, Cli>()
const as = (name: string) => people.get(name) ?? assert.fail(name)

const service = await startTestService({ simulator_delay_ms: 0 })
await service.setRates({ 'USD/HKD': '8' })
await service.setFees([{ payout_type: 'local', fixed_amount: 100n }])
await service.setRoutes([{}])
const live = await service.openAccount({
  currencies: ['USD'],
  fund: { USD: 10n ** 9n },
  sandbox: false,
})
const nobody = await openCli(service.database.url)
for (const name of ['ada', 'grace', 'alan', 'adda', 'mary']) {
  people.set(name, await openCli(service.database.url, { CORRIDOR_USER: name }))
}
await service.database.owner`
  insert into users (name, full_name, role) values ('ada', 'Ada Lovelace', 'operator'),
    ('grace', 'Grace Hopper', 'auditor'), ('alan', 'Alan Turing', 'operator')`
after(async () => {
  await Promise.all([nobody, ...people.values()].map(cli => cli.close()))
  await service.close()
})

const create = (cli: Cli, name: string, role: string, full_name = name) =>
  cli.run('user', 'create', name, '--full-name', full_name, '--role', role)

test('no users yet: anyone with database access runs commands; the first user becomes an operator', async () => {
  const empty = await createDatabase()
  const [anyone, ada] = [
    await openCli(empty.url),
    await openCli(empty.url, { CORRIDOR_USER: 'ada' }),
  ]
  try {
    assert.match((await anyone.run('user', 'list')).stdout, /^no user/)
    const first = await create(anyone, 'grace', 'auditor')
    assert.deepEqual([first.code, first.stdout], [2, ''])
    assert.match(first.stderr, /the first user is an operator/)
    assert.equal((await anyone.run('rates', 'list')).code, 0)
    const made = await create(anyone, 'ada', 'operator', 'Ada Lovelace')
    assert.match(made.stdout, /Ada Lovelace, is an operator\n.*export CORRIDOR_USER=ada/)
    assert.equal((await anyone.run('rates', 'list')).code, 2)
    assert.equal((await create(ada, 'grace', 'auditor', 'Grace Hopper')).code, 0)
    assert.match((await create(ada, 'grace', 'auditor')).stderr, /There is a user grace/)
    for (const name of [
      '',
      'a',
      'Ada',
      '1a',
      '.ada',
      'ada lovelace',
      'adä',
      `a${'b'.repeat(40)}`,
    ]) {
      const refused = await create(ada, name, 'auditor')
      assert.deepEqual([name, refused.code, refused.stdout], [name, 2, ''])
    }
  } finally {
    await Promise.all([anyone.close(), ada.close()])
    await empty.drop()
  }
})

test(`user name "corridor", which is the service's own: cannot be created, commands under it refused`, async () => {
  const empty = await createDatabase()
  const [anyone, named] = [
    await openCli(empty.url),
    await openCli(empty.url, { CORRIDOR_USER: 'corridor' }),
  ]
  try {
    const acted = await named.run('clock', 'confirm')
    assert.equal(acted.code, 2)
    assert.match(acted.stderr, /corridor is the name of the service: say by CORRIDOR_USER who/)
    const made = await create(anyone, 'corridor', 'operator')
    assert.equal(made.code, 2)
    assert.match(made.stderr, /corridor is the name of the service, and of no user/)
    await assert.rejects(
      empty.owner`insert into users (name, full_name, role) values ('corridor', 'No', 'operator')`,
      /users_name_check/,
    )
  } finally {
    await Promise.all([anyone.close(), named.close()])
    await empty.drop()
  }
})

test('commands once users exist: need a known, enabled user', async () => {
  assert.equal((await as('ada').run('user', 'disable', 'alan', '--reason', 'Left')).code, 0)
  for (const [cli, words] of [
    [nobody, /set CORRIDOR_USER/],
    [as('adda'), /no user "adda"; did you mean ada\?/],
    [as('alan'), /user alan is disabled: Left/],
  ] as const) {
    for (const args of [
      ['rates', 'list'],
      ['rates', 'set', 'EUR', 'USD', '2'],
      ['audit', 'list'],
    ]) {
      const { code, stdout, stderr } = await cli.run(...args)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, words)
    }
  }
  assert.equal((await as('ada').run('user', 'enable', 'alan')).code, 0)
})

test('service start once users exist: needs no user, ignores the name of a disabled user', async () => {
  assert.equal((await as('ada').run('user', 'disable', 'alan', '--reason', 'Left')).code, 0)
  for (const named of [{}, { CORRIDOR_USER: 'alan' }]) {
    const started = await startListening({ DATABASE_URL: service.database.url, ...named })
    assert.equal((await fetch(`${started.address}/healthz`)).status, 200)
    await started.close()
  }
  assert.equal((await as('ada').run('user', 'enable', 'alan')).code, 0)
})

test('auditor: reads everything, changes no row by any command', async () => {
  for (const args of [['rates', 'list'], ['audit', 'list'], ['audit', 'verify'], ['verify']]) {
    assert.equal((await as('grace').run(...args)).code, 0, args.join(' '))
  }
  const { account_id } = live.account
  const before = await rowVersions(service.database.owner)
  for (const args of [
    ['rates', 'set', 'EUR', 'USD', '1.1', '--source', 'bank'],
    ['fund', account_id, 'USD', '1', '--reference', 'R1'],
    ['key', 'create', account_id, '--scope', 'read'],
    ['account', 'freeze', account_id, '--reason', 'Case 1'],
    ['user', 'role', 'grace', 'operator'],
    ['user', 'create', 'mary', '--full-name', 'Mary', '--role', 'operator'],
  ]) {
    const { code, stdout, stderr } = await as('grace').run(...args)
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.match(stderr, /grace is an auditor, who reads and changes nothing/)
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('last operator: cannot be disabled or demoted, by command or SQL', async () => {
  assert.equal((await as('ada').run('user', 'disable', 'alan', '--reason', 'Left')).code, 0)
  for (const args of [
    ['disable', 'ada', '--reason', 'Left'],
    ['role', 'ada', 'auditor'],
  ]) {
    const { code, stderr } = await as('ada').run('user', ...args)
    assert.equal(code, 1)
    assert.match(stderr, /the last operator/)
  }
  const { owner } = service.database
  await assert.rejects(
    owner`update users set role = 'auditor' where name = 'ada'`,
    /has an operator/,
  )
  await assert.rejects(owner`delete from users where name = 'grace'`, /append-only/)
  assert.equal((await as('ada').run('user', 'enable', 'alan')).code, 0)
})

test('two operators who disable each other in parallel: one stays enabled', async () => {
  const ends = await Promise.all([
    as('ada').run('user', 'disable', 'alan', '--reason', 'Race'),
    as('alan').run('user', 'disable', 'ada', '--reason', 'Race'),
  ])
  // Who comes second is disabled by then, or is the last.
  assert.equal(ends.filter(({ code }) => code === 0).length, 1)
  const users = await service.database.owner`
    select name from users where role = 'operator' and disabled_at is null`
  const [left] = users.map(({ name }) => String(name))
  assert.equal(users.length, 1)
  const other = left === 'ada' ? 'alan' : 'ada'
  assert.equal((await as(left ?? '').run('user', 'enable', other)).code, 0)
})

interface Logged {
  readonly changed_by: string
  readonly act: string
  readonly table_name: string
  readonly reason: string
  readonly via: string
  readonly origin: Record<string, string>
  readonly before: Record<string, string> | null
  readonly after: Record<string, string>
}

async function lastOf(...args: string[]): Promise<Logged> {
  const { json } = await as('grace').run('audit', 'list', '--limit', '1', ...args, '--json')
  return json[0] ?? assert.fail('nothing is logged')
}

async function payoutId(): Promise<string> {
  const { status, json, text } = await live.post('/v3/payout', {
    ...localPayout,
    allow_duplicate: true,
  })
  assert.equal(status, 200, text)
  return json.data.id
}

test('command on a payout: one audit row with person, old and new values, reason and host', async () => {
  const id = await payoutId()
  const { account_id } = live.account
  assert.equal((await as('alan').run('payout', 'take', id)).code, 0)
  const taken = await lastOf('--id', id)
  assert.deepEqual(
    [taken.changed_by, taken.act, taken.before, taken.after],
    ['alan', 'payout take', { account_id, id, taken_by: '' }, { account_id, id, taken_by: 'alan' }],
  )
  const why = ['--reason', 'Returned']
  assert.equal((await as('alan').run('payout', 'transition', id, 'failed', ...why)).code, 0)
  const failed = await lastOf('--id', id)
  assert.match(failed.via, /^cli at ./)
  assert.deepEqual(
    [failed.changed_by, failed.act, failed.table_name, failed.reason, failed.before?.status],
    ['alan', 'payout transition', 'payouts', 'Returned', 'processing'],
  )
  assert.equal(failed.after.status, 'failed')
  const words = await as('grace').run('audit', 'list', '--id', id)
  assert.match(
    words.stdout,
    /payout transition +payouts .*changed payout.*from.*processing to failed/s,
  )
})

test('command, its audit row: system user, host and SUDO_USER, covered by the digest', async () => {
  const sudo = await openCli(service.database.url, { CORRIDOR_USER: 'ada', SUDO_USER: 'mallory' })
  const [os_user, host] = [userInfo().username, hostname()]
  try {
    assert.equal((await sudo.run('rates', 'set', 'EUR', 'USD', '1.2', '--source', 'x')).code, 0)
    const { origin } = await lastOf()
    assert.deepEqual(origin, { os_user, host, sudo_user: 'mallory' })
    const { stdout } = await as('grace').run('audit', 'list', '--limit', '1')
    assert.match(stdout, new RegExp(`${os_user} by sudo of mallory at ${host}`))
    const exported = (await as('grace').run('audit', 'export')).stdout.trimEnd().split('\n')
    assert.deepEqual(JSON.parse(exported.at(-1) ?? '').origin, origin)
  } finally {
    await sudo.close()
  }
  const { owner } = service.database
  const [last] = await owner<{ change_id: bigint; origin: object }[]>`
    select change_id, origin from audit_log order by change_id desc limit 1`
  await owner`alter table audit_log disable trigger append_only`
  await owner`update audit_log set origin = '{}' where change_id = ${last?.change_id ?? 0n}`
  const { code, stdout } = await as('grace').run('audit', 'verify')
  assert.equal(code, 1)
  assert.match(stdout, new RegExp(`audit_log, change_id ${last?.change_id}: expected the hash`))
  await owner`
    update audit_log set origin = ${JSON.stringify(last?.origin)}::text::jsonb
    where change_id = ${last?.change_id ?? 0n}`
  await owner`alter table audit_log enable trigger append_only`
})

test('import by command: its audit rows have the name of the user', async () => {
  const { account_id } = live.account
  const file = await as('ada').file('paid.jsonl', `${JSON.stringify(localPayout)}\n`)
  await runImport(as('ada'), 'payout', file, live, [])
  const { changed_by, act, after } = await lastOf('--account', account_id)
  assert.deepEqual([changed_by, act, after.made], ['ada', 'payout import', '1'])
})

test('refused command: no audit row', async () => {
  const count = async () =>
    (await service.database.owner`select count(*)::integer as n from audit_log`)[0]?.n
  const before = await count()
  const id = await payoutId()
  assert.equal((await as('ada').run('payout', 'transition', id, 'succeeded')).code, 1)
  assert.equal(
    (await as('ada').run('withdraw', live.account.account_id, 'USD', '99999999999')).code,
    2,
  )
  assert.equal(await count(), before)
})

test('corridor audit export: oldest first, chained; the head saved earlier is still part of the chain', async () => {
  const { stdout } = await as('grace').run('audit', 'export')
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(
    rows.map(({ change_id }) => Number(change_id)),
    rows.map((_, i) => i + 1),
  )
  const { json } = await as('grace').run('audit', 'verify', '--json')
  assert.deepEqual([json.ok, json.head], [true, `${rows.length}:${rows.at(-1).hash}`])
  assert.equal((await create(as('ada'), 'mary', 'auditor', 'Mary')).code, 0)
  assert.equal((await as('grace').run('audit', 'verify', '--head', json.head)).code, 0)
  const other = `${rows.length}:${'0'.repeat(64)}`
  const cut = await as('grace').run('audit', 'verify', '--head', other)
  assert.equal(cut.code, 1)
  assert.match(cut.stdout, /expected the hash that was kept/)
})

test("PostgreSQL as the service, another's rate history, audit row or name: refused", async () => {
  for (const statement of [
    `select record_act('rates', '', null, '{}')`,
    `insert into audit_log (table_name, changed_at, changed_by, after)
      values ('payouts', now(), 'ada', '{}')`,
    `update audit_log set changed_by = 'ada'`,
  ]) {
    const written = service.deps.sql.unsafe(statement)
    await assert.rejects(written, /permission denied|triggers alone/)
  }
})

// test/ledger/random-edits.test.ts changes every column.
test('audit row changed by the database owner: named by corridor verify and corridor audit verify', async () => {
  const { owner } = service.database
  await owner`alter table audit_log disable trigger append_only`
  await owner`update audit_log set changed_by = 'mallory' where change_id = 3`
  for (const command of [
    ['verify', '--all'],
    ['audit', 'verify'],
  ]) {
    const { code, stdout } = await as('grace').run(...command)
    assert.equal(code, 1)
    assert.match(stdout, /audit_log, change_id 3: expected the hash/)
  }
})
