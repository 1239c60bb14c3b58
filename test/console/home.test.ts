// What an account's people see first: what their balances are worth, what went wrong lately, webhook
// endpoints that fail, how to add money; and reports about a period.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { addEndpoint } from '../support/network/receiver.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

let service: TestService
let account: Client
let id: string
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local', fixed_amount: 150n }])
  await service.setRates({ 'USD/HKD': '7.8', 'EUR/USD': '1.1', 'USD/JPY': '150' })
  const currencies = ['USD', 'EUR', 'JPY', 'GBP']
  const fund = { USD: 10_000_00n, EUR: 1_000_00n, JPY: 15_000n, GBP: 5_00n }
  account = await service.openAccount({ currencies, primary: 'USD', fund })
  id = account.account.account_id
})
after(() => service.close())

let people = 0

async function look(path: string, of = id): Promise<string> {
  people += 1
  const user = `home-${people}`
  await addPerson(service, { user, roles: [[of, 'viewer']] })
  const headers = await logIn(service, user)
  for (;;) {
    const { status, text } = await service.inject({ url: `/console/${of}${path}`, headers })
    // The first page of a busy machine may come too late.
    if (status === 503) continue
    assert.equal(status, 200, text)
    return text
  }
}

const plainText = (page: string) =>
  page
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/\s+/g, ' ')

async function payAndEnd(...statuses: readonly string[]): Promise<string> {
  const { json, text } = await account.post('/v3/payout', localPayout)
  assert.equal(json.status, 'success', text)
  for (const status of statuses) {
    const url = `/v3/sandbox/payout/${json.data.id}/transition`
    const moved = await account.post(url, { status })
    assert.equal(moved.status, 200, moved.text)
  }
  return json.data.id
}

test('home, balances in several currencies: each about its worth, all together without those that have no rate', async () => {
  const text = plainText(await look(''))
  assert.match(text, /EUR 1,000\.00 about 1,100\.00 USD/)
  assert.match(text, /JPY 15,000 about 100\.00 USD/)
  assert.match(text, /GBP 5\.00 no rate now/)
  assert.match(text, /All together, in USD 11,200\.00 at the mid rates of now, without GBP/)
})

test('home, payouts that failed or came back: under what needs attention, for a week', async () => {
  await payAndEnd('failed')
  await payAndEnd('succeeded', 'reversed')
  const old = await payAndEnd('failed')
  assert.ok(old)
  const page = await look('')
  const text = plainText(page)
  assert.match(text, /Needs attention 2 made in the last 7 days failed/)
  assert.match(text, /1 made in the last 7 days came back/)
  const link = /href="([^"]*\/payouts\?status=failed[^"]*)"/.exec(page)?.[1] ?? ''
  const listed = await look(link.replaceAll('&amp;', '&').replace(`/console/${id}`, ''))
  assert.ok(listed.includes(old))
})

test('home, webhook endpoints that fail: shown with the events that were given up and not sent again', async () => {
  const { database } = service
  const endpoint = await addEndpoint(database, id, 'https://hooks.example.com/in')
  const gone = await addEndpoint(database, id, 'https://gone.example.com/in')
  const again = { sequence: { from: 1, to: 3 } }
  const url = `/v3/webhook_endpoint/${endpoint.id}/replay`
  assert.equal((await account.post(url, again)).status, 200)
  await database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`
      update webhook_deliveries set status = 'dead', due_at = null
      where endpoint_id = ${endpoint.id}`
    await tx`
      update webhook_endpoints set status = 'disabled', disabled_reason = 'gone'
      where id = ${gone.id}`
  })
  const text = plainText(await look(''))
  assert.match(text, /hooks\.example\.com\/in did not take 3 events/)
  assert.match(text, /gone\.example\.com\/in gets no events/)
  assert.equal((await account.post(url, again)).status, 200)
  assert.doesNotMatch(plainText(await look('')), /hooks\.example\.com\/in did not take/)
})

test('add money: a sandbox is funded by itself, a live account by a bank, with its id as reference', async () => {
  assert.match(await look(''), /href="[^"]*\/funding"/)
  assert.match(plainText(await look('/funding')), /its money is not real/)
  const live = await service.openAccount({ currencies: ['USD'], sandbox: false })
  const { account_id, deposit_address } = live.account
  const text = plainText(await look('/funding', account_id))
  assert.match(text, new RegExp(`Write this reference .* Reference ${account_id}`))
  assert.match(text, new RegExp(`Deposit address ${deposit_address}`))
  assert.doesNotMatch(text, /sandbox/)
})

test('reports of a period: its payouts alone, with figures on the axis, totals and the table beside', async () => {
  const page = await look('/reports')
  assert.match(plainText(page), /: 3 payouts\. Together/)
  assert.match(page, /<text [^>]*text-anchor="end">0<\/text>/)
  assert.match(page, /<tfoot><tr><th scope="row">Total/)
  assert.doesNotMatch(page, /<summary>Figures/)
  const before = plainText(await look('/reports?from=2020-01-01&to=2020-01-31'))
  assert.match(before, /2020-01-01 to 2020-01-31: 0 payouts/)
  assert.match(plainText(await look('/reports?from=x&to=2020-01-31')), /2020-01-02 to 2020-01-31/)
})

test('income by month: the sum of its days, by currency', async () => {
  await payAndEnd('succeeded')
  await addPerson(service, { user: 'boss', role: 'operator' })
  const headers = await logIn(service, 'boss')
  const url = `/v3/operator/account/${id}/income`
  const { json } = await service.inject({ url, headers })
  const { results, months } = json.data
  const sum = (rows: { currency: string; fees: string; fx: string }[]) =>
    rows
      .filter(({ currency }) => currency === 'USD')
      .reduce((all, { fees, fx }) => all + BigInt(fees) + BigInt(fx), 0n)
  assert.equal(sum(months), sum(results))
  assert.match(months[0]?.month ?? '', /^\d{4}-\d\d$/)
  const page = await service.inject({ url: `/console/installation/accounts/${id}/income`, headers })
  assert.match(page.text, /By month/)
})
