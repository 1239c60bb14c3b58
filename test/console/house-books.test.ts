// The books of the house in the console: journals that a person reviews before they are booked, months
// that close, reports with their CSV, and the keys by which accounts are funded.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { REPORT_NAMES } from '../../src/treasury/report.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { bookUsd } from '../support/service/operate.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'
import { giveLines, TODAY } from '../support/treasury/open-rows.ts'

const ROOT = '/console/installation'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client
let ada: Awaited<ReturnType<typeof logIn>>
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  await addPerson(service, { user: 'ada', role: 'operator' })
  ada = await logIn(service, 'ada')
  const opening = ['--opening-on', '2026-01-01']
  await run('nostro', 'add', 'usd_clients', 'USD', '1000.00', '--pool', 'payments', ...opening)
  await run('nostro', 'add', 'usd_own', 'USD', '500.00', '--purpose', 'own', ...opening)
  await run('nostro', 'add', 'eur_own', 'EUR', '500.00', '--purpose', 'own', ...opening)
  account = await service.openAccount({ currencies: ['USD'], sandbox: false })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

async function look(path: string, headers = ada): Promise<string> {
  const { status, text } = await service.inject({ url: `${ROOT}${path}`, headers })
  assert.equal(status, 200, text)
  return text
}

const send = (path: string, form: Record<string, string>) =>
  sendForm(service, ada, `${ROOT}${path}`, form)

const countJournals = async () => (await owner`select from house_journals`).length

test('top-up by a form: reviewed with both balances, nothing booked before; booked, then reversed once', async () => {
  const path = '/house/new/topup'
  const form = { from: 'usd_own', to: 'usd_clients', amount: '1,0.00', note: 'Shortfall' }
  const wrong = await send(path, { ...form, step: 'check' })
  assert.match(wrong.text, /“1,0\.00” is not an amount in USD[\s\S]*value="1,0\.00"/)
  const unchosen = await send(path, { ...form, from: '', amount: '5', step: 'check' })
  assert.match(unchosen.text, /class="problem"[^>]*>Choose an account/)
  const good = { ...form, amount: '300.00' }
  const review = await send(path, { ...good, step: 'check' })
  assert.match(
    review.text,
    /Paid by usd_own[\s\S]*-300\.00&nbsp;USD[\s\S]*and then [^<]*<[^>]*>200\.00/,
  )
  assert.match(review.text, /Received by usd_clients[\s\S]*Nothing is booked yet/)
  assert.equal(await countJournals(), 0)
  assert.match((await send(path, { ...good, step: 'change' })).text, /value="300\.00"/)
  const booked = await send(path, { ...good, step: 'book' })
  assert.equal(booked.headers.location, `${ROOT}/house?done=booked`, booked.text)
  const list = await look('/house')
  assert.match(
    list,
    /topup[\s\S]*usd_own<\/a>\s*<span class="money">-300\.00&nbsp;USD[\s\S]*Shortfall/,
  )
  const [id = ''] = /journal_\d+/.exec(list) ?? []
  assert.equal((await send(`/house/${id}/reverse`, { reason: 'Twice' })).status, 303)
  assert.match(await look('/house'), /reversed by journal_\d+/)
  const again = await send(`/house/${id}/reverse`, { reason: 'Twice' })
  assert.match(again.text, /is reversed already/)
})

test('transfer out of a pool: the review says what the house has earned, and more is refused in place', async () => {
  const path = '/house/new/transfer'
  const form = { from: 'usd_clients', to: 'usd_own', amount: '1.00' }
  const review = await send(path, { ...form, step: 'check' })
  assert.match(review.text, /may take out of the pool[\s\S]*0\.00&nbsp;USD/)
  const refused = await send(path, { ...form, step: 'book' })
  assert.match(refused.text, /class="problem"[^>]*>[^<]*at most USD 0\.00 may leave payments/)
})

test('deal by a form: the review has its rate, and the journal both currencies', async () => {
  const path = '/house/new/deal'
  const amounts = { sell_amount: '100.00', buy_amount: '92.13', value_on: TODAY }
  const form = { from: 'usd_own', to: 'eur_own', ...amounts, reference: 'DEAL-77' }
  assert.match((await send(path, { ...form, step: 'check' })).text, /1 USD = 0\.921300 EUR/)
  assert.equal((await send(path, { ...form, step: 'book' })).status, 303)
  assert.match(await look('/house'), /deal[\s\S]*92\.13&nbsp;EUR[\s\S]*DEAL-77/)
})

