// POST /v3/payout/quote and GET /v3/payout/quote/{id}: what can be asked, what is refused, and the
// resource that comes back. Amounts, rates and fees have files of their own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, assertShape } from '../support/assert/check.ts'
import { idOf, QUOTE, WITH_OFFSET } from '../support/assert/shapes.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout/quote'
let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    primary: 'USD',
    fund: { USD: 1_000_000n },
  })
  await service.setRates({
    'USD/HKD': '7.81',
    'USD/EUR': '0.8',
    'USD/BRL': '5',
    'USD/USDC': '1',
  })
})
after(() => service.close())

async function quoted(body: object) {
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const local = { fund_transfer_network: '' }
const network = { payment_network: '' }

const TYPES: readonly [type: string, request: object, expected: object][] = [
  [
    'swift',
    { payout_info: { currency: 'EUR', amount: 800 }, swift: { charge_type: 'ours' } },
    { local, local_payment_network: network, wallet: {} },
  ],
  [
    'local',
    {
      payout_info: { currency: 'HKD', amount: 781 },
      destination_info: { currency: 'HKD', country: 'HK' },
      local: { fund_transfer_network: 'chats' },
    },
    {
      local: { fund_transfer_network: 'chats' },
      local_payment_network: network,
      wallet: {},
    },
  ],
  [
    'local_payment_network',
    { payout_info: { currency: 'BRL', amount: 500 }, local_payment_network: { type: 'pix' } },
    { local, local_payment_network: { payment_network: 'pix' }, wallet: {} },
  ],
  [
    'wallet',
    { payout_info: { currency: 'USDC', amount: 5_000_000 }, wallet: { type: 'ethereum' } },
    { local, local_payment_network: network, wallet: { type: 'ethereum', network: 'ERC20' } },
  ],
  [
    'service_account',
    { payout_info: { currency: 'USD', amount: 100 } },
    { local, local_payment_network: network, wallet: {} },
  ],
]

for (const [payout_type, request, expected] of TYPES) {
  test(`POST ${PATH}, payout_type ${payout_type} with its detail object: every field of the table, no envelope`, async () => {
    const quote = await quoted({ payout_type, ...request })
    assertShape(quote, QUOTE)
    assert.match(quote.id, idOf('poq'))
    assert.equal(quote.id.length, 24)
    assert.equal(quote.object, 'payout_quote')
    assert.equal(quote.status, 'active')
    assert.equal(quote.payout_type, payout_type)
    for (const [field, value] of Object.entries(expected)) {
      assert.deepEqual(quote[field], value, field)
    }
  })
}

test(`POST ${PATH}, a detail object with payout_type of another: 400 type_mismatch naming it`, async () => {
  const payout_info = { currency: 'USD', amount: 100 }
  const answer = await account.post(PATH, { payout_type: 'swift', payout_info, local: {} })
  assertRefused(answer, 400, 'type_mismatch', 'local')
})

test(`POST ${PATH}, no payout_type: local`, async () => {
  const quote = await quoted({ payout_info: { currency: 'USD', amount: 100 } })
  assert.equal(quote.payout_type, 'local')
})

test(`POST ${PATH}, no destination_info: destination is the payout currency and amount, at rate 1`, async () => {
  const quote = await quoted({ payout_info: { currency: 'HKD', amount: 781 } })
  assert.deepEqual(quote.destination_info, { currency: 'HKD', amount: 781 })
  assert.equal(quote.exchange_rates.payout_to_destination, 1)
})

test(`POST ${PATH}, one currency throughout: both rates 1, three equal amounts, no fees`, async () => {
  const quote = await quoted({ payout_info: { currency: 'USD', amount: 12_345 } })
  const same = { currency: 'USD', amount: 12_345 }
  assert.deepEqual(quote.holding_info, same)
  assert.deepEqual(quote.payout_info, same)
  assert.deepEqual(quote.destination_info, same)
  assert.deepEqual(quote.exchange_rates, { holding_to_payout: 1, payout_to_destination: 1 })
  const none = { in_holding_currency: 0, in_payout_currency: 0 }
  assert.deepEqual(quote.fee_info, { fixed: none, variable: none })
})

const TRUE_EXPECTATIONS = {
  payout_info: { currency: 'HKD', amount: 781_000 },
  holding_info: { currency: 'USD', amount: 100_000 },
  destination_info: { currency: 'HKD', country: 'HK', amount: 781_000 },
}

test(`POST ${PATH}, holding_info.amount one off: 400 naming the computed figure`, async () => {
  const holding_info = { currency: 'USD', amount: 99_999 }
  const answer = await account.post(PATH, { ...TRUE_EXPECTATIONS, holding_info })
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.json.errors[0].remarks, 'holding_info.amount')
  assert.match(answer.json.errors[0].message, /\b100000\b/)
})

