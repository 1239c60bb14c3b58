// GET /v3/search: one text, read as each thing that it may be; whose objects are found; and that the
// answer says what is left out.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { uetrOf } from '../../src/payouts/swift/uetr.ts'
import { findByAmount, MOST_COMPARED } from '../../src/search/store.ts'
import { transactConfined } from '../../src/sql/confine.ts'
import { connect } from '../../src/sql/connect.ts'
import { assertRefused } from '../support/assert/check.ts'
import { madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { createDatabase } from '../support/database/database.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { eraseBy, openContext } from '../support/service/operate.ts'
import { pay } from '../support/service/payouts.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const PATH = '/v3/search'
const IBAN = 'DE89370400440532013000'

let service: TestService
let account: Client
let other: Client
/** To Anna, of USD 1,250.50, with the reference INV-7. */
let toAnna: Found
/** To Ben, by an IBAN, of EUR 99.00, debited USD 123.75 and a fee of USD 1.00. */
let toBen: Found
let entity: string
let batch: string

interface Found {
  readonly id: string
  readonly quote: string
  readonly beneficiary: string
}

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setFees([{ fixed_amount: 100n }])
  await service.setRates({ 'USD/EUR': '0.8' })
  const opened = { currencies: ['USD', 'EUR'], fund: { USD: 100_000_000n } }
  account = await service.openAccount(opened)
  other = await service.openAccount(opened)
  await addPerson(service, { user: 'ada', role: 'operator' })
  const anna = {
    ...{ ...bankBeneficiary, name: 'Ánna Schmidt', email: 'anna@example.com' },
    reference_id: 'VENDOR-7',
  }
  toAnna = await pay(account, {
    ...{ amount: 125_050, reference_id: 'INV-7', beneficiary_details: anna },
  })
  const bank = { type: 'bank', bank: { iban: IBAN } }
  const ben = { ...bankBeneficiary, name: 'Ben Okafor', destination_details: bank }
  const address = { line1: 'Ring 1', city: 'Berlin', country: 'DE' }
  toBen = await pay(account, {
    ...{ amount: 9_900, currency: 'EUR', holding_currency: 'USD' },
    beneficiary_details: { ...ben, address },
  })
  const made = async (path: string, body: object) => {
    const { status, json, text } = await account.post(path, body)
    assert.equal(status, 200, text)
    return json.data.id
  }
  const person = { type: 'individual', name: 'Anna Holding', email: 'anna@holding.example' }
  entity = await made('/v3/entity', { ...person, reference_id: 'ENT-7' })
  const payouts = Array.from({ length: 25 }, (_, i) => {
    const beneficiary_details = { ...bankBeneficiary, name: `Crowd ${i}` }
    return { ...localPayout, amount: 70_000 + i, beneficiary_details }
  })
  batch = await made('/v3/payout_batch', { payouts, reference_id: 'MARCH' })
})
after(() => service.close())

interface Result {
  readonly id: string
  readonly object: string
  readonly matched: string
}

async function search(q: string, by = account) {
  const { status, json, text } = await by.get(`${PATH}?${new URLSearchParams({ q })}`)
  assert.equal(status, 200, text)
  return json.data
}

/** `id matched` of each result. */
async function found(q: string, by = account): Promise<string[]> {
  return (await search(q, by)).results.map(({ id, matched }: Result) => `${id} ${matched}`)
}

test(`GET ${PATH}, a payout by each of its names: found as that, with its state`, async () => {
  for (const [q, matched] of [
    [toAnna.id, 'id'],
    [toAnna.id.toUpperCase(), 'id'],
    [toAnna.quote, 'quote'],
    [uetrOf(toAnna.id), 'uetr'],
    [' INV-7 ', 'reference_id'],
    ['1,250.50', 'amount'],
    ['1.250,5', 'amount'],
    ['USD 1250.5', 'amount'],
    ['1250.50 usd', 'amount'],
  ] as const) {
    assert.deepEqual(await found(q), [`${toAnna.id} ${matched}`], q)
  }
  // What is delivered, and what is debited with the fee.
  for (const q of ['99 EUR', '124.75', '$124.75']) {
    assert.deepEqual(await found(q), [`${toBen.id} amount`], q)
  }
  const { results, has_more, newest_only } = await search('INV-7')
  const [{ created_at: _, status, ...shown }] = results
  assert.deepEqual(shown, {
    ...{ object: 'payout', id: toAnna.id, name: 'Ánna Schmidt', amount: 125_050 },
    ...{ currency: 'USD', reference_id: 'INV-7', matched: 'reference_id' },
  })
  assert.equal(status, (await account.get(`/v3/payout/${toAnna.id}`)).json.data.status)
  assert.deepEqual([has_more, newest_only], [false, []])
})

