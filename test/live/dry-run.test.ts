// POST /v3/payout?dry_run=true: everything that a payout would be refused for, what it would cost, and
// no row written. The first refusal is always that of the creation itself.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout, plainEntity } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type Client, startTestService } from '../support/service/service.ts'

const PATH = '/v3/payout'

const service = await startTestService()
await service.setRates({ 'USD/HKD': '8' })
const account = await service.openAccount({
  currencies: ['USD', 'EUR'],
  fund: { USD: 100_000n },
  duplicate_window_s: 600,
})
const live = await service.openAccount({ currencies: ['USD'], sandbox: false })
after(() => service.close())

const bank = { ...localPayout.beneficiary_details.destination_details.bank, currency: 'HKD' }
const toHongKong = {
  ...localPayout,
  amount: 80_000,
  currency: 'HKD',
  holding_currency: 'USD',
  beneficiary_details: {
    ...localPayout.beneficiary_details,
    destination_details: { type: 'bank', bank },
  },
}

interface Row {
  readonly what: string
  readonly by?: () => Client
  readonly body: object
  readonly reasons: readonly string[]
  readonly priced: boolean
}

const ROWS: readonly Row[] = [
  { what: 'nothing wrong', body: toHongKong, reasons: [], priced: true },
  {
    what: 'unknown entity, price too high, balance too low',
    body: {
      ...toHongKong,
      amount: 1_000_000,
      max_total_debit: 1,
      on_behalf_of: 'ent_00000000000000000000',
    },
    reasons: ['entity_not_found', 'max_total_debit_exceeded', 'insufficient_balance'],
    priced: true,
  },
  {
    what: 'unknown quote, unknown beneficiary',
    body: {
      ...toHongKong,
      quote: 'poq_00000000000000000000',
      beneficiary_details: undefined,
      beneficiary: 'bnf_00000000000000000000',
    },
    reasons: ['not_found', 'beneficiary_not_found'],
    priced: false,
  },
  {
    what: 'a live account without route and rate',
    by: () => live,
    body: { ...toHongKong, currency: 'JPY' },
    reasons: ['route_unavailable', 'rate_unavailable', 'fee_unavailable'],
    priced: false,
  },
]

/** By SWIFT, which needs the beneficiary's address, whatever the country. */
const bySwift = (bank: object, more: object = {}) => ({
  ...toHongKong,
  type: 'swift',
  local: undefined,
  beneficiary_details: {
    name: 'Harbour Trading Ltd',
    type: 'business',
    destination_details: { type: 'bank', bank: { currency: 'HKD', ...bank } },
    ...more,
  },
})

const IBAN = 'DE89370400440532013000'
const ADDRESS = ['address.city', 'address.country']
const at = (path: string) => `beneficiary_details.destination_details.bank.${path}`

/** What is wrong with a bank, and everything that is said of it. */
const LACKING: readonly (readonly [what: string, body: object, remarks: readonly string[]])[] = [
  [
    'the country is not the IBAN’s, and no address',
    bySwift({ iban: IBAN, country: 'FR', bank_codes: { swift_code: 'COBADEFF' } }),
    [at('country'), ...ADDRESS],
  ],
  [
    'no such currency: its requirements not reported',
    bySwift({ iban: IBAN, currency: 'XXQ' }),
    [at('currency')],
  ],
]

