// POST /v3/payout/options, over HTTP: nothing is written, each option can be quoted as it is, and the
// figures of rails are those of payouts that ended.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { measureRails } from '../../src/app/worker/measure-rails.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addPerson, type Client, startTestService } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { railOf, report } from '../support/service/settling.ts'

const PATH = '/v3/payout/options'

const service = await startTestService({ simulator_delay_ms: 0 })
await service.setRates({ 'EUR/USD': '1.25', 'USD/HKD': '8' })
await service.setFees([
  { payout_type: 'swift', charge_type: 'ours', fee_currency: 'USD', fixed_amount: 900n },
  { payout_type: 'local', fee_currency: 'USD', fixed_amount: 20n },
  { payout_type: 'local', network: 'target2', fee_currency: 'USD', fixed_amount: 500n },
])
const fund = { USD: 100_000_000n }
const live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
const sandbox = await service.openAccount({ currencies: ['USD'], fund })
after(() => service.close())

const euro = { payout_info: { currency: 'EUR', amount: 100_003 } }

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
type Option = any

async function optionsOf(account: Client, body: object): Promise<Option[]> {
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.options
}

test(`POST ${PATH}: each possible option priced as by POST quote; others refused with the error of the quote`, async () => {
  await service.setRoutes([{ rail: 'bank' }, { currency: 'EUR', rail: 'second' }])
  const before = await rowVersions(service.database.owner)
  const options = await optionsOf(live, euro)
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const possible = options.filter(({ possible }) => possible)
  assert.ok(possible.length >= 4 && possible.length < options.length)
  const debits = possible.map(({ price }) => price.total_debit.amount)
  assert.deepEqual(
    debits,
    debits.toSorted((a, b) => a - b),
  )
  for (const option of options) {
    const quoted = await live.post('/v3/payout/quote', option.quote_request)
    if (!option.possible) {
      assert.deepEqual([quoted.status >= 400, option.price], [true, null])
      assert.deepEqual(quoted.json.errors, option.errors)
      continue
    }
    assert.equal(quoted.status, 200, quoted.text)
    const { total_debit, ...price } = option.price
    assert.partialDeepStrictEqual(quoted.json, price)
    const { holding_info, fee_info } = quoted.json
    const fees = fee_info.fixed.in_holding_currency + fee_info.variable.in_holding_currency
    assert.deepEqual(total_debit, { currency: 'USD', amount: holding_info.amount + fees })
    assert.deepEqual([option.rail, option.failover], ['second', ['bank']])
  }
})

test(`POST ${PATH}, sandbox: only the simulator, at the prices of its quotes`, async () => {
  const [best] = await optionsOf(sandbox, euro)
  assert.deepEqual([best.rail, best.failover, best.rail_figures], ['simulator', [], null])
  const quoted = await sandbox.post('/v3/payout/quote', best.quote_request)
  assert.deepEqual(quoted.json.holding_info, best.price.holding_info)
})

test(`POST ${PATH}, figures of a rail: from its ended payouts, without payouts that it did not take`, async () => {
  await service.setRoutes([{ rail: 'bank' }])
  const pay = async () => {
    const paid = await live.post('/v3/payout', localPayout)
    assert.equal(paid.status, 200, paid.text)
    return paid.json.data.id as string
  }
  const ids = [await pay(), await pay(), await pay()]
  const failure = { code: 'X', category: 'rail', message: 'No.' }
  const bank = railOf({
    submit: ({ id }) =>
      Promise.resolve(
        id === ids[0]
          ? { steps: [{ status: 'failed', failure }], ask_again_in_ms: null }
          : report('succeeded'),
      ),
  })
  await settleOnce({ ...service.deps, rails: new Map([['bank', bank]]) })
  const cancelled = await pay()
  assert.equal((await live.post(`/v3/payout/${cancelled}/cancel`, {})).status, 200)
  // Two took long: the lower median is the shorter one of the two.
  const { owner } = service.database
  const waited = [10, 12_345] as const
  for (const [i, seconds] of waited.entries()) {
    await owner`
      update payout_outcomes
      set updated_at = (select created_at from payouts where id = ${ids[i + 1] ?? ''})
        + make_interval(secs => ${seconds})
      where id = ${ids[i + 1] ?? ''}`
  }
  await measureRails(service.deps)
  const [best] = await optionsOf(live, euro)
  assert.deepEqual(best.rail_figures, {
    days: 90,
    payouts: 3,
    succeeded: 2,
    success_rate_bps: 6_666,
    median_seconds: 10,
  })
  await owner`update payout_outcomes set updated_at = updated_at + interval '1 day'
    where id = ${ids[1] ?? ''}`
  await measureRails(service.deps)
  const [later] = await optionsOf(live, euro)
  // Three digits of the seconds are kept.
  assert.equal(later.rail_figures.median_seconds, 12_300)
  await owner`update payout_outcomes set updated_at = updated_at - interval '1 day'
    where id = ${ids[1] ?? ''}`
  await measureRails(service.deps)
  const auditor = await addPerson(service, { user: 'grace', role: 'auditor' })
  const url = '/v3/operator/rail_figures'
  const { json } = await service.inject({ url, headers: auditor.headers() })
  const figures = { payouts: 3, succeeded: 2, success_rate_bps: 6_666 }
  const took = { median_seconds: 10, p95_seconds: 12_300 }
  assert.deepEqual(
    json.data.results,
    [1, 7, 30].map(days => ({ rail: 'bank', days, ...figures, ...took })),
  )
  const page = { url: '/console/installation/rails', headers: await logIn(service, 'grace') }
  assert.match((await service.inject(page)).text, /66\.66&nbsp;% of&nbsp;3[\s\S]*10 s, 3 h/)
})

test(`POST ${PATH}, no option can be priced: 400 with every field; unknown entity: 404`, async () => {
  const wrong = {
    payout_info: { currency: 'EUX', amount: 1 },
    holding_info: { currency: 'CHF' },
    destination_info: { currency: 'EUR', country: 'XX' },
  }
  assertProblems(await live.post(PATH, wrong), 400, [
    ['currency', 'payout_info.currency'],
    ['invalid_field', 'destination_info.country'],
    ['holding_currency_not_found', 'holding_info.currency'],
  ])
  const entity_id = `ent_${'0'.repeat(20)}`
  assertRefused(await live.post(PATH, { ...euro, entity_id }), 404, 'entity_not_found', 'entity_id')
})
