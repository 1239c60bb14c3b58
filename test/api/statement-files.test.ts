// GET /v3/statement: the files of a period, judged by the oracles of each format, and the same from
// the console by the session of a person.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { currencyExponent } from '../../src/values/money/currency.ts'
import { formatMajor } from '../../src/values/money/decimal.ts'
import { faultsOf, readXml, select, textOf } from '../ledger/camt053-schema.ts'
import { readMt940 } from '../ledger/mt940-reader.ts'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

const PATH = '/v3/statement'
const FUND = { USD: 100_000_000n, JPY: 5_000_000n, KWD: 7_654_321n }
const PERIOD = 'from=2026-01-01&to=2100-01-01'

let service: TestService
let account: Client
let id: string

before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/HKD': '7.8' })
  await service.setFees([{ fixed_amount: 200n }])
  account = await service.openAccount({ currencies: Object.keys(FUND), fund: FUND })
  id = account.account.account_id
  for (const reference_id of ['=cmd|calc!A1', '</Ustrd><x>&']) {
    const made = await account.post('/v3/payout', { ...localPayout, reference_id })
    assert.equal(made.status, 200, made.text)
  }
})
after(() => service.close())

const balances = async () => {
  const { json } = await account.get('/v3/balance')
  return json.data.available as { amount: number; currency: string }[]
}

const major = (amount: number | bigint, currency: string) =>
  formatMajor(BigInt(amount), currencyExponent(currency))

test(`GET ${PATH}, camt053: valid message, closing balance equals the balance, in the currency's decimals`, async () => {
  const { status, text, headers } = await account.get(`${PATH}?format=camt053&${PERIOD}`)
  assert.equal(status, 200, text)
  assert.equal(headers['content-type'], 'application/xml; charset=utf-8')
  assert.equal(headers['content-disposition'], `attachment; filename="statement-${id}.xml"`)
  assert.deepEqual(faultsOf(readXml(text)), [])
  const statements = select(readXml(text), 'BkToCstmrStmt/Stmt')
  const now = await balances()
  assert.equal(statements.length, now.length)
  for (const [i, { amount, currency }] of now.entries()) {
    const [opening, closing] = select(statements[i] ?? assert.fail(), 'Bal').map(one =>
      textOf(one, 'Amt'),
    )
    assert.equal(opening, major(0n, currency))
    assert.equal(closing, major(amount, currency))
  }
})

test(`GET ${PATH}, mt940 of one currency: opening balance equals the previous closing balance`, async () => {
  const [before] = (await balances()).filter(({ currency }) => currency === 'USD')
  const at = new Date().toISOString()
  const file = async (query: string) => {
    const { status, text } = await account.get(`${PATH}?format=mt940&currency=USD&${query}`)
    assert.equal(status, 200, text)
    return readMt940(text)
  }
  const paid = await account.post('/v3/payout', { ...localPayout, reference_id: 'after' })
  assert.equal(paid.status, 200, paid.text)
  const [first] = await file(`from=2026-01-01&to=${encodeURIComponent(at)}`)
  const [second] = await file(`from=${encodeURIComponent(at)}`)
  assert.equal(first?.lines.length, 3)
  assert.equal(second?.lines.length, 1)
  assert.equal(first?.closing.amount, second?.opening.amount)
  assert.equal(second?.opening.amount, major(before?.amount ?? 0, 'USD'))
})

test(`GET ${PATH}, wrong parameters: refused, each named`, async () => {
  const rows = [
    ['', 'format'],
    ['format=pdf&from=2026-01-01', 'format'],
    ['format=csv', 'from'],
    ['format=csv&from=yesterday', 'from'],
    ['format=csv&from=2026-02-30', 'from'],
    ['format=csv&from=2999-01-01', 'from'],
    ['format=csv&from=2026-02-01&to=2026-02-01', 'to'],
    ['format=csv&from=2026-02-01&currency=EUR', 'currency'],
    ['format=csv&from=2026-02-01&currency=usd', 'currency'],
    ['format=csv&from=2026-02-01&page=1', 'page'],
  ] as const
  for (const [query, remarks] of rows) {
    const answer = await account.get(`${PATH}?${query}`)
    assert.equal(answer.status, 400, query)
    assert.ok(
      answer.json.errors.some((one: { remarks: string }) => one.remarks === remarks),
      `${query}: ${answer.text}`,
    )
  }
  const stable = await service.openAccount({ currencies: ['USD', 'USDC'] })
  for (const format of ['camt053', 'mt940']) {
    const refused = await stable.get(`${PATH}?format=${format}&from=2026-01-01`)
    assertRefused(refused, 400, 'invalid_query_parameter', 'currency')
    const other = await stable.get(`${PATH}?format=${format}&from=2026-01-01&currency=USD`)
    assert.equal(other.status, 200, other.text)
  }
  // A balance that is longer than amounts of MT940.
  const rich = await service.openAccount({ currencies: ['USD'], fund: { USD: 2n ** 53n - 1n } })
  const long = await rich.get(`${PATH}?format=mt940&${PERIOD}`)
  assertRefused(long, 400, 'invalid_query_parameter', 'format')
  assert.equal((await rich.get(`${PATH}?format=camt053&${PERIOD}`)).status, 200)
})

test('console, statement file by session: the same file, only with a role on the account', async () => {
  await addPerson(service, { user: 'reader', roles: [[id, 'viewer']] })
  await addPerson(service, { user: 'stranger', role: 'operator', roles: [] })
  const look = async (user: string, query: string) =>
    service.inject({
      url: `/console/${id}/statement?${query}`,
      headers: await logIn(service, user),
    })
  const file = await look('reader', `format=camt053&${PERIOD}&currency=`)
  assert.equal(file.status, 200, file.text)
  assert.deepEqual(faultsOf(readXml(file.text)), [])
  assert.equal((await look('stranger', `format=camt053&${PERIOD}`)).status, 403)
  const wrong = await look('reader', 'format=camt053&from=<script>')
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /from is a date/)
  const twice = await look('reader', 'format=csv&from=2026-01-01&from=2026-01-02')
  assert.equal(twice.status, 400)
})