test('month: what it needs leads to its page; once nothing is left, it closes, and its digest is kept', async () => {
  const [line] = await giveLines(owner, { name: 'usd_clients', currency: 'USD' }, [
    { amount: 5_000n, day: '2026-01-30', text: 'whose?' },
  ])
  const page = await look('/months?month=2026-01')
  assert.match(page, new RegExp(`href="${ROOT}/treasury/usd_own/statements">usd_own`))
  assert.match(page, new RegExp(`href="${ROOT}/treasury/usd_clients\\?line=line_${line}"`))
  assert.match(page, /Match it, or write down why it is open/)
  assert.equal(page.includes('Close 2026-01'), false)
  const early = await send('/months/2026-01', {})
  assert.match(early.text, /<button class="danger">Close 2026-01/)
  const noted = await send(`/months/2026-01/note/line_${line}`, { note: 'Asked the bank' })
  assert.equal(noted.headers.location, `${ROOT}/months?month=2026-01&done=saved`, noted.text)
  for (const [name, currency] of [
    ['usd_clients', 'USD'],
    ['usd_own', 'USD'],
    ['eur_own', 'EUR'],
  ] as const) {
    const pair = [1n, -1n].map(amount => ({ amount, day: '2026-01-31' }))
    const ids = await giveLines(owner, { name, currency }, pair)
    const lines = ids.map(id => `line_${id}`).join(' ')
    const matched = await send(`/treasury/${name}/match`, { lines, items: '' })
    assert.equal(matched.status, 303, matched.text)
  }
  assert.match(await look('/months?month=2026-01'), /Nothing stands against closing it/)
  const closed = await send('/months/2026-01', {})
  assert.equal(closed.headers.location, `${ROOT}/months?done=closed`, closed.text)
  const after = await look('/months')
  assert.match(after, /<h2>2026-02<\/h2>[\s\S]*<td>2026-01<\/td>[\s\S]*<code>[0-9a-f]{64}<\/code>/)
  assert.match(await look('/months?month=2026-01'), /It is closed/)
})

test('reports: each has a table with links, its own filters, and a CSV of the same rows', async () => {
  await bookUsd(service, account, 'funding', 123_456n, 'FUNDING-0001')
  while ((await deriveSome(service.deps)).journals > 0n);
  for (const name of REPORT_NAMES) {
    const page = await look(`/reports?report=${name}`)
    assert.match(page, new RegExp(`reports\\.csv\\?report=${name}"`))
  }
  assert.match(await look('/reports?report=clients'), /1,234\.56<\/td>/)
  assert.match(await look('/reports?report=suspense'), /treasury\/usd_clients\?line=line_\d+"/)
  const url = `${ROOT}/reports.csv?report=ledger&from=${TODAY}&to=${TODAY}`
  const { text, headers } = await service.inject({ url, headers: ada })
  const file = `reports-ledger-${TODAY}-to-${TODAY}.csv`
  assert.match(String(headers['content-disposition']), new RegExp(file))
  assert.match(text, /^day,account,nostro,kind,code,currency,amount\r\n/)
  assert.match(text, /,available,USD,1234\.56\r\n/)
  const none = await look('/reports?report=ledger&from=2020-01-01&to=2020-01-02')
  assert.match(none, /No row/)
  const wrong = await service.inject({
    url: `${ROOT}/reports?report=ledger&from=soon`,
    headers: ada,
  })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /role="alert"><ul><li>[^<]*\bfrom\b/)
})

test('funding keys: an operator adds one, the account sees how to fund itself, the key ends', async () => {
  const { account_id } = account.account
  await run('nostro', 'set', 'usd_clients', '--account', 'DE02500105170137075030')
  const path = `/accounts/${account_id}`
  const page = await look(path)
  assert.match(page, /No funding key: what comes in waits for a person/)
  const short = { nostro: 'usd_clients', kind: 'reference', value: 'ABC' }
  const refused = await send(`${path}/funding-key`, short)
  assert.match(refused.text, /<details open><summary>A new funding key[\s\S]*class="problem"/)
  const added = await send(`${path}/funding-key`, { nostro: 'usd_clients', kind: 'reference' })
  assert.equal(added.status, 303, added.text)
  const [, reference = ''] = /<code>(RF\w+)<\/code>/.exec(await look(path)) ?? []
  assert.notEqual(reference, '')
  await addPerson(service, { user: 'vera', roles: [[account_id, 'viewer']] })
  const headers = await logIn(service, 'vera')
  const funding = () => service.inject({ url: `/console/${account_id}/funding`, headers })
  const shown = await funding()
  assert.match(shown.text, /quote the reference[\s\S]*DE02500105170137075030/)
  assert.match(shown.text, new RegExp(reference))
  assert.equal(shown.text.includes('Ask whoever runs this installation'), false)
  const [, key = ''] = /funding-key\/(fundkey_\d+)\/end/.exec(await look(path)) ?? []
  assert.equal((await send(`${path}/funding-key/${key}/end`, {})).status, 303)
  assert.match((await funding()).text, /Ask whoever runs this installation/)
})
