// corridor account and key: what is shown, changed and kept, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeApiKey } from '../../src/accounts/rules.ts'
import { upsertKeyUses } from '../../src/accounts/store.ts'
import { Lane } from '../../src/engine/lane.ts'
import type { Operation } from '../../src/engine/operation.ts'
import { openUnderNewId } from '../../src/operator/account-operations.ts'
import { newId } from '../../src/values/id.ts'
import { localPayout } from '../support/given/bodies.ts'
import { basic } from '../support/service/service.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const { service, cli, rows } = await openWithCli({}, { CORRIDOR_USER: 'alice' })
const account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 12_345n } })

/** `ACC` stands for the account's id. */
const run = (...args: readonly string[]) =>
  cli.run(...args.map(arg => (arg === 'ACC' ? account.account.account_id : arg)))

test('corridor account list: name, state, kind and balances', async () => {
  const { account_id } = account.account
  const { stdout } = await run('account', 'list')
  assert.match(stdout, /^account +name +state +kind +balances\n/)
  assert.match(
    stdout,
    new RegExp(`${account_id} +Test +active +sandbox +EUR 0\\.00, USD 123\\.45\n`),
  )
  const [listed] = (await run('account', 'list', '--json')).json
  assert.deepEqual(listed.balances, { EUR: '0', USD: '12345' })
})

test('corridor account freeze, show, unfreeze: reason kept, no secret of the account printed', async () => {
  const freeze = await run('account', 'freeze', 'ACC', '--reason', 'Case W-7')
  const { account_id, deposit_address } = account.account
  assert.equal(freeze.stdout, `${account_id}  was active, is frozen: Case W-7\n`, freeze.stderr)
  const refused = await account.post('/v3/payout', localPayout)
  assert.equal(refused.json.errors[0].reason, 'account_frozen')
  assert.doesNotMatch(refused.text, /W-7/)
  const { stdout } = await run('account', 'show', 'ACC')
  for (const words of [
    /^state +frozen \(Case W-7\)$/m,
    /^kind +sandbox$/m,
    /^balances +EUR 0\.00, USD 123\.45$/m,
    /^duplicate window +off$/m,
    new RegExp(`^deposit address +${deposit_address}$`, 'm'),
    new RegExp(`^${account.key_id} +write +first key +\\S+ \\S+ +never$`, 'm'),
  ]) {
    assert.match(stdout, words)
  }
  const before = await rows()
  const again = await run('account', 'freeze', 'ACC', '--reason', 'Twice')
  assert.deepEqual(
    [again.code, again.stderr],
    [1, `corridor: Account ${account_id} is frozen already.\n`],
  )
  const close = await run('account', 'close', 'ACC', '--reason', 'Left')
  assert.equal(close.code, 1)
  assert.match(close.stderr, /cannot be closed: it holds USD 123\.45\./)
  const blank = await run('account', 'unfreeze', 'ACC', '--reason', ' ')
  assert.deepEqual([blank.code, await rows()], [2, before])
  const unfreeze = await run('account', 'unfreeze', 'ACC', '--reason', 'Cleared', '--json')
  const change = { account_id, from: 'frozen', to: 'active', reason: 'Cleared' }
  assert.deepEqual(unfreeze.json, change)
  assert.equal((await account.post('/v3/payout', localPayout)).status, 200)
})

test('corridor account set, name, currency, primary currency and duplicate window: prints old and new value of each', async () => {
  const change = ['--name', 'Harbour', '--add-currencies', 'USD,JPY', '--primary-currency', 'JPY']
  const set = ['account', 'set', 'ACC', ...change, '--duplicate-window-s', '3600']
  const { stdout, stderr } = await run(...set)
  const { account_id } = account.account
  const lines = ['name was Test, is Harbour', 'currencies was USD,EUR, is USD,EUR,JPY']
  lines.push('primary was USD, is JPY', 'duplicate window was off, is 3600 s')
  assert.equal(stdout, lines.map(line => `${account_id}  ${line}\n`).join(''), stderr)
  const balance = await account.get('/v3/balance')
  const held = balance.json.data.available.map(({ currency }: { currency: string }) => currency)
  assert.deepEqual(held, ['EUR', 'JPY', 'USD'])
  const funded = await run('fund', 'ACC', 'JPY', '500')
  assert.equal(funded.code, 0, funded.stderr)
  const verified = await run('verify')
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
})

