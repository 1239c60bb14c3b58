/// <reference lib="dom" />
// A conversion as a person makes it in the console: two currencies and an amount, the price, and one
// button. Nothing moves before it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { balancesOf } from '../support/assert/check.ts'
import {
  addSession,
  assertAccessible,
  NO_BROWSER,
  openBrowser,
  openPage,
} from '../support/service/browser.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

const skip = NO_BROWSER ?? false

let service: TestService
let account: Client
let id: string
let maker: Record<string, string>
before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/EUR': '0.8' })
  await service.setPricing({ spread_bps: 100 })
  await service.setFees([
    { payout_type: 'conversion', fixed_amount: 100n, fee_currency: 'USD' },
    { payout_type: 'local', fixed_amount: 0n, fee_currency: 'USD' },
  ])
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 1_000_000n } })
  id = account.account.account_id
  await addPerson(service, { user: 'mia', roles: [[id, 'maker']] })
  maker = await logIn(service, 'mia')
})
after(() => service.close())

const look = (path: string) => service.inject({ url: `/console/${id}${path}`, headers: maker })
const send = (form: Record<string, string>) =>
  sendForm(service, maker, `/console/${id}/conversions/new`, form)

const PRICE = { step: 'price', from: 'USD', to: 'EUR', amount: '792.00', side: 'destination_info' }

const textOf = (page: string) =>
  page
    .replace(/[\s\S]*<main/, '')
    .replace(/<details class="calls">[\s\S]*/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&nbsp;|\s+/g, ' ')

/** The hidden fields of the form that converts; undefined without one. */
function formOf(page: string): Record<string, string> | undefined {
  const forms = page.match(/<form[\s\S]*?<\/form>/g) ?? []
  const found = forms.find(form => form.includes('value="convert"'))
  if (found === undefined) return undefined
  const pairs = [...found.matchAll(/name="(\w+)" value="([^"]*)"/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}

test('new conversion: price with rate, fee and what arrives; nothing moves before the button, which converts once', async () => {
  const before = await balancesOf(account)
  const review = await send(PRICE)
  assert.equal(review.status, 200, review.text)
  const words = textOf(review.text)
  for (const shown of [
    'Leaves your USD balance 1,001.00 USD',
    'Of which fees 1.00 USD',
    'Rate 1 USD = 0.792 EUR',
    'Arrives in your EUR balance 792.00 EUR',
    'Your balances now 10,000.00 USD',
    'It is final',
    'Convert 1,001.00 USD to 792.00 EUR',
  ]) {
    assert.ok(words.includes(shown), `${shown}: ${words}`)
  }
  assert.deepEqual(await balancesOf(account), before)
  const form = formOf(review.text) ?? assert.fail(review.text)
  const made = await send(form)
  assert.equal(made.status, 303, made.text)
  const again = await send(form)
  assert.equal(again.headers.location, made.headers.location, 'the same form acts once')
  assert.deepEqual(await balancesOf(account), { EUR: '79200', USD: '899900' })

  const place = String(made.headers.location).replace(`/console/${id}`, '')
  const page = textOf((await look(place)).text)
  assert.match(page, /The money is converted: both balances have moved\. USD to EUR/)
  assert.match(page, /Arrives in your EUR balance 792\.00 EUR .* Made by mia/)
  const list = textOf((await look('/conversions')).text)
  assert.match(list, /1,001\.00 USD 792\.00 EUR 1 USD = 0\.792 EUR mia/)
  const statement = textOf((await look('/transactions')).text)
  assert.match(statement, /Converted from another currency .*792\.00 EUR/)
  assert.match(statement, /Converted into another currency .*1,001\.00 USD/)
})

test('new conversion, most to take: the largest amount that costs no more', async () => {
  const words = textOf((await send({ ...PRICE, amount: '101', side: 'total_debit' })).text)
  assert.ok(words.includes('Arrives in your EUR balance 79.20 EUR'), words)
  assert.ok(words.includes('Leaves your USD balance 101.00 USD'), words)
})

test('new conversion, more than the balance: said in words, no button that converts', async () => {
  const { text } = await send({ ...PRICE, amount: '9,000.00' })
  assert.match(textOf(text), /Your USD balance has too little\./)
  assert.equal(formOf(text), undefined)
})

test('new conversion, amount that is none, and one currency twice: refused beside the field, nothing written', async () => {
  const wrong = await send({ ...PRICE, amount: 'a lot' })
  assert.equal(wrong.status, 400)
  assert.match(textOf(wrong.text), /“a lot” is not an amount in EUR\./)
  const same = await send({ ...PRICE, to: 'USD' })
  assert.equal(same.status, 400)
  assert.match(textOf(same.text), /To .* A conversion is between two different currencies\./)
})

test('new conversion, price that has ended or was used: no button that converts, a new price is offered', async () => {
  const used = formOf((await send(PRICE)).text) ?? assert.fail()
  const ended = formOf((await send(PRICE)).text) ?? assert.fail()
  assert.equal((await send(used)).status, 303)
  const late = await send({ ...used, key: 'another-key' })
  assert.equal(late.status, 422)
  assert.match(textOf(late.text), /This price was used\. Look at your conversions/)
  await account.post('/v3/sandbox/clock/advance', { seconds: 120 })
  const over = await send(ended)
  assert.equal(over.status, 422)
  assert.match(textOf(over.text), /This price is not valid any more\. .* See the price of now/)
  for (const { text } of [late, over]) assert.equal(formOf(text), undefined)
})

test('home and navigation: lead to conversions, unless the account has one currency', async () => {
  assert.match((await look('')).text, new RegExp(`href="/console/${id}/conversions/new"`))
  const one = await service.openAccount({ currencies: ['USD'] })
  const { account_id } = one.account
  await addPerson(service, { user: 'una', roles: [[account_id, 'maker']] })
  const headers = await logIn(service, 'una')
  const home = await service.inject({ url: `/console/${account_id}`, headers })
  assert.doesNotMatch(home.text, /\/conversions/)
  const page = await service.inject({ url: `/console/${account_id}/conversions/new`, headers })
  assert.match(textOf(page.text), /Your account has one currency\./)
})

test('new conversion in a browser, from home: four clicks, each step without faults of accessibility', {
  skip,
}, async () => {
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await openBrowser()
  const { page, context, faults } = await openPage(browser, address)
  await addSession(service, context, address, 'mia')
  let clicks = 0
  const click = async (selector: string) => {
    clicks += 1
    await page.locator(selector).first().click()
  }
  await page.goto(`/console/${id}`)
  await click('main >> text="Convert"')
  await page.fill('[name=amount]', '50')
  await assertAccessible(page, 'amount')
  await click('button:text("See the price")')
  await assertAccessible(page, 'price')
  await click('button:text("to 50.00 EUR")')
  await page.waitForURL(/\/conversions\/cnv_/)
  assert.ok(clicks <= 4, `${clicks} clicks`)
  assert.equal(await page.innerText('h1'), 'USD to EUR')
  await assertAccessible(page, 'conversion')
  assert.deepEqual(faults, [])
  await browser.close()
})