test(`POST ${PATH}, created and valid_until: 30 minutes apart, numeric UTC offset`, async () => {
  const before_ms = Date.now()
  const quote = await quoted({ payout_info: { currency: 'USD', amount: 100 } })
  for (const field of ['created_at', 'updated_at', 'valid_until']) {
    assert.match(quote[field], WITH_OFFSET, field)
  }
  assert.equal(Date.parse(quote.valid_until) - Date.parse(quote.created_at), 1_800_000)
  assert.equal(quote.updated_at, quote.created_at)
  assert.ok(Math.abs(Date.parse(quote.created_at) - before_ms) < 10_000)
})

/** The others are tabled in src/quote/terms.test.ts. */
const REFUSED: readonly [what: string, body: object, reason: string, remarks: string][] = [
  [
    'holding currency the account has no balance in',
    { holding_info: { currency: 'HKD' } },
    'holding_currency_not_found',
    'holding_info.currency',
  ],
  ['no payout_info', { payout_info: undefined }, 'invalid_field', 'payout_info'],
  ['payout amount and total_debit', { total_debit: 100 }, 'invalid_field', 'total_debit'],
]

for (const [what, change, reason, remarks] of REFUSED) {
  test(`POST ${PATH}, ${what}: 400 ${reason} at ${remarks}`, async () => {
    const body = { payout_info: { currency: 'USD', amount: 100 }, ...change }
    assertRefused(await account.post(PATH, body), 400, reason, remarks)
  })
}

test(`GET ${PATH}/{id}, a new quote: byte for byte its creation, bare`, async () => {
  const created = await account.post(PATH, TRUE_EXPECTATIONS)
  const fetched = await account.get(`${PATH}/${created.json.id}`)
  assert.equal(fetched.status, 200)
  assert.equal(fetched.text, created.text)
  assert.equal(fetched.json.data, undefined)
})

test(`GET ${PATH}/{id}, valid_until passed: status expired, computed on reading`, async () => {
  const { id } = await quoted({ payout_info: { currency: 'USD', amount: 100 } })
  const { owner } = service.database
  await owner`update quotes set valid_until = statement_timestamp() where id = ${id}`
  assert.equal((await account.get(`${PATH}/${id}`)).json.status, 'expired')
  await owner`
    update quotes set valid_until = statement_timestamp() + interval '1 minute' where id = ${id}`
  assert.equal((await account.get(`${PATH}/${id}`)).json.status, 'active')
})

test(`POST ${PATH}, total_debit for the payout amount: the largest payout that costs no more, and payable`, async () => {
  await service.setFees([{ fixed_amount: 251n, variable_bps: 37 }])
  const body = { payout_info: { currency: 'HKD' }, holding_info: { currency: 'USD' } }
  const quote = await quoted({ ...body, total_debit: 100_000 })
  assert.ok(quote.total_debit.amount <= 100_000, JSON.stringify(quote.total_debit))
  const { amount } = quote.payout_info
  const more = await quoted({ ...body, payout_info: { currency: 'HKD', amount: amount + 1 } })
  assert.ok(more.total_debit.amount > 100_000)
  const { currency } = quote.payout_info
  const paid = await account.post('/v3/payout', {
    ...localPayout,
    quote: quote.id,
    amount,
    currency,
  })
  assert.equal(paid.status, 200, paid.text)
  assert.deepEqual(paid.json.data.total_debit, quote.total_debit)
  const nothing = await account.post(PATH, { ...body, total_debit: 251 })
  assertRefused(nothing, 400, 'amount_out_of_range', 'total_debit')
  await service.setFees([])
})
