// Approval rules and limits in the console: an operator makes and changes them in forms, by the
// operations of the operator API; the account's own people see what is left of a limit.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let service: TestService
let payer: Client
let account_id: string
before(async () => {
  service = await startTestService()
  payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 9n } })
  account_id = payer.account.account_id
  await addPerson(service, { user: 'ada', role: 'operator' })
  await addPerson(service, { user: 'gil', role: 'auditor' })
  await addPerson(service, { user: 'vic', roles: [[account_id, 'viewer']] })
})
after(() => service.close())

const ROOT = '/console/installation'

async function look(path: string, user = 'ada', root = ROOT) {
  const headers = await logIn(service, user)
  const answer = await service.inject({ url: root + path, headers })
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}

const send = async (path: string, form: Record<string, string>, user = 'ada') =>
  sendForm(service, await logIn(service, user), ROOT + path, form)

/** Sends a form, which must be taken; what it wrote counts for the next payout. */
async function save(path: string, form: Record<string, string>): Promise<string> {
  const answer = await send(path, form)
  assert.equal(answer.status, 303, answer.text)
  await service.deps.reference.refresh()
  return String(answer.headers.location)
}

let paid = 0

async function pay(amount: number) {
  paid += 1
  return payer.post('/v3/payout', { ...localPayout, amount, reference_id: `R-${paid}` })
}

const NEW_RULE = { approvers: '1', expires_after_days: '30' }

test('console, approval rule by amount added in the form: a payout above it waits, one below does not', async () => {
  const form = await look(`/rules/approvals/new?account_id=${account_id}`)
  assert.match(form, new RegExp(`<option value="${account_id}" selected>`))
  assert.match(form, /<option value="RW">Rwanda \(RW\)<\/option>/)
  assert.match(form, /<option value="EUR">EUR – Euro<\/option>/)
  const by_amount = { account_id, at_least: '1,000.00', at_least_currency: 'USD' }
  const to = await save('/rules/approvals/new', { ...NEW_RULE, ...by_amount, approvers: '2' })
  assert.equal(to, `${ROOT}/rules?done=saved`)
  const page = await look('/rules')
  const wordsOf = (account: string) => `payouts of account ${account} from USD 1,000\\.00 on`
  const shown = wordsOf(`Test \\(${account_id}\\)`)
  assert.match(page, new RegExp(`<td>${shown}</td><td>2 approvers within 30 days</td>`))
  assert.equal((await pay(99_999)).json.data.status, 'processing')
  assert.equal((await pay(100_000)).json.data.status, 'pending_approval')
  assert.match(
    await look('/audit'),
    new RegExp(`added approval rule apr_\\w+: ${wordsOf(account_id)} need 2`),
  )

  // Changed: the new rule replaces the old one.
  const rule_id = /rules\/approvals\/new\?rule=(apr_\w+)"/.exec(page)?.[1] ?? ''
  const changing = await look(`/rules/approvals/new?rule=${rule_id}`)
  assert.match(changing, /name="at_least"[^>]* value="1000\.00"/)
  assert.match(changing, new RegExp(`name="replaced" value="${rule_id}"`))
  // A refused change leaves the rule as it is.
  const refused = { ...NEW_RULE, ...by_amount, network: 'nowhere', replaced: rule_id }
  assert.equal((await send('/rules/approvals/new', refused)).status, 400)
  assert.equal((await pay(120_000)).json.data.status, 'pending_approval')
  const changed = { ...NEW_RULE, ...by_amount, at_least: '2000', replaced: rule_id, key: 'change' }
  await save('/rules/approvals/new', changed)
  assert.equal((await pay(150_000)).json.data.status, 'processing')
  // Sent again, as by a second click: nothing more happens.
  assert.equal((await send('/rules/approvals/new', changed)).status, 303)
  const [{ rules } = { rules: 0 }] = await service.database.owner<{ rules: number }[]>`
    select count(*)::integer as rules from approval_rules`
  assert.equal(rules, 1)
  const left = /rules\/approvals\/(apr_\w+)\/remove"/.exec(await look('/rules'))?.[1] ?? ''
  await save(`/rules/approvals/${left}/remove`, {})
  assert.equal((await pay(300_000)).json.data.status, 'processing')
})

