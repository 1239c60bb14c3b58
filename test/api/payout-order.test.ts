// GET /v3/payout?sort and GET /v3/payout/totals: order and sums of the payouts that filters fit, up to
// a bound.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { pay } from '../support/service/payouts.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

const PATH = '/v3/payout'
const AMOUNTS = [30_000, 10_000, 50_000, 20_000, 40_000]

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  await service.setFees([{ fixed_amount: 100n }])
  await service.setRates({ 'USD/EUR': '0.8' })
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 100_000_000n } })
  for (const [i, amount] of AMOUNTS.entries()) await payOne(amount, `INV-${i}`, 'Anna Schmidt')
  await pay(account, { amount: 1, currency: 'EUR', holding_currency: 'USD', reference_id: 'euro' })
})
after(() => service.close())

const payOne = (amount: number, reference_id: string, name: string) =>
  pay(account, {
    ...{ amount, reference_id },
    beneficiary_details: { ...localPayout.beneficiary_details, name },
  })

type Shown = { readonly id: string; readonly amount: number; readonly currency: string }

async function pages(query: string): Promise<Shown[]> {
  const all: Shown[] = []
  for (let after = ''; ; ) {
    const { status, text, json } = await account.get(`${PATH}?limit=2&${query}${after}`)
    assert.equal(status, 200, text)
    all.push(...json.data.results)
    if (!json.data.has_more) return all
    after = `&starting_after=${all.at(-1)?.id}`
  }
}

const amountsOf = (payouts: readonly Shown[]) => payouts.map(({ amount }) => amount)

test(`GET ${PATH}, sort by amount: by currency, then by amount, over pages of any size`, async () => {
  const sorted = AMOUNTS.toSorted((a, b) => a - b)
  assert.deepEqual(amountsOf(await pages('sort=amount')), [1, ...sorted])
  assert.deepEqual(amountsOf(await pages('sort=-amount&currency=USD')), sorted.toReversed())
  const oldest = await pages('sort=created_at')
  assert.deepEqual(amountsOf(oldest), [...AMOUNTS, 1])
  const [first, second, third] = await pages('sort=amount&currency=USD')
  const { json } = await account.get(
    `${PATH}?sort=amount&currency=USD&limit=1&ending_before=${third?.id}`,
  )
  assert.deepEqual([json.data.results[0].id, json.data.has_more], [second?.id, true])
  const back = await account.get(`${PATH}?sort=amount&currency=USD&ending_before=${second?.id}`)
  assert.deepEqual(
    [back.json.data.results[0].id, back.json.data.results.length, back.json.data.has_more],
    [first?.id, 1, false],
  )
  const named = await pages('sort=amount&beneficiary_name=anna')
  assert.deepEqual(amountsOf(named), sorted)
})

test(`GET ${PATH}, sort unknown, or by a cursor of another list: refused by name`, async () => {
  assertRefused(await account.get(`${PATH}?sort=name`), 400, 'invalid_query_parameter', 'sort')
  const [euro] = await pages('currency=EUR')
  const lost = await account.get(`${PATH}?sort=amount&currency=USD&starting_after=${euro?.id}`)
  assertRefused(lost, 400, 'invalid_query_parameter', 'starting_after')
})

test(`GET ${PATH}/totals: sums of paid, debited and fees by currency, of what the filters fit`, async () => {
  const totals = async (query: string) => (await account.get(`${PATH}/totals?${query}`)).json.data
  const { paid, debited, count, complete } = await totals('')
  assert.deepEqual([count, complete], [6, true])
  assert.deepEqual(
    new Map(paid.map((one: Shown) => [one.currency, one.amount])),
    new Map([
      ['EUR', '1'],
      ['USD', '150000'],
    ]),
  )
  // The euro cent costs two US cents, rounded up.
  assert.deepEqual(debited, [{ currency: 'USD', amount: '150602', fees: '600' }])
  const one = await totals('reference_id=INV-2')
  assert.deepEqual([one.count, one.paid], [1, [{ currency: 'USD', amount: '50000' }]])
  const none = await totals('reference_id=none')
  assert.deepEqual([none.count, none.paid, none.debited], [0, [], []])
  const wrong = await account.get(`${PATH}/totals?sort=amount`)
  assertRefused(wrong, 400, 'invalid_query_parameter', 'sort')
})

test('more than 2,000 payouts: not sorted, summed in part and said so; narrowed by a filter: both', async () => {
  const many = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  const item = (n: number) => ({ ...localPayout, amount: 100 + n, reference_id: `many-${n}` })
  for (let from = 0; from < 2_001; from += 1_000) {
    const payouts = Array.from({ length: Math.min(1_000, 2_001 - from) }, (_, i) => item(from + i))
    const made = await many.post('/v3/payout_batch', { payouts })
    assert.equal(made.status, 200, made.text.slice(0, 300))
  }
  const refused = await many.get(`${PATH}?sort=-amount`)
  assertRefused(refused, 400, 'invalid_query_parameter', 'sort')
  const { json } = await many.get(`${PATH}/totals`)
  assert.deepEqual([json.data.complete, json.data.count], [false, 2_000])
  const narrow = await many.get(`${PATH}?sort=-amount&reference_id=many-7`)
  assert.deepEqual(amountsOf(narrow.json.data.results), [107])
})

test('payouts page, ordered and filtered: rows, totals and CSV in that order', async () => {
  const { account_id } = account.account
  await addPerson(service, { user: 'ada', roles: [[account_id, 'viewer']] })
  const headers = await logIn(service, 'ada')
  const look = async (path: string) => {
    const answer = await service.inject({ url: `/console/${account_id}${path}`, headers })
    assert.equal(answer.status, 200, answer.text)
    return answer.text
      .replace(/&nbsp;/g, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
  }
  const page = await look('/payouts?beneficiary_name=anna&sort=-amount')
  assert.match(
    page,
    /5 payouts: paid 1,500\.00 USD , debited 1,505\.00 USD , of which fees 5\.00 USD/,
  )
  const order = [...page.matchAll(/Anna Schmidt ([\d.]+) USD/g)].map(([, amount]) => amount)
  assert.deepEqual(order, ['500.00', '400.00', '300.00', '200.00', '100.00'])
  const csv = await look('/payouts.csv?beneficiary_name=anna&sort=-amount')
  const rows = [...csv.matchAll(/Anna Schmidt,([\d.]+),USD/g)].map(([, amount]) => amount)
  assert.deepEqual(rows, order)
})
