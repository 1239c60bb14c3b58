// What operators see of users and of upkeep: for operators and auditors alone, text that means harm is
// text, and a run of `corridor verify` stands there once it is done.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deriveSome } from '../../src/treasury/derive.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

const HOSTILE = `</td><script>alert(1)</script>"'>`

let service: TestService
let id: string
before(async () => {
  service = await startTestService()
  id = (await service.openAccount()).account.account_id
})
after(() => service.close())

const look = async (user: string, path: string) =>
  service.inject({ url: `/console/installation${path}`, headers: await logIn(service, user) })

test('users page: shows roles to operators and auditors, is refused to members', async () => {
  await addPerson(service, { user: 'ada', role: 'operator' })
  await addPerson(service, { user: 'grace', role: 'auditor' })
  await addPerson(service, { user: 'mo', roles: [[id, 'maker']] })
  await service.database.owner`
    insert into users (name, full_name, role, disabled_at, disabled_reason)
    values ('eve', ${HOSTILE}, 'member', now(), ${HOSTILE})`
  for (const user of ['ada', 'grace']) {
    const { status, text } = await look(user, '/users')
    assert.equal(status, 200, text)
    assert.equal(text.includes('<script>'), false)
    assert.match(text, new RegExp(`<code>${id}</code></a>\\s+maker`))
    assert.match(text, /&lt;script/)
  }
  for (const path of ['/users', '']) assert.equal((await look('mo', path)).status, 403)
})

test('users page: operator creates a user, gives a role and a one-time link; auditor has no form', async () => {
  const headers = await logIn(service, 'ada')
  const send = (path: string, form: Record<string, string>) =>
    sendForm(service, headers, `/console/installation/users${path}`, form)
  const made = await send('', { name: 'bob.n', full_name: 'Bob Noyce', role: 'member' })
  assert.equal(made.headers.location, '/console/installation/users/bob.n?done=saved', made.text)
  const role = { account_id: id, role: 'approver' }
  assert.equal((await send('/bob.n/account_role', role)).status, 303)
  assert.equal((await send('/bob.n/email', { email: 'bob@example.com' })).status, 303)
  const page = await look('ada', '/users/bob.n')
  assert.match(page.text, /Remove the role/)
  assert.match(page.text, /value="bob@example\.com"/)
  const { text } = await send('/bob.n/login_link', {})
  assert.match(
    text,
    /<pre class="secret"[^>]*>http:[^<]*\/login\/link\?token=corridor_login_[\w-]{49}<\/pre>/,
  )
  assert.equal(text.match(/token=/g)?.length, 2, 'once, and for the button that copies it')
  assert.equal(/href="[^"]*token=/.test(text), false)
  assert.equal((await send('/ada/role', { role: 'member' })).status, 403)
  const auditor = await look('grace', '/users/bob.n')
  assert.equal(auditor.status, 200)
  assert.equal(auditor.text.includes('Make the link'), false)
})

test('installation page, last verification: "never" until corridor verify of all accounts has run; then its age', async () => {
  const never = await look('ada', '')
  assert.match(never.text, /The books were verified: never/)
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  assert.equal((await cli.run('verify', '--account', id)).code, 0)
  assert.match((await look('ada', '')).text, /The books were verified: never/)
  assert.equal((await cli.run('verify')).code, 0)
  const auditor = await openCli(service.database.url, { CORRIDOR_USER: 'grace' })
  assert.equal((await auditor.run('verify')).code, 0)
  const { text } = await look('grace', '')
  assert.match(text, /The books were verified (under a minute|\d+ min) ago/)
  assert.match(text, /in order<\/span> \d+ journals of 1 accounts/)
  await Promise.all([cli.close(), auditor.close()])
  await assert.rejects(service.deps.sql`update upkeep_runs set well = false`)
})

test('limits and rules page: every condition in words, amounts grouped', async () => {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  const runs = async (...args: readonly string[]) => (await cli.run(...args, '--json')).json
  const usd = ['--per', 'payout', '--amount', '50000', '--currency', 'USD']
  const { limit_id } = await runs('limit', 'set', '--new-for-hours', '72', ...usd)
  const beneficiaries = ['--subject', 'beneficiary', '--approvers', '2']
  const { rule_id } = await runs('approval-rule', 'add', ...beneficiaries)
  const { text } = await look('grace', '/rules')
  const limit = 'payouts of each account to payees known for less than 72 hours'
  assert.match(text, new RegExp(`${limit}<.*USD 50,000\\.00 a payout<`))
  assert.match(text, /new and changed beneficiaries of each account<.*2 approvers within 30 days</)
  await runs('limit', 'remove', limit_id)
  await runs('approval-rule', 'remove', rule_id)
  await cli.close()
})