test('console, approval rule with every condition: kept as chosen; a mistake is named at its field', async () => {
  const conditions = {
    ...{ account_id, payout_type: 'swift', country: 'US', currency: 'USD', new_payee: 'yes' },
    ...{ at_least: '5', at_least_currency: 'USD', subject: 'payout' },
  }
  await save('/rules/approvals/new', { ...NEW_RULE, ...conditions })
  const words =
    `payouts of account Test \\(${account_id}\\) of type swift to country US in USD from USD 5\\.00 on ` +
    'to new payees'
  assert.match(await look('/rules'), new RegExp(`<td>${words}</td>`))
  await service.database.owner`delete from approval_rules`
  const mistakes = [
    [{ at_least: '10.005' }, 'f-at-least-problem'],
    [{ network: 'nowhere' }, 'f-network-problem'],
    [{ expires_after_days: 'soon' }, 'f-expires-after-days-problem'],
    [{ subject: 'beneficiary', payout_type: 'swift' }, 'f-payout-type-problem'],
  ] as const
  for (const [mistake, problem] of mistakes) {
    const form = { ...NEW_RULE, account_id, at_least_currency: 'USD', ...mistake }
    const answer = await send('/rules/approvals/new', form)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.text, new RegExp(`id="${problem}"`))
    assert.match(answer.text, new RegExp(`<option value="${account_id}" selected>`))
  }
})

test('console, limit set and changed in forms: its use shown to operators, what is left to the people of the account', async () => {
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 9n } })
  const { account_id } = payer.account
  await addPerson(service, { user: 'wim', roles: [[account_id, 'viewer']] })
  const pay = (amount: number) => payer.post('/v3/payout', { ...localPayout, amount })
  const home = () => look('', 'wim', `/console/${account_id}`)
  const hours = { per: 'hours', hours: '24', zone: 'Europe/Berlin', each: 'account' }
  const place = await save('/rules/limits/new', {
    ...{ account_id, amount: '5,000', currency: 'USD', count: '', ...hours },
  })
  const path = /\/rules\/limits\/lim_\w+/.exec(place)?.[0] ?? assert.fail(place)
  assert.equal((await pay(200_000)).status, 200)
  const page = await look(path)
  assert.match(page, /USD 5,000\.00 in 24 hours/)
  assert.match(page, /USD 2,000\.00<\/td>[\s\S]*USD 3,000\.00<\/td>[\s\S]*40 %<\/td>/)
  assert.match(await look('/rules'), /USD 2,000\.00, 40 %/)
  assert.match(
    await home(),
    /all together<\/td><td>USD 5,000\.00 in 24 hours<\/td><td class="number">USD 2,000\.00<\/td><td class="number">USD 3,000\.00</,
  )
  assert.equal((await pay(400_000)).status, 422)
  await save(path, { amount: '8000', currency: 'USD' })
  assert.equal((await pay(400_000)).status, 200)
  assert.match(
    await look('/audit'),
    /raised limit lim_\w+ of \w+ from 5,000\.00 USD to 8,000\.00 USD/,
  )
  await save(`${path}/remove`, {})
  assert.doesNotMatch(await home(), /Limits of your payouts/)
})

test('console, limit by number of payouts in hours to each payee: counted in words; a mistake is named', async () => {
  const hours = { per: 'hours', hours: '24', each: 'payee', zone: 'Europe/Berlin' }
  const form = { account_id, amount: '', currency: 'USD', ...hours }
  const place = await save('/rules/limits/new', { ...form, count: '3', new_for_hours: '72' })
  const path = /\/rules\/limits\/lim_\w+/.exec(place)?.[0] ?? assert.fail(place)
  const words = 'to each payee known for less than 72 hours'
  assert.match(await look(path), new RegExp(`${words}[\\s\\S]*3 payouts in 24 hours`))
  await save(path, { count: '4' })
  assert.match(await look(path), /4 payouts in 24 hours/)
  assert.match(await look('', 'vic', `/console/${account_id}`), new RegExp(`<td>${words}</td>`))
  await save(`${path}/remove`, {})
  const bad = await send('/rules/limits/new', { ...form, per: 'day', zone: 'Nowhere', count: '3' })
  assert.equal(bad.status, 400, bad.text)
  assert.match(bad.text, /id="f-zone-problem">There is no time zone Nowhere/)
})

test('console, rules and limits: an auditor sees no form, and none of theirs is taken', async () => {
  await service.database.owner`delete from approval_rules`
  await save('/rules/approvals/new', { ...NEW_RULE, account_id })
  const page = await look('/rules', 'gil')
  assert.match(page, new RegExp(`payouts of account Test \\(${account_id}\\)<`))
  assert.doesNotMatch(page, /New approval rule|New limit|Remove/)
  for (const [path, form] of [
    ['/rules/approvals/new', NEW_RULE],
    ['/rules/limits/new', { per: 'payout', amount: '1', currency: 'USD' }],
  ] as const) {
    assert.equal((await send(path, form, 'gil')).status, 403, path)
  }
  await service.database.owner`delete from approval_rules`
})
