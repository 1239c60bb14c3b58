// POST /v3/payout/quote and GET /v3/payout/quote/{id}: what can be asked, what is refused, and the
// resource that comes back. Amounts, rates and fees have files of their own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblems, assertRefused, assertShape } from '../support/assert/check.ts'
import { idOf, QUOTE, WITH_OFFSET } from '../support/assert/shapes.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout/quote'
const NOWHERE = 'poq_00000000000000000000'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD', 'EUR'], primary: 'USD' })
  await service.setRates({
    'USD/HKD': '7.81',
    'USD/EUR': '0.8',
    'USD/BRL': '5',
    'USD/USDC': '1',
    'EUR/HKD': '9',
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

  test(`POST ${PATH}, payout_type ${payout_type} without a detail object: quoted, detail members empty`, async () => {
    const currency = payout_type === 'wallet' ? 'USDC' : 'USD'
    const quote = await quoted({ payout_type, payout_info: { currency, amount: 1_000_000 } })
    assertShape(quote, QUOTE)
    assert.deepEqual(quote.local, local)
    assert.deepEqual(quote.local_payment_network, network)
    assert.deepEqual(quote.wallet, payout_type === 'wallet' ? { type: '', network: '' } : {})
  })
}

const DETAILS: Readonly<Record<string, object>> = {
  swift: { charge_type: 'shared' },
  local: { fund_transfer_network: 'ach' },
  local_payment_network: { type: 'pix' },
  wallet: { type: 'ethereum' },
}

for (const [payout_type] of TYPES) {
  for (const [name, detail] of Object.entries(DETAILS)) {
    if (name === payout_type) continue
    test(`POST ${PATH}, ${name} object with payout_type ${payout_type}: 400 naming it`, async () => {
      const payout_info = { currency: 'USD', amount: 100 }
      const answer = await account.post(PATH, { payout_type, payout_info, [name]: detail })
      assertRefused(answer, 400, 'type_mismatch', name)
    })
  }
}

test(`POST ${PATH}, no payout_type: local`, async () => {
  const quote = await quoted({ payout_info: { currency: 'USD', amount: 100 } })
  assert.equal(quote.payout_type, 'local')
})

const HOLDING: readonly [situation: string, request: object, expected: string][] = [
  [
    'holding_info sent',
    { payout_info: { currency: 'USD', amount: 100 }, holding_info: { currency: 'EUR' } },
    'EUR',
  ],
  ['payout currency among the balances', { payout_info: { currency: 'EUR', amount: 100 } }, 'EUR'],
  [
    'payout currency not among the balances',
    { payout_info: { currency: 'HKD', amount: 781 } },
    'USD',
  ],
]

for (const [situation, request, expected] of HOLDING) {
  test(`POST ${PATH}, holding currency with ${situation}: ${expected}`, async () => {
    const quote = await quoted(request)
    assert.equal(quote.holding_info.currency, expected)
  })
}

test(`POST ${PATH}, primary currency that is not the first balance: it is the one that holds`, async () => {
  const other = await service.openAccount({ currencies: ['EUR', 'USD'], primary: 'USD' })
  const answer = await other.post(PATH, { payout_info: { currency: 'HKD', amount: 781 } })
  assert.deepEqual(answer.json.holding_info, { currency: 'USD', amount: 100 })
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

test(`POST ${PATH}, expectations that hold: quoted`, async () => {
  const quote = await quoted(TRUE_EXPECTATIONS)
  assert.deepEqual(quote.holding_info, { currency: 'USD', amount: 100_000 })
})

test(`POST ${PATH}, holding_info.amount one off: 400 naming the computed figure`, async () => {
  const holding_info = { currency: 'USD', amount: 99_999 }
  const answer = await account.post(PATH, { ...TRUE_EXPECTATIONS, holding_info })
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.json.errors[0].remarks, 'holding_info.amount')
  assert.match(answer.json.errors[0].message, /\b100000\b/)
})

test(`POST ${PATH}, both expectations off: 400 naming both figures at once`, async () => {
  const answer = await account.post(PATH, {
    payout_info: { currency: 'HKD', amount: 781_000 },
    holding_info: { currency: 'USD', amount: 100_001 },
    destination_info: { currency: 'EUR', country: 'DE', amount: 1 },
  })
  assertProblems(answer, 400, [
    ['amount_mismatch', 'holding_info.amount'],
    ['amount_mismatch', 'destination_info.amount'],
  ])
  assert.match(answer.text, /100000\b/)
  assert.match(answer.text, /86777\b/) // 7810.00 HKD ÷ 9 = 867.777… EUR, credited down
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

test(`POST ${PATH}, entity_id of no entity: 404, of another shape: 400`, async () => {
  const payout_info = { currency: 'USD', amount: 100 }
  const unknown = await account.post(PATH, { payout_info, entity_id: 'ent_00000000000000000000' })
  assertRefused(unknown, 404, 'entity_not_found', 'entity_id')
  for (const entity_id of [
    'ent_',
    'ent_123',
    `ent_${'0'.repeat(21)}`,
    `foo_${'0'.repeat(20)}`,
    '',
  ]) {
    const answer = await account.post(PATH, { payout_info, entity_id })
    assertRefused(answer, 400, 'invalid_field', 'entity_id')
  }
})

const REFUSED: readonly [what: string, body: object, reason: string, remarks: string][] = [
  [
    'holding currency the account has no balance in',
    { holding_info: { currency: 'HKD' } },
    'holding_currency_not_found',
    'holding_info.currency',
  ],
  [
    'holding currency that does not exist',
    { holding_info: { currency: 'XQX' } },
    'currency',
    'holding_info.currency',
  ],
  [
    'payout currency that does not exist',
    { payout_info: { currency: 'XQX', amount: 1 } },
    'currency',
    'payout_info.currency',
  ],
  [
    'destination currency that does not exist',
    { destination_info: { currency: 'XQX', country: 'HK' } },
    'currency',
    'destination_info.currency',
  ],
  [
    'destination country that does not exist',
    { destination_info: { currency: 'USD', country: 'ZZ' } },
    'invalid_field',
    'destination_info.country',
  ],
  [
    'destination without a country',
    { destination_info: { currency: 'USD' } },
    'invalid_field',
    'destination_info.country',
  ],
  [
    'destination without a currency',
    { destination_info: { country: 'US' } },
    'invalid_field',
    'destination_info.currency',
  ],
  [
    'holding_info without a currency',
    { holding_info: { amount: 1 } },
    'invalid_field',
    'holding_info.currency',
  ],
  ['no payout_info', { payout_info: undefined }, 'invalid_field', 'payout_info'],
  [
    'charge_type of no known kind',
    { payout_type: 'swift', swift: { charge_type: 'theirs' } },
    'invalid_field',
    'swift.charge_type',
  ],
  [
    'local network of another currency',
    { local: { fund_transfer_network: 'chats' } },
    'invalid_field',
    'local.fund_transfer_network',
  ],
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

test(`GET ${PATH}/{id}, another account's quote: 404 like one that never was`, async () => {
  const stranger = await service.openAccount()
  const { id } = await quoted({ payout_info: { currency: 'USD', amount: 100 } })
  const theirs = await stranger.get(`${PATH}/${id}`)
  const nobodys = await stranger.get(`${PATH}/${NOWHERE}`)
  assertRefused(theirs, 404, 'not_found')
  assert.equal(theirs.text, nobodys.text)
})

test(`GET ${PATH}/{id}, id of another kind or shape: 400 invalid_path_parameter`, async () => {
  for (const id of ['pot_00000000000000000000', 'poq_0', 'poq_0000000000000000000O', '%00', 'x']) {
    assertRefused(await account.get(`${PATH}/${id}`), 400, 'invalid_path_parameter', 'id')
  }
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
