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
import { readPdf } from '../support/read/pdf.ts'
import {
  addPerson,
  basic,
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

const ask = (method: 'GET' | 'HEAD', url: string) => {
  const authorization = basic(account.key_id, account.secret)
  return service.app.inject({ method, url, headers: { authorization } })
}

const major = (amount: number | bigint, currency: string) =>
  formatMajor(BigInt(amount), currencyExponent(currency))

test(`GET ${PATH}, camt053: valid message, closing balance equals the balance, in the currency's decimals`, async () => {
  const { status, text, headers } = await account.get(`${PATH}?format=camt053&${PERIOD}`)
  assert.equal(status, 200, text)
  assert.equal(headers['content-type'], 'application/xml; charset=utf-8')
  const today = new Date().toISOString().slice(0, 10)
  const name = `statement-${id}-2026-01-01-to-${today}-interim.xml`
  assert.equal(headers['content-disposition'], `attachment; filename="${name}"`)
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

test(`GET ${PATH}, pdf: the payee, the balance, the file's days in its name`, async () => {
  const path = `${PATH}?format=pdf&from=2026-01-01&currency=USD`
  const { statusCode: status, headers, rawPayload: body } = await ask('GET', path)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'application/pdf')
  assert.match(`${headers['content-disposition']}`, /-2026-01-01-to-[-0-9]+-USD-interim\.pdf"$/)
  const { texts } = readPdf(body)
  const [usd] = (await balances()).filter(({ currency }) => currency === 'USD')
  assert.ok(texts.includes('Harbour Trading Ltd'))
  assert.equal(texts.at(-1)?.replaceAll(',', ''), major(usd?.amount ?? 0, 'USD'))
})

test(`GET ${PATH}, days of a zone: begin and end there, both in the name; HEAD answers the same name`, async () => {
  const whole = `${PATH}?format=csv&from=2026-02-01&to=2026-03-01&zone=Asia/Hong_Kong`
  const { status, text, headers } = await account.get(whole)
  assert.equal(status, 200, text)
  assert.match(text, /^opening,,2026-01-31T16:00:00\.000000Z,/m)
  assert.match(text, /^closing,,2026-02-28T16:00:00\.000000Z,/m)
  const name = `attachment; filename="statement-${id}-2026-02-01-to-2026-02-28.csv"`
  assert.equal(headers['content-disposition'], name)
  const head = await ask('HEAD', whole)
  assert.equal(head.headers['content-disposition'], name)
})

test(`GET ${PATH}, payouts: payee and account in csv, camt053 and mt940`, async () => {
  const file = async (format: string) =>
    (await account.get(`${PATH}?format=${format}&from=2026-01-01&currency=USD`)).text
  const payee = 'Harbour Trading Ltd'
  assert.ok((await file('csv')).includes(`,${payee},123456789012,HSBCHKHH,supplier_payment,`))
  const [details] = select(readXml(await file('camt053')), 'BkToCstmrStmt/Stmt/Ntry').flatMap(one =>
    select(one, 'NtryDtls/TxDtls/RltdPties'),
  )
  const at = (path: string) => textOf(details ?? assert.fail(), path)
  assert.deepEqual([at('Cdtr/Pty/Nm'), at('CdtrAcct/Id/Othr/Id')], [payee, '123456789012'])
  const [message] = readMt940(await file('mt940'))
  assert.match(message?.lines[1]?.information ?? '', /\/BENM\/Harbour Trading Ltd\/ACCT\/1234567/)
})

test(`GET ${PATH}, wrong parameters: refused, each named`, async () => {
  const rows = [
    ['', 'format'],
    ['format=doc&from=2026-01-01', 'format'],
    ['format=csv&from=2026-02-01&zone=Mars/Olympus', 'zone'],
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
