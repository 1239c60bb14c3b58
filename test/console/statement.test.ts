// The statement in the console: lines with payee, fees and running balance; days of the reader's zone,
// both ends included; the files of a period.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { dayAt, plusDays } from '../../src/values/calendar/day.ts'
import { groupedMajor } from '../../src/values/money/words.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

/** The day has begun there for 14 hours when it begins in UTC. */
const EARLY = 'Pacific/Kiritimati'

let service: TestService
let account: Client
let root: string
let payout: string
let headers: Record<string, string>
before(async () => {
  service = await startTestService()
  await service.setFees([{ fixed_amount: 100n, variable_bps: 50 }])
  await service.setRates({ 'USD/HKD': '7.8', 'USD/EUR': '0.8' })
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 100_000_000n } })
  root = `/console/${account.account.account_id}`
  payout = await pay({ reference_id: 'INV-7' })
  await pay({ amount: 8_000, currency: 'EUR', holding_currency: 'USD' })
  await addPerson(service, { user: 'ada', roles: [[account.account.account_id, 'maker']] })
  headers = await logIn(service, 'ada')
})
after(() => service.close())

async function pay(more: object): Promise<string> {
  const made = await account.post('/v3/payout', { ...localPayout, ...more })
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

const look = async (path: string, zone?: string) => {
  const cookie = `${headers.cookie}${zone === undefined ? '' : `; corridor-zone=${zone}`}`
  const answer = await service.inject({ url: root + path, headers: { ...headers, cookie } })
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}

/** Without markup, blanks in a row as one. */
const wordsOf = (page: string) =>
  page
    .replace(/<details class="calls">[\s\S]*/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/(&nbsp;|\s)+/g, ' ')

const rowsOf = (page: string) =>
  (page.match(/<tbody>[\s\S]*?<\/tbody>/)?.[0].match(/<tr>/g) ?? []).length

test('statement page: each line with payee, reference, amount with fees and the balance after it', async () => {
  const words = wordsOf(await look('/transactions'))
  assert.match(words, /Harbour Trading Ltd INV-7 -101\.50 USD -1\.50 USD 999,898\.50 USD/)
  assert.match(words, /Money added .{0,40}1,000,000\.00 USD 1,000,000\.00 USD/)
  const { json } = await account.get('/v3/balance')
  const [{ amount }] = json.data.available.filter(
    (one: { currency: string }) => one.currency === 'USD',
  )
  const balance = groupedMajor(BigInt(amount), 'USD').replaceAll('.', '\\.')
  assert.match(words, new RegExp(`Balance now: .*${balance} USD`))
  assert.match(words, new RegExp(`-1\\.50 USD ${balance} USD`), 'the newest line')
})

test('page of a statement line: principal, each fee, net, conversion and payee in major units', async () => {
  const { json } = await account.get('/v3/balance_transaction?limit=1')
  const [line] = json.data.results
  const words = wordsOf(await look(`/transactions/${line.id}`))
  for (const fact of [
    'Left, with fees -101.50 USD',
    'Principal -100.00 USD',
    'Fixed fee -1.00 USD',
    'Variable fee -0.50 USD',
    'Converted 100.00 USD to 80.00 EUR at 0.8',
    'Payee Harbour Trading Ltd',
  ]) {
    assert.ok(words.includes(fact), `${fact}: ${words}`)
  }
})

test('lists filtered by day: the reader’s day, both ends included, as the rows show it', async () => {
  for (const zone of [EARLY, 'Pacific/Pago_Pago', 'UTC']) {
    const today = dayAt(zone, new Date().toISOString())
    for (const [path, count] of [
      ['/payouts', 2],
      ['/transactions', 3],
    ] as const) {
      const rows = async (from: string, to: string) =>
        rowsOf(await look(`${path}?from=${from}&to=${to}`, zone))
      assert.equal(await rows(today, today), count, `${path} of today, ${zone}`)
      assert.equal(await rows(plusDays(today, 1), plusDays(today, 1)), 0)
      assert.equal(await rows(plusDays(today, -3), plusDays(today, -1)), 0)
    }
    assert.match(wordsOf(await look('/payouts', zone)), new RegExp(`From the day In ${zone} `))
  }
})

test('lists filtered by text that is no day, or in a zone that is none: a named problem, UTC', async () => {
  const cookie = `${headers.cookie}; corridor-zone=Mars/Olympus`
  const url = `${root}/payouts?from=yesterday`
  const answer = await service.inject({ url, headers: { ...headers, cookie } })
  assert.equal(answer.status, 400)
  assert.match(answer.text, /created\.gte is an ISO 8601 time/)
  assert.match(await look('/payouts', '<script>'), /data-zone="UTC"/)
})

test('CSV of lists: the rows that the page shows, with account, debit and fee; days in its name', async () => {
  const today = dayAt(EARLY, new Date().toISOString())
  const cookie = `${headers.cookie}; corridor-zone=${EARLY}`
  const get = async (path: string) =>
    service.inject({ url: `${root}${path}`, headers: { ...headers, cookie } })
  const payouts = await get(`/payouts.csv?currency=USD&from=${today}&to=${today}`)
  const { account_id } = account.account
  const name = `payouts-${account_id}-${today}-to-${today}.csv`
  assert.equal(payouts.headers['content-disposition'], `attachment; filename="${name}"`)
  const [row, ...more] = parse(payouts.text, { columns: true }) as Record<string, string>[]
  assert.deepEqual(more, [])
  const got = [row?.Amount, row?.['Debit with fees'], row?.['Of which fees'], row?.Account, row?.Id]
  assert.deepEqual(got, ['100.00', '101.50', '1.50', account_id, payout])
  const lines = parse((await get('/transactions.csv')).text, { columns: true }) as Record<
    string,
    string
  >[]
  const sum = lines.reduce(
    (all, line) => all + Number(line['Amount with fees']?.replace('.', '')),
    0,
  )
  assert.equal(sum, Number(lines[0]?.Balance?.replace('.', '')))
  assert.ok(lines.every(line => line.Account === account_id))
})

test('statement files: days of the reader’s zone, the last one included; links for the last months', async () => {
  const page = await look('/transactions', 'Europe/Berlin')
  const [, from, to] = /statement\?from=([-\d]+)&amp;to=([-\d]+)&amp;format=csv/g.exec(page) ?? []
  const month = dayAt('Europe/Berlin', new Date().toISOString()).slice(0, 7)
  assert.equal(from, `${month}-01`)
  const [, earlier] = [...page.matchAll(/statement\?from=([-\d]+)&amp;to=[-\d]+&amp;format=pdf/g)]
  assert.ok((earlier?.[1] ?? '') < (from ?? ''))
  const csv = await look(
    `/statement?format=csv&currency=USD&from=2026-03-01&to=2026-03-29`,
    'Europe/Berlin',
  )
  assert.match(csv, /^opening,,2026-02-28T23:00:00\.000000Z,/m)
  // The clocks go forward on the 29th.
  assert.match(csv, /^closing,,2026-03-29T22:00:00\.000000Z,/m)
  const now = await look(
    `/statement?format=csv&currency=USD&from=${from}&to=${to}`,
    'Europe/Berlin',
  )
  assert.match(now, /^interim,/m)
})

test('balance at the end of a day: that day included', async () => {
  const today = dayAt(EARLY, new Date().toISOString())
  const words = wordsOf(await look(`/transactions?as_of=${plusDays(today, -1)}`, EARLY))
  assert.match(
    words,
    /Balance at the end of \d+ \w+ \d+ \(Pacific\/Kiritimati\): 0\.00 EUR 0\.00 USD/,
  )
  const now = wordsOf(await look(`/transactions?as_of=${today}`, EARLY))
  assert.match(now, /Balance at the end of .*: 0\.00 EUR 999,/)
})

// Last, as it makes a payout.
test('page of a failed payout: why, its debit and refund as links, what to do, and a link to pay again', async () => {
  const id = await pay({ reference_id: 'INV-8' })
  const cancelled = await account.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  const page = await look(`/payouts/${id}`)
  const words = wordsOf(page)
  assert.match(words, /back in your balance: Debit of 101\.50 USD , Refund of 101\.50 USD \./)
  assert.match(words, /What to do: .+ Pay again The amount/)
  const [again = ''] = /\/payouts\/new\?like=pot_\w+/.exec(page) ?? []
  assert.match(again, new RegExp(`${id}$`))
  assert.match(await look(again), /name="amount"[^>]*value="100\.00"/)
})