test('corridor account set, invalid settings: names the fault, no row changes', async () => {
  const before = await rows()
  for (const [change, code, words] of [
    [[], 2, /Say what to change/],
    [['--name', ' '], 2, /--name: name must not be blank/],
    [['--add-currencies', 'QQQ'], 2, /unknown currency/],
    [['--primary-currency', 'GBP'], 2, /--primary-currency: .* holds no GBP/],
    [['--duplicate-window-s', '700000'], 2, /from 0 to 604800/],
  ] as const) {
    const ran = await run('account', 'set', 'ACC', ...change)
    assert.deepEqual([ran.code, ran.stdout], [code, ''])
    assert.match(ran.stderr, words)
  }
  assert.deepEqual(await rows(), before)
})

test('corridor key list: last use to the minute, without a reload of keys in other processes', async () => {
  const { owner } = service.database
  const version = () => owner`select version from reference_version`
  const before = await version()
  await account.get('/v3/balance')
  await service.deps.keyUses.write()
  assert.deepEqual(await version(), before)
  const [key] = (await run('key', 'list', 'ACC', '--json')).json
  const age_ms = Date.now() - Date.parse(key.last_used_at)
  assert.ok(age_ms > -1_000 && age_ms < 60_000, `${age_ms} ms`)
  // An older use that another process writes later does not count.
  await upsertKeyUses(service.deps.sql, [{ key_id: key.key_id, ago_ms: 3_600_000 }])
  const [again] = (await run('key', 'list', 'ACC', '--json')).json
  assert.equal(again.last_used_at, key.last_used_at)
})

const SECOND = 'every process refuses it within a second\n'

test('corridor key create and revoke: print the action and the account', async () => {
  const made = await run('key', 'create', 'ACC', '--scope', 'read', '--name', 'report')
  const { account_id } = account.account
  const [, key_id] = /^key id {3}(key_\w+)\n/.exec(made.stdout) ?? []
  assert.match(made.stdout, new RegExp(`\naccount {2}${account_id}\nscope {4}read\n$`))
  const revoked = await run('key', 'revoke', key_id ?? '')
  const words = `${key_id} is revoked: a read key "report" of ${account_id}; `
  assert.equal(revoked.stdout, `${words}${SECOND}`)
  const again = await run('key', 'revoke', key_id ?? '')
  assert.equal(again.stdout, `${words.replace('is revoked', 'was revoked before')}${SECOND}`)
})

const NEW = [
  'account',
  'create',
  '--name',
  'New',
  '--currencies',
  'USD',
  '--primary-currency',
  'USD',
]

test('corridor account create --fund, live account without a reference: refused, no row changes', async () => {
  const before = await rows()
  const ran = await run(...NEW, '--fund', 'USD=5.00')
  assert.deepEqual([ran.code, ran.stdout], [2, ''])
  assert.match(ran.stderr, /--fund is for sandboxes.* corridor fund ACCOUNT .* --reference /)
  assert.deepEqual(await rows(), before)
})

test('corridor account create --fund, funding fails: exit code 1, the secret is printed and valid', async () => {
  const { owner } = service.database
  await owner`alter table journals add constraint not_now check (kind <> 'funding') not valid`
  try {
    const ran = await run(...NEW, '--sandbox', '--fund', 'USD=5.00', '--json')
    assert.equal(ran.code, 1, ran.stdout)
    assert.notEqual(ran.stderr, '')
    await service.deps.reference.refresh()
    const headers = { authorization: basic(ran.json.key_id, ran.json.secret) }
    const { statusCode } = await service.app.inject({ url: '/v3/balance', headers })
    assert.equal(statusCode, 200)
  } finally {
    await owner`alter table journals drop constraint not_now`
  }
})

test('corridor account create, random id already used: another id, one account made', async () => {
  const write = <C, S, O>(operation: Operation<C, S, O>, command: C) =>
    new Lane(service.deps.sql, operation, { max_batch: 1 }).run(command)
  const accountOf = (account_id: string) => ({
    account: { ...account.account, account_id, name: 'Again', deposit_address: newId('dep') },
    key: makeApiKey(account_id, { scope: 'write', name: 'first', secret: 'x' }, newId),
  })
  const taken = account.account.account_id
  const ids = [taken, taken, 'acc_fff00000']
  await openUnderNewId(write, accountOf, () => ids.shift() ?? '')
  assert.deepEqual(ids, [])
  const made = await service.database.owner<{ account_id: string }[]>`
    select account_id from accounts join books using (account_id) where name = 'Again'`
  assert.deepEqual(
    made.map(row => row.account_id),
    ['acc_fff00000'],
  )
  await assert.rejects(
    openUnderNewId(write, accountOf, () => taken),
    { code: '23505' },
  )
})
