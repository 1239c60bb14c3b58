// A history with every kind of payout, made through the real service, for tests that read whole books.
import assert from 'node:assert/strict'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { bankBeneficiary, internalPayout, yenBank } from '../support/given/bodies.ts'
import { operatorSets, pay } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

export interface History {
  readonly service: TestService
  readonly main: Client
  readonly sister: Client
  /** Payout ids by what has become of them; `internal` and `fx` have succeeded. */
  readonly payouts: Readonly<Record<Fate, string>>
  /** Entity ids of the main account. */
  readonly entities: Readonly<Record<Known, string>>
  /** A quote that nobody has used. */
  readonly open_quote: string
}

export type Fate =
  | 'processing'
  | 'held'
  | 'succeeded'
  | 'failed'
  | 'failed_after_hold'
  | 'reversed'
  | 'fx'
  | 'fx_failed'
  | 'fx_reversed'
  | 'internal'
  | 'internal_fx'
  | 'waiting'
  | 'internal_waiting'
  | 'internal_released'
  | 'swift'
  | 'answered'

/** `released` is approved too, after a payout had waited for it. */
export type Known = 'approved' | 'pending' | 'rejected' | 'business' | 'released'

/** Minor units that the simulator rail treats as named (§rail.simulator). */
const AMOUNTS = {
  processing: 100_000,
  held: 500_000,
  succeeded: 10_000,
  failed: 200_000,
  failed_after_hold: 400_000,
  reversed: 500_001,
} as const

/** An account that has paid in every way, another that has received, and one that has done nothing. */
export async function makeHistory(): Promise<History> {
  const service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'EUR/USD': '1.0873', 'EUR/HKD': '8.4917', 'EUR/JPY': '161.37' })
  await service.setFees([
    { payout_type: 'local', fixed_amount: 150n, variable_bps: 25 },
    { payout_type: 'service_account', fixed_amount: 40n },
  ])
  const fund = { USD: 100_000_000n, EUR: 50_000_000n }
  const main = await service.openAccount({ fund })
  await service.setLimits([
    { account_id: main.account.account_id, currency: 'USD', cap: 1_000_000_000n, hours: 24 },
    { account_id: null, currency: null, cap: 1_000_000n, hours: 744 },
  ])
  const sister = await service.openAccount({ fund: { EUR: 7n } })
  await service.openAccount()
  const paid = async (body: object): Promise<string> => (await pay(main, body)).id
  const payouts: Partial<Record<Fate, string>> = {}
  for (const [fate, amount] of Object.entries(AMOUNTS)) {
    payouts[fate as Fate] = await paid({ amount })
  }
  payouts.fx = await payWithQuote(main, 123_457)
  payouts.fx_failed = await payWithQuote(main, 200_001)
  payouts.fx_reversed = await payWithQuote(main, 500_003)
  const address = sister.account.deposit_address
  payouts.internal = await paid(internalPayout(address, 20_000))
  payouts.internal_fx = await paid({
    ...internalPayout(address, 31_415, 'HKD'),
    holding_currency: 'EUR',
  })
  const entities = await makeEntities(service, main)
  const waiting = { amount: 1_000, on_behalf_of: entities.pending }
  payouts.waiting = await paid(waiting)
  const cousin = await service.openAccount()
  const sent = (amount: number) => internalPayout(cousin.account.deposit_address, amount)
  payouts.internal_waiting = await paid({ ...sent(750), on_behalf_of: entities.pending })
  payouts.internal_released = await paid({ ...sent(2_500), on_behalf_of: entities.released })
  assert.equal((await review(service, main, entities.released, 'approved')).status, 200)
  payouts.swift = await paid({ type: 'swift', amount: 77_700 })
  payouts.answered = await paid({ amount: 3_000 })
  await answer(service, main, payouts.answered)
  const open = await main.post('/v3/payout/quote', { payout_info: { currency: 'USD', amount: 99 } })
  for (let round = 0; round < 10; round++) if ((await settleOnce(service.deps)) === 0) break
  return {
    service,
    main,
    sister,
    payouts: payouts as Record<Fate, string>,
    entities,
    open_quote: open.json.id,
  }
}

/** The operator asks, and the account answers. */
async function answer(service: TestService, main: Client, payout_id: string): Promise<void> {
  await operatorSets(service, main, payout_id, 'requires_action')
  const answered = await main.post(`/v3/payout/${payout_id}/action`, { note: 'As asked.' })
  assert.equal(answered.status, 200, answered.text)
}

async function makeEntities(service: TestService, main: Client): Promise<Record<Known, string>> {
  const create = async (body: object): Promise<string> => {
    const answer = await main.post('/v3/entity', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data.id
  }
  const person = (name: string) =>
    create({ type: 'individual', name, email: `${name}@example.com`, reference_id: name })
  const company = { type: 'business', name: 'Harbour', registration_number: '2041-7' }
  const entities = {
    approved: await person('anna'),
    pending: await person('boris'),
    rejected: await person('clara'),
    released: await person('dora'),
    business: await create({ ...company, registration_address: { country: 'HK' } }),
  }
  assert.equal((await review(service, main, entities.approved, 'approved')).status, 200)
  assert.equal((await review(service, main, entities.rejected, 'rejected')).status, 200)
  return entities
}

const inJapan = {
  ...bankBeneficiary,
  destination_details: { type: 'bank', bank: yenBank },
}

/** Converted twice: euros held, Hong Kong dollars paid, yen received. */
async function payWithQuote(client: Client, amount: number): Promise<string> {
  const quote = await client.post('/v3/payout/quote', {
    payout_info: { currency: 'HKD', amount },
    holding_info: { currency: 'EUR' },
    destination_info: { currency: 'JPY', country: 'JP' },
  })
  assert.equal(quote.status, 200, quote.text)
  const terms = { amount, currency: 'HKD', quote: quote.json.id }
  return (await pay(client, { ...terms, beneficiary_details: inJapan })).id
}