test('corridor audit list --account, unknown account: refused instead of an empty list', async () => {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'grace' })
  const { code, stdout } = await cli.run('audit', 'list', '--account', 'acc_00000000')
  assert.deepEqual([code, stdout], [1, ''])
  await cli.close()
})

test('audit log page, row of a command: its system user and host on one line', async () => {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  assert.equal((await cli.run('account', 'set', id, '--daily-rows', '7000000')).code, 0)
  await cli.close()
  const { text } = await look('ada', `/audit?account_id=${id}&act=account+set`)
  assert.match(text, /<td[^>]*>cli, \S+ at \S[^<]*<\/td>/)
  assert.match(text, /<summary>1 field<\/summary>/)
})

test("operator pages: live changes of every account's payouts since the page was read, until the role is removed", async () => {
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const headers = await logIn(service, 'grace')
  const page = await service.inject({ url: '/console/installation/payouts', headers })
  const live = 'data-live="/console/installation/live" data-of="pot_" data-seen="'
  const seen = page.text.split(live)[1]?.split('"')[0] ?? assert.fail(page.text)
  await service.setRates({ 'USD/HKD': '7.8' })
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const pay = async (name: string) => {
    const made = await payer.post('/v3/payout', { ...localPayout, reference_id: name })
    assert.equal(made.status, 200, made.text)
    return String(made.json.data.id)
  }
  await pay('before the page listens')
  const mo = await logIn(service, 'mo')
  const url = '/console/installation/live'
  assert.equal((await service.inject({ url, headers: mo })).status, 403)
  const answer = await fetch(`${address}${url}?after=${seen}`, {
    headers: { cookie: headers.cookie, 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(answer.status, 200)
  let read = ''
  let later: Promise<string> | undefined
  for await (const part of answer.body ?? []) {
    read += Buffer.from(part).toString()
    // What the process has not followed is told without its id; what comes then, with it.
    if (later === undefined && read.includes('["*"]')) later = pay('later')
    if (later !== undefined && read.includes(await later)) {
      await service.database.owner`update users set role = 'member' where name = 'grace'`
    }
  }
  await service.database.owner`update users set role = 'auditor' where name = 'grace'`
  assert.match(read, /event: over\ndata: \{\}\n\n$/)
})

test('account income page: fees of its book, exact, less those credited back', async () => {
  await service.setFees([{ payout_type: 'local', fixed_amount: 250n }])
  await service.setRates({ 'USD/HKD': '7.8' })
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const payerId = payer.account.account_id
  const pay = async (reference_id: string) => {
    const made = await payer.post('/v3/payout', { ...localPayout, reference_id })
    assert.equal(made.status, 200, made.text)
    return made.json.data
  }
  await pay('one')
  const failed = await pay('two')
  const [booked] = await service.database.owner<{ fees: string; fx: string }[]>`
    select (sum(amount) filter (where code = 'fees'))::text as fees,
      coalesce(sum(amount) filter (where code = 'fx_income'), 0)::text as fx
    from postings where account_id = ${payerId}`
  assert.equal(booked?.fees, '500')
  const incomeOf = async () => {
    const headers = await logIn(service, 'ada')
    const url = `/v3/operator/account/${payerId}/income`
    return (await service.inject({ url, headers })).json.data.results
  }
  const day = new Date().toISOString().slice(0, 10)
  assert.deepEqual(await incomeOf(), [{ day, currency: 'USD', fees: '500', fx: booked?.fx }])
  const end = { status: 'failed' }
  assert.equal((await payer.post(`/v3/sandbox/payout/${failed.id}/transition`, end)).status, 200)
  assert.equal((await incomeOf())[0].fees, '250')
  await service.setRoutes([{}])
  const live = await service.openAccount({
    ...{ currencies: ['USD'], fund: { USD: 10n ** 8n }, sandbox: false },
  })
  assert.equal((await live.post('/v3/payout', localPayout)).status, 200)
  while ((await deriveSome(service.deps)).journals > 0n);
  assert.match((await look('grace', '/income')).text, /2\.50&nbsp;USD/)
  const page = await look('grace', `/accounts/${payerId}/income`)
  assert.equal(page.status, 200)
  assert.match(page.text, /<svg[\s\S]*Fees in USD[\s\S]*2\.50/)
})
