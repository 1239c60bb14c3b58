// Payouts that the bank of each route could not carry: refused before they are made, with the member;
// a second name that the bank reads, or a route that takes any name, makes them payable.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { RAIL_KINDS } from '../../src/adapters/registry.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import { assertProblems, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
after(() => service.close())

async function addRail(name: string, profile: string): Promise<void> {
  const kind = RAIL_KINDS.find(known => known.name === 'iso20022')
  const config = { ...(kind?.example as object), profile }
  const row = {
    name,
    kind: 'iso20022',
    config,
    secret: '',
    paused_reason: 'a second name never requested',
  } as const
  await insertRail(service.deps.sql, row)
}

await addRail('sepa_bank', 'sepa')
await addRail('any_bank', 'generic')
await service.setFees([{ payout_type: 'local', fixed_amount: 100n, fee_currency: 'EUR' }])
await service.setRoutes([
  { payout_type: 'local', currency: 'EUR', network: 'sepa', rail: 'sepa_bank' },
  { payout_type: 'local', currency: 'EUR', network: 'sepa_instant', rail: 'sepa_bank' },
  { payout_type: 'local', currency: 'EUR', network: 'target2', rail: 'sepa_bank', priority: 7 },
  { payout_type: 'local', currency: 'EUR', network: 'target2', rail: 'manual' },
  { payout_type: 'local', currency: 'EUR', country: 'NL', rail: 'any_bank' },
])
const account = await service.openAccount({
  currencies: ['EUR'],
  fund: { EUR: 100_000_000n },
  sandbox: false,
})

const LONG = `Harbour ${'Trading '.repeat(9)}Ltd`
const payee = (name: string, more: object = {}) => ({
  ...{ name, type: 'business', address: { city: 'Berlin', country: 'DE' }, ...more },
  destination_details: {
    type: 'bank',
    bank: { iban: 'DE89370400440532013000', bank_codes: { swift_code: 'COBADEFFXXX' } },
  },
})
const payoutTo = (beneficiary_details: object, network = 'sepa') => ({
  ...localPayout,
  ...{ currency: 'EUR', local: { fund_transfer_network: network }, beneficiary_details },
})

for (const [what, name] of [
  ['a name in letters that the bank does not read', '株式会社山田商事'],
  ['a name of 80 characters over SEPA', LONG],
] as const) {
  test(`POST /v3/payout, ${what}: 400 at the name, inline and as a dry run; by id: 400 at beneficiary; no row changes`, async () => {
    const stored = (await account.post('/v3/beneficiary', payee(name))).json.data.id
    const inline = payoutTo(payee(name))
    const { beneficiary_details: _, ...rest } = inline
    const before = await rowVersions(service.database.owner)
    const at = 'beneficiary_details.name'
    assertProblems(await account.post('/v3/payout', inline), 400, [['invalid_field', at]])
    const dry = (await account.post('/v3/payout?dry_run=true', inline)).json.data
    assert.deepEqual([dry.outcome, dry.errors[0].remarks], ['would_refuse', at])
    const named = await account.post('/v3/payout', { ...rest, beneficiary: stored })
    assertProblems(named, 400, [['invalid_field', 'beneficiary']])
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })

  test(`POST /v3/payout, ${what}, with name_local in letters of the bank: accepted`, async () => {
    const made = await account.post('/v3/payout', payoutTo(payee(name, { name_local: 'Yamada' })))
    assert.equal(made.status, 200, made.text)
  })

  test(`POST /v3/payout, ${what}, another route can carry it: accepted`, async () => {
    const made = await account.post('/v3/payout', payoutTo(payee(name), 'target2'))
    assert.equal(made.status, 200, made.text)
  })
}

test("POST /v3/payout, entity's name in letters outside the bank's set: 400 at on_behalf_of", async () => {
  const entity = { type: 'business', name: '株式会社山田商事' }
  const { id } = (await account.post('/v3/entity', entity)).json.data
  const body = { ...payoutTo(payee('Harbour Trading Ltd')), on_behalf_of: id }
  const answer = await account.post('/v3/payout', body)
  assertProblems(answer, 400, [['invalid_field', 'on_behalf_of']])
})

test('POST /v3/payout, payee without a town, bank requires it: 400 at address.city', async () => {
  const { destination_details: _, ...party } = payee('Harbour', { address: { country: 'NL' } })
  const bank = { iban: 'NL91ABNA0417164300' }
  const details = { ...party, destination_details: { type: 'bank', bank } }
  const answer = await account.post('/v3/payout', { ...payoutTo(details), local: undefined })
  assertProblems(answer, 400, [['invalid_field', 'beneficiary_details.address.city']])
})

test('POST /v3/payout, payee without an address over a SEPA bank: accepted', async () => {
  const made = await account.post('/v3/payout', payoutTo(payee('Harbour', { address: {} })))
  assert.equal(made.status, 200, made.text)
})

test('GET /v3/payout/requirements: lists name_local and when a bank receives it', async () => {
  const { json } = await account.get('/v3/payout/requirements?currency=EUR&network=sepa')
  const [{ fields }] = json.data.alternatives
  const second = fields.find(({ path }: { path: string }) => path === 'name_local')
  assert.equal(second.required, false)
  assert.match(second.description, /70 characters/)
})