for (const [what, body, remarks] of LACKING) {
  test(`POST ${PATH}?dry_run=true, ${what}: every fault reported as by a creation; no row changes`, async () => {
    const before = await rowVersions(service.database.owner)
    const tried = await account.post(`${PATH}?dry_run=true`, body)
    const told = tried.json.data.errors.map((error: { remarks: string }) => error.remarks)
    const expected = remarks.map(path => path.replace(/^address/, 'beneficiary_details.address'))
    assert.deepEqual(told.toSorted(), expected.toSorted(), tried.text)
    const made = await account.post(PATH, body)
    assert.equal(made.status, 400)
    assert.deepEqual(made.json.errors, tried.json.data.errors)
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}

for (const { what, by = () => account, body, reasons, priced } of ROWS) {
  const verdict = reasons.length === 0 ? 'would_create' : `would_refuse, ${reasons.join(', ')}`
  test(`POST ${PATH}?dry_run=true, ${what}: ${verdict}; no row changes`, async () => {
    const before = await rowVersions(service.database.owner)
    const answer = await by().post(`${PATH}?dry_run=true`, body)
    assert.equal(answer.status, 200, answer.text)
    const { object, outcome, errors, price, complete } = answer.json.data
    assert.equal(object, 'payout_dry_run')
    const found = errors.map((error: { reason: string }) => error.reason)
    assert.deepEqual(found, reasons)
    assert.equal(outcome, reasons.length === 0 ? 'would_create' : 'would_refuse')
    assert.deepEqual([price !== null, complete], [priced, priced])
    assert.deepEqual(await rowVersions(service.database.owner), before)
    if (reasons.length === 0) return
    // The creation says the first of them, at the same member.
    const created = await by().post(PATH, body)
    assert.deepEqual(created.json.errors[0], errors[0], created.text)
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}

test(`POST ${PATH}?dry_run=true, then without it: same price and rail in both answers`, async () => {
  const { price, rail } = (await account.post(`${PATH}?dry_run=true`, toHongKong)).json.data
  assert.deepEqual(price.available, { currency: 'USD', amount: '100000' })
  const made = await account.post(PATH, toHongKong)
  assert.equal(made.status, 200, made.text)
  assert.equal(rail, 'simulator')
  const quote = (await account.get(`/v3/payout/quote/${made.json.data.quote}`)).json
  for (const member of ['holding_info', 'payout_info', 'destination_info', 'fee_info']) {
    assert.deepEqual(price[member], quote[member], member)
  }
  assert.deepEqual(price.exchange_rates, quote.exchange_rates)
  const left = (await account.get('/v3/balance')).json.data.available
  const usd = left.find((balance: { currency: string }) => balance.currency === 'USD')
  assert.equal(Number(usd.amount), 100_000 - price.total_debit.amount)

  // A second like it: told by both.
  const again = await account.post(`${PATH}?dry_run=true`, toHongKong)
  assert.equal(again.json.data.errors[0].reason, 'possible_duplicate_payout')
  assertRefused(await account.post(PATH, toHongKong), 409, 'possible_duplicate_payout')
})

test(`POST ${PATH}?dry_run=true with a quote: the quote's price; the quote stays active`, async () => {
  const asked = {
    payout_info: { currency: 'HKD', amount: 8_000 },
    holding_info: { currency: 'USD' },
  }
  const quote = (await account.post(`${PATH}/quote`, asked)).json
  const body = { ...toHongKong, amount: 8_000, quote: quote.id, reference_id: 'other' }
  const tried = await account.post(`${PATH}?dry_run=true`, body)
  assert.equal(tried.json.data.outcome, 'would_create', tried.text)
  assert.deepEqual(tried.json.data.price.holding_info, quote.holding_info)
  assert.equal((await account.get(`${PATH}/quote/${quote.id}`)).json.status, 'active')
  assert.equal((await account.post(PATH, body)).status, 200)
  const used = await account.post(`${PATH}?dry_run=true`, { ...body, amount: 1 })
  const reasons = used.json.data.errors.map((error: { reason: string }) => error.reason)
  assert.deepEqual(reasons, ['quote_used', 'quote_mismatch'])
})

test(`POST ${PATH}?dry_run=true, entity in review: would_hold`, async () => {
  const { id } = (await account.post('/v3/entity', plainEntity)).json.data
  const body = { ...toHongKong, on_behalf_of: id, reference_id: 'held' }
  const { outcome, held_for } = (await account.post(`${PATH}?dry_run=true`, body)).json.data
  assert.deepEqual([outcome, held_for], ['would_hold', id])
})

test(`POST ${PATH}?dry_run=true, rule of two approvers: would_await_approval; the real payout: pending_approval`, async () => {
  const { account_id } = account.account
  const remove = await addApprovalRule(service, { account_id, approvers: 2 })
  await service.deps.reference.refresh()
  const body = { ...toHongKong, reference_id: 'approved by two' }
  const before = await rowVersions(service.database.owner)
  const dry = (await account.post(`${PATH}?dry_run=true`, body)).json.data
  assert.deepEqual([dry.outcome, dry.approvals_needed], ['would_await_approval', 2])
  const batch = { payouts: [body], dry_run: true }
  const [foreseen] = (await account.post(`${PATH}_batch`, batch)).json.data.payouts
  assert.deepEqual([foreseen.outcome, foreseen.approvals_needed], ['would_await_approval', 2])
  assert.deepEqual(await rowVersions(service.database.owner), before)
  assert.equal((await account.post(PATH, body)).json.data.status, 'pending_approval')
  await remove()
  await service.deps.reference.refresh()
  const again = { ...body, reference_id: 'approved by nobody' }
  const free = (await account.post(`${PATH}?dry_run=true`, again)).json.data
  assert.deepEqual([free.outcome, free.approvals_needed], ['would_create', 0])
})

test(`POST ${PATH}?dry_run=…, value that is no boolean, or a body that is no payout: 400`, async () => {
  const odd = await account.post(`${PATH}?dry_run=yes`, toHongKong)
  assertRefused(odd, 400, 'invalid_query_parameter')
  assertRefused(await account.post(`${PATH}?dry_run=true`, { x: 1 }), 400, 'invalid_field')
})

test(`POST ${PATH}?dry_run=true, SEPA IBAN with a BIC of another country: would_create, with a warning`, async () => {
  const euros = await service.openAccount({ currencies: ['EUR'], fund: { EUR: 100_000n } })
  const bodyWith = (swift_code: string) => ({
    ...toHongKong,
    ...{ currency: 'EUR', holding_currency: 'EUR', local: { fund_transfer_network: 'sepa' } },
    beneficiary_details: {
      ...toHongKong.beneficiary_details,
      destination_details: {
        type: 'bank',
        bank: { iban: 'ES9121000418450200051332', bank_codes: { swift_code } },
      },
    },
  })
  const warningsOf = async (swift_code: string) => {
    const { data } = (await euros.post(`${PATH}?dry_run=true`, bodyWith(swift_code))).json
    assert.equal(data.outcome, 'would_create')
    return data.warnings
  }
  assert.match(
    (await warningsOf('REVOLT21')).join(),
    /IBAN is of ES, the BIC in swift_code is of LT/,
  )
  assert.deepEqual(await warningsOf('CAIXESBB'), [])
})
