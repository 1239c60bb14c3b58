// What a live account is priced by on its first day: nothing that came with the product, nothing by
// omission, nothing old. One row a point: who asks for what, and the answer; a refusal leaves every
// row as it was.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { VOCABULARY } from '../../src/operator/fee-vocabulary.ts'
import { loadDefaultFees } from '../../src/prices/fee/load.ts'
import { upsertFees } from '../../src/prices/fee/store.ts'
import { loadDefaultRates } from '../../src/prices/rate/load.ts'
import { upsertRates } from '../../src/prices/rate/store.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService } from '../support/service/service.ts'

const QUOTE = '/v3/payout/quote'
const PAYOUT = '/v3/payout'

const service = await startTestService()
await service.setRoutes([{}])
const some = { currencies: ['USD', 'EUR'], fund: { USD: 10_000_000n, EUR: 10_000_000n } }
const live = await service.openAccount({ ...some, sandbox: false })
const sandbox = await service.openAccount(some)
after(() => service.close())

/** Rates and fees as a first start leaves them. */
async function asShipped(): Promise<void> {
  const { owner } = service.database
  await owner`delete from rates`
  await owner`delete from fees`
  await upsertRates(service.deps.sql, await loadDefaultRates())
  await upsertFees(service.deps.sql, await loadDefaultFees(VOCABULARY))
  await service.deps.reference.refresh()
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const usd = { payout_info: { currency: 'USD', amount: 10_000 } }
const hkd = { payout_info: { currency: 'HKD', amount: 78_100 }, holding_info: { currency: 'USD' } }
const payUsd = { ...localPayout, currency: 'USD', amount: 10_000 }
const payHkd = { ...localPayout, currency: 'HKD', amount: 78_100, holding_currency: 'USD' }

interface Point {
  readonly what: string
  /** What the operator has done since the first start. */
  readonly given?: () => Promise<void>
  readonly path: string
  readonly body: object
  readonly live: readonly [status: number, figure: string | number]
  readonly sandbox: readonly [status: number, figure: string | number]
}

const FREE = { fixed_amount: 0n }
/** A figure is the fixed fee in the holding currency, or the rate where the body converts. */
const POINTS: readonly Point[] = [
  {
    what: 'sample fees: live account refused, sandbox priced',
    path: QUOTE,
    body: usd,
    live: [422, 'fee_unavailable'],
    sandbox: [200, 100],
  },
  {
    what: 'sample fees: payout refused too',
    path: PAYOUT,
    body: payUsd,
    live: [422, 'fee_unavailable'],
    sandbox: [200, 100],
  },
  {
    what: 'no fee: live account refused, sandbox pays zero',
    given: () => service.setFees([]),
    path: QUOTE,
    body: usd,
    live: [422, 'fee_unavailable'],
    sandbox: [200, 0],
  },
  {
    what: 'a fee of zero set by the operator: both priced by it',
    given: () => service.setFees([FREE]),
    path: PAYOUT,
    body: payUsd,
    live: [200, 0],
    sandbox: [200, 0],
  },
  {
    what: 'a payout between accounts, sample fee zero: refused until the operator sets one',
    path: QUOTE,
    body: { ...usd, payout_type: 'service_account' },
    live: [422, 'fee_unavailable'],
    sandbox: [200, 0],
  },
  {
    what: 'sample rates: live account refused',
    given: () => service.setFees([FREE]),
    path: QUOTE,
    body: hkd,
    live: [422, 'rate_unavailable'],
    sandbox: [200, '7.84790132221'],
  },
  {
    what: 'sample rates: payout refused too',
    given: () => service.setFees([FREE]),
    path: PAYOUT,
    body: payHkd,
    live: [422, 'rate_unavailable'],
    sandbox: [200, '7.84790132221'],
  },
  {
    what: "an operator's rate for one side of a cross, a sample for the other: refused",
    given: async () => {
      await service.setFees([FREE])
      await service.setRates({ 'EUR/USD': '1.1' })
    },
    path: QUOTE,
    body: hkd,
    live: [422, 'rate_unavailable'],
    sandbox: [200, '8.03981818181'],
  },
  {
    what: "an operator's rate in the inverse direction: replaces the sample for both",
    given: async () => {
      await service.setFees([FREE])
      await service.setRates({ 'USD/EUR': '0.8', 'EUR/HKD': '10' })
    },
    path: QUOTE,
    body: hkd,
    live: [200, '8'],
    sandbox: [200, '8'],
  },
  {
    what: 'an old rate: live account refused, sandbox quoted',
    given: async () => {
      await service.setFees([FREE])
      await service.setRates({ 'USD/HKD': '7.81' }, daysAgo(30))
    },
    path: QUOTE,
    body: hkd,
    live: [503, 'rate_stale'],
    sandbox: [200, '7.81'],
  },
]

for (const { what, given, path, body, ...expected } of POINTS) {
  test(`POST ${path}, ${what}`, async () => {
    await asShipped()
    await given?.()
    for (const [account, [status, figure]] of [
      [live, expected.live],
      [sandbox, expected.sandbox],
    ] as const) {
      const before = await rowVersions(service.database.owner)
      const answer = await account.post(path, body)
      if (status === 200) {
        assert.equal(answer.status, 200, answer.text)
        assert.equal(await figureOf(account, answer.json, typeof figure), figure)
      } else {
        assertRefused(answer, status, String(figure))
        assert.deepEqual(await rowVersions(service.database.owner), before)
      }
    }
  })
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
async function figureOf(account: Client, made: any, kind: string): Promise<unknown> {
  const quote =
    made.data === undefined ? made : (await account.get(`${QUOTE}/${made.data.quote}`)).json
  return kind === 'string'
    ? String(quote.exchange_rates.holding_to_payout)
    : quote.fee_info.fixed.in_holding_currency
}

test(`POST ${QUOTE}, live account without a fee row: the message names the missing row`, async () => {
  await service.setFees([])
  const answer = await live.post(QUOTE, {
    ...usd,
    destination_info: { currency: 'USD', country: 'US' },
    payout_type: 'swift',
    swift: { charge_type: 'ours' },
  })
  const message =
    'No fee is set for a payout by swift, payout_currency USD, destination_country US, ' +
    'charge_type ours.'
  assert.equal(answer.json.message, message)
})