test(`GET ${PATH}, a payee by name, e-mail, IBAN or last digits: the payee and the payouts to them`, async () => {
  const annas = (matched: string) => [toAnna.id, toAnna.beneficiary].map(id => `${id} ${matched}`)
  const bens = (matched: string) => [toBen.id, toBen.beneficiary].map(id => `${id} ${matched}`)
  assert.deepEqual(await found('schmidt ann'), annas('name'))
  assert.deepEqual(await found('anna'), [...annas('name'), `${entity} name`])
  assert.deepEqual(await found('ANNA@example.com'), annas('email'))
  assert.deepEqual(await found('de89 3704 0044 0532 0130 00'), bens('account_number'))
  assert.deepEqual(await found('•• 3000'), bens('account_ending'))
  assert.deepEqual(await found('532013000'), bens('account_ending'))
  assert.deepEqual(await found('5320130001'), [])
  const { results } = await search('okafor')
  const payee = results.find(({ object }: Result) => object === 'beneficiary')
  assert.deepEqual([payee.name, payee.status, payee.amount], ['Ben Okafor', 'active', null])
})

test(`GET ${PATH}, entities and batches: found by id, reference and name`, async () => {
  assert.deepEqual(await found('ENT-7'), [`${entity} reference_id`])
  assert.deepEqual(await found('VENDOR-7'), [`${toAnna.beneficiary} reference_id`])
  assert.deepEqual(await found('holding'), [`${entity} name`])
  assert.deepEqual(await found('MARCH'), [`${batch} reference_id`])
  const { results } = await search(batch)
  assert.deepEqual([results[0].object, results[0].status], ['payout_batch', 'created'])
  // An id of another kind, or of nothing, finds nothing.
  assert.deepEqual(await found(madeAt('pot', 7)), [])
  assert.deepEqual(await found(madeAt('evt', 7)), [])
})

test(`GET ${PATH}, more than 20 of a kind: the newest 20, and says that there are more`, async () => {
  const { results, has_more } = await search('crowd')
  const kinds = Map.groupBy(results as Result[], ({ object }) => object)
  assert.deepEqual([kinds.get('payout')?.length, kinds.get('beneficiary')?.length], [20, 20])
  assert.equal(has_more, true)
  assert.equal((await search('crowd 7')).has_more, false)
})

test(`GET ${PATH}, objects of another account: not found by any text`, async () => {
  const texts = ['schmidt', IBAN, '3000', '1250.50', 'INV-7', 'MARCH', 'ENT-7', 'anna@example.com']
  for (const q of [...texts, toAnna.id, toBen.quote, uetrOf(toAnna.id), entity, batch]) {
    assert.deepEqual(await found(q, other), [], q)
  }
})

test(`GET ${PATH}, an erased payee: found by no name and no number`, async () => {
  const details = { ...bankBeneficiary, name: 'Zwick', email: 'zwick@example.com' }
  const { id, beneficiary } = await pay(account, { beneficiary_details: details })
  assert.equal((await found('zwick')).length, 2)
  await settleAll(service)
  const { context, close } = await openContext(service, 'ada')
  await service.database.owner`delete from idempotency_keys`
  await eraseBy(context, beneficiary)
  await close()
  assert.deepEqual(await found('zwick'), [])
  assert.deepEqual(await found('zwick@example.com'), [])
  const { results } = await search(id)
  assert.equal(results[0].name.includes('Zwick'), false)
})

test(`GET ${PATH}, q missing, blank, repeated, too long or with NUL: 400 names it`, async () => {
  for (const query of ['', 'q=', 'q=%20', 'q=a&q=b', `q=${'x'.repeat(201)}`, 'q=a%00b']) {
    const refused = await account.get(`${PATH}?${query}`)
    assertRefused(refused, 400, 'invalid_query_parameter', 'q')
  }
  const unknown = await account.get(`${PATH}?q=a&limit=1`)
  assertRefused(unknown, 400, 'invalid_query_parameter', 'limit')
  for (const q of ['%', '_', '\\', "'", '%_%', '\u{1F600}', '()', '{}', '--', '-']) await search(q)
})

test(`GET ${PATH} by amount, more payouts than are compared: the newest ones, and says so`, async () => {
  const database = await createDatabase()
  const sql = connect(database.url, { max: 1, as: 'service', look_ups: true })
  try {
    const { owner } = database
    await owner`
      insert into payouts (made_by, account_id, id, quote_id, type, amount, currency,
        holding_currency, holding_amount, fixed_fee, variable_fee, destination_currency,
        destination_amount, holding_to_payout, payout_to_destination, holding_fx_id, payout_fx_id,
        balance_transaction_id, beneficiary_id, beneficiary_details, particulars, reference_id,
        on_behalf_of, fund_transfer_network, charge_type, first_rail, created_at)
      select 'key_1', 'acc_a', ${madeAtSql(owner, 'pot')}, ${madeAtSql(owner, 'poq')}, 'local', i,
        'USD', 'USD', i, 0, 0, 'USD', i, 1, 1, '', '', '', '', '{}', '{}', '', '', '', '',
        'simulator', timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second'
      from generate_series(1, ${MOST_COMPARED + 2}::integer) i`
    const find = (amount: bigint) =>
      transactConfined(sql, ['acc_a'], tx =>
        findByAmount(tx, 'acc_a', [{ currency: 'USD', amount }], 5),
      )
    assert.deepEqual(await find(7n), { ids: [madeAt('pot', 7)], is_cut: true })
    assert.deepEqual(await find(1n), { ids: [], is_cut: true })
  } finally {
    await sql.end()
    await database.drop()
  }
})
