// What a destination must have, by requests: what is refused, naming which member, with no row
// changed; and that whatever GET /v3/payout/requirements says is enough is taken.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { startTestService } from '../support/service/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by what they say.
type Json = any

const PATH = '/v3/payout/requirements'
const D = 'beneficiary_details.destination_details'

const service = await startTestService()
const currencies = ['USD', 'EUR', 'GBP', 'HKD', 'BRL', 'IDR', 'USDC', 'USDT']
const fund = Object.fromEntries(currencies.map(currency => [currency, 1_000_000_000_000n]))
const account = await service.openAccount({ currencies, fund })
after(() => service.close())

const party = { name: 'Harbour Trading Ltd', type: 'business' }
const IBAN = 'DE89370400440532013000'
const paying = (type: string, currency: string, destination: object, more: object = {}) => ({
  ...localPayout,
  ...{ type, currency },
  beneficiary_details: { ...party, ...more, destination_details: destination },
})
const toBank = (type: string, currency: string, bank: object, more: object = {}) =>
  paying(type, currency, { type: 'bank', bank }, more)
const toWallet = (currency: string, wallet: object) =>
  paying('wallet', currency, { type: 'wallet', wallet })
const toKey = (currency: string, local_payment_network: object) =>
  paying('local_payment_network', currency, {
    type: 'local_payment_network',
    local_payment_network,
  })
const EVM = '0x52908400098527886E0F7030069857D2E4169EE7'

const PAYOUTS: readonly (readonly [what: string, body: object, ...at: string[]])[] = [
  [
    'SWIFT with an address in one line',
    toBank(
      'swift',
      'EUR',
      { iban: IBAN, bank_codes: { bic: 'COBADEFF' } },
      { address: { line1: '1 Street, Berlin, Germany' } },
    ),
    'beneficiary_details.address.city',
    'beneficiary_details.address.country',
  ],
  [
    'fiat money to a wallet',
    toWallet('USD', { deposit_address: EVM, type: 'ethereum' }),
    `${D}.wallet.currency`,
  ],
  [
    'an unknown network',
    { ...localPayout, local: { fund_transfer_network: 'pigeon' } },
    'local.fund_transfer_network',
  ],
  [
    'a network that does not serve the country',
    { ...localPayout, local: { fund_transfer_network: 'fedwire' } },
    `${D}.bank.country`,
  ],
]

for (const [what, body, ...at] of PAYOUTS) {
  test(`POST /v3/payout, ${what}: 400 naming ${at.length} fields, no row changes`, async () => {
    const untouched = await rowVersions(service.database.owner)
    const answer = await account.post('/v3/payout', body)
    assertProblems(
      answer,
      400,
      at.map(path => ['invalid_field', path] as const),
    )
    assert.deepEqual(await rowVersions(service.database.owner), untouched)
  })
}

const QUOTES: readonly (readonly [what: string, body: object, at: string])[] = [
  ['a token to a bank', {}, 'payout_info.currency'],
  [
    'dollars that reach a bank as a token',
    { currency: 'USD', destination_info: { currency: 'USDC', country: 'US' } },
    'destination_info.currency',
  ],
]

for (const [what, { currency = 'USDC', ...body }, at] of QUOTES as typeof QUOTES &
  (readonly [string, { currency?: string }, string])[]) {
  test(`POST /v3/payout/quote, ${what}: 400 at ${at}, no row changes`, async () => {
    const untouched = await rowVersions(service.database.owner)
    const payout_info = { currency, amount: 1_000_000 }
    const answer = await account.post('/v3/payout/quote', { ...body, payout_info })
    assertRefused(answer, 400, 'invalid_field', at)
    assert.deepEqual(await rowVersions(service.database.owner), untouched)
  })
}

test('POST /v3/payout, fee per country, country stated, in the BIC or only in the IBAN: the same fee', async () => {
  await service.setFees([{}, { fixed_amount: 700n, destination_country: 'DE' }])
  const bic = { bank_codes: { swift_code: 'COBADEFF' } }
  for (const bank of [
    { iban: IBAN },
    { iban: 'de89 3704 0044 0532 0130 00' },
    { iban: IBAN, country: 'DE' },
    { iban: IBAN, ...bic },
  ]) {
    const body = { ...toBank('local', 'EUR', bank), holding_currency: 'USD' }
    await service.setRates({ 'USD/EUR': '1' })
    const answer = await account.post('/v3/payout', body)
    assert.equal(answer.status, 200, answer.text)
    const debit = await account.get(
      `/v3/balance_transaction/${answer.json.data.balance_transaction}`,
    )
    assert.deepEqual(debit.json.data.fee_details[0]?.amount, -700, JSON.stringify(bank))
  }
  await service.setFees([])
})

test('POST /v3/payout, fee per country, network of several countries: the country of the destination currency, with or without quote', async () => {
  const row = { payout_type: 'local_payment_network', fee_currency: 'USD' }
  await service.setFees([row, { ...row, fixed_amount: 700n, destination_country: 'KE' }])
  await service.setRates({ 'USD/KES': '129' })
  const key = { type: 'mpesa', deposit_key_type: 'phone', deposit_key: '+254712345678' }
  const body = { ...toKey('KES', key), amount: 129_000, holding_currency: 'USD' }
  const terms = {
    payout_type: 'local_payment_network',
    local_payment_network: { type: 'mpesa' },
    payout_info: { currency: 'KES', amount: 129_000 },
    holding_info: { currency: 'USD' },
  }
  const quoted = await account.post('/v3/payout/quote', terms)
  for (const quote of [{ quote: quoted.json.id }, {}]) {
    const answer = await account.post('/v3/payout', { ...body, ...quote, allow_duplicate: true })
    assert.equal(answer.status, 200, answer.text)
    const { balance_transaction } = answer.json.data
    const debit = await account.get(`/v3/balance_transaction/${balance_transaction}`)
    assert.deepEqual(debit.json.data.fee_details[0]?.amount, -700, JSON.stringify(quote))
  }
  // The country may be named as what it is, and as no other, whether or not a network is.
  const open = { ...terms, local_payment_network: undefined }
  const destination = (country: string) => ({ destination_info: { currency: 'KES', country } })
  for (const body of [
    open,
    { ...open, ...destination('KE') },
    { ...terms, ...destination('KE') },
  ]) {
    const { json } = await account.post('/v3/payout/quote', body)
    assert.equal(json.fee_info?.fixed.in_holding_currency, 700, JSON.stringify(json))
  }
  for (const body of [open, terms]) {
    const answer = await account.post('/v3/payout/quote', { ...body, ...destination('TZ') })
    assertRefused(answer, 400, 'invalid_field', 'destination_info.country')
  }
  // A quote of before that rule.
  const old = await account.post('/v3/payout/quote', terms)
  await service.database.owner`
    update quotes set destination_country = 'TZ' where id = ${old.json.id}`
  const answer = await account.post('/v3/payout', { ...body, quote: old.json.id })
  assert.deepEqual([answer.status, answer.json.errors?.[0].reason], [422, 'quote_mismatch'])
  await service.setFees([])
})

test("POST /v3/payout and quote, amount at the network's limit: 200; above: 400", async () => {
  const bank = { account_number: '123456789', country: 'US', bank_codes: { aba: '021000021' } }
  const local = { fund_transfer_network: 'rtp' }
  const body = { ...toBank('local', 'USD', bank), local }
  assert.equal((await account.post('/v3/payout', { ...body, amount: 1_000_000_000 })).status, 200)
  const amount = 1_000_000_001
  const over = await account.post('/v3/payout', { ...body, amount })
  assertRefused(over, 400, 'amount_out_of_range', 'amount')
  const payout_info = { currency: 'USD', amount }
  const quote = await account.post('/v3/payout/quote', { payout_info, local })
  assertRefused(quote, 400, 'amount_out_of_range', 'payout_info.amount')
})

test('POST /v3/payout, stored beneficiary that lacks members for the type: 400 at beneficiary', async () => {
  const { address: _, ...without } = bankBeneficiary
  const made = await account.post('/v3/beneficiary', without)
  assert.equal(made.status, 200, made.text)
  const { beneficiary_details, ...body } = localPayout
  const beneficiary = made.json.data.id
  assert.equal((await account.post('/v3/payout', { ...body, beneficiary })).status, 200)
  const untouched = await rowVersions(service.database.owner)
  const swift = { ...body, type: 'swift', currency: 'HKD', beneficiary }
  const answer = await account.post('/v3/payout', swift)
  assertProblems(answer, 400, [
    ['invalid_field', 'beneficiary'],
    ['invalid_field', 'beneficiary'],
  ])
  assert.match(answer.json.errors[0].message, /^address\.city: /)
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test('POST /v3/payout, quote for Tron, address on Ethereum: 422 quote_mismatch at the address or at beneficiary, no row changes; address on Tron: paid', async () => {
  const quoted = await account.post('/v3/payout/quote', {
    payout_type: 'wallet',
    payout_info: { currency: 'USDT', amount: 5_000_000 },
    wallet: { type: 'tron' },
  })
  const paying = (type: string, deposit_address: string) => ({
    ...toWallet('USDT', { type, deposit_address, currency: 'USDT' }),
    amount: 5_000_000,
    quote: quoted.json.id,
  })
  const { beneficiary_details, ...plain } = paying('ethereum', EVM)
  const known = await account.post('/v3/beneficiary', beneficiary_details)
  assert.equal(known.status, 200, known.text)
  const before = await rowVersions(service.database.owner)
  const inline = await account.post('/v3/payout', { ...plain, beneficiary_details })
  assertRefused(inline, 422, 'quote_mismatch', `${D}.wallet.type`)
  assert.equal(
    inline.json.errors[0].message,
    `${D}.wallet.type is ethereum but the quote's is tron.`,
  )
  const byId = await account.post('/v3/payout', { ...plain, beneficiary: known.json.data.id })
  assertRefused(byId, 422, 'quote_mismatch', 'beneficiary')
  assert.match(byId.json.errors[0].message, /wallet\.type of the beneficiary is/)
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const paid = await account.post(
    '/v3/payout',
    paying('tron', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'),
  )
  assert.equal(paid.status, 200, paid.text)
})

test("POST /v3/payout, beneficiary stored before today's rules: readable, checked when paid", async () => {
  const wallet = { deposit_address: EVM, type: 'ethereum' }
  const details = { ...party, destination_details: { type: 'wallet', wallet } }
  const { id } = (await account.post('/v3/beneficiary', details)).json.data
  const sql = service.database.owner
  await sql`
    update beneficiaries set details = details::jsonb #- '{destination_details,wallet,type}'
    where id = ${id}`
  const read = (await account.get(`/v3/beneficiary/${id}`)).json.data
  assert.deepEqual(read.destination_details.wallet, { deposit_address: EVM })
  const { beneficiary_details: _, ...body } = localPayout
  const payout = { ...body, type: 'wallet', currency: 'USDC', beneficiary: id }
  const answer = await account.post('/v3/payout', payout)
  assertRefused(answer, 400, 'invalid_field', 'beneficiary')
  assert.match(answer.json.errors[0].message, /^destination_details\.wallet\.type: /)
})

const QUERIES: readonly (readonly [query: string, name: string])[] = [
  ['type=pigeon', 'type'],
  ['type=local', 'currency'],
  ['currency=XXX', 'currency'],
  ['currency=usd', 'currency'],
  ['currency=USD&country=XX', 'country'],
  ['currency=USD&network=pigeon', 'network'],
  ['currency=USD&network=fedwire&country=HK', 'country'],
  ['type=swift&network=sepa', 'network'],
  ['type=swift&currency=USDC', 'currency'],
  ['type=local&currency=USDC', 'currency'],
  ['type=local_payment_network&currency=USDC', 'currency'],
  ['type=wallet&currency=USD', 'currency'],
  ['type=wallet&network=bitcoin', 'network'],
  ['type=wallet&country=DE', 'country'],
  ['type=local_payment_network&network=pigeon', 'network'],
  ['type=local_payment_network&network=pix&currency=USD', 'network'],
  ['currency=USD&colour=red', 'colour'],
]

test(`GET ${PATH}, combination that no route serves: 400 naming the parameter`, async () => {
  for (const [query, name] of QUERIES) {
    assertProblems(await account.get(`${PATH}?${query}`), 400, [['invalid_query_parameter', name]])
  }
})

/** What stands in details at a path, taken out. */
function without(details: object, path: string): Json {
  const copy: Json = structuredClone(details)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const place = names.reduce((at: Json, name) => at[name], copy)
  delete place[last]
  return copy
}

const ENOUGH = [
  'type=swift&currency=USD&country=US',
  'currency=GBP&country=GB&network=faster_payments',
  'type=wallet&currency=USDC',
  'type=local_payment_network&network=pix',
]

for (const query of ENOUGH) {
  test(`GET ${PATH}?${query}: a payout with the listed members accepted, without any one of them refused`, async () => {
    const { json, text } = await account.get(`${PATH}?${query}`)
    assert.equal(json.status, 'success', text)
    const { type, network, alternatives, networks } = json.data
    assert.ok(alternatives.length > 0)
    for (const { example, fields, networks: over } of alternatives) {
      const [known] = networks.filter((n: Json) => over.includes(n.name))
      const currency = json.data.currency || (known?.currencies[0] ?? 'USD')
      const local = type === 'local' && network ? { local: { fund_transfer_network: network } } : {}
      const body = (beneficiary_details: object) => ({
        ...{ ...localPayout, type, currency, amount: 1_000_000, ...local },
        beneficiary_details,
      })
      const made = await account.post('/v3/beneficiary', example)
      assert.equal(made.status, 200, `${made.text} ${JSON.stringify(example)}`)
      const paid = await account.post('/v3/payout', body(example))
      assert.equal(paid.status, 200, `${paid.text} ${JSON.stringify(example)}`)
      const untouched = await rowVersions(service.database.owner)
      for (const { path } of fields.filter((field: Json) => field.required)) {
        const refused = await account.post('/v3/payout', body(without(example, path)))
        assertProblems(refused, 400, [['invalid_field', `beneficiary_details.${path}`]])
      }
      assert.deepEqual(await rowVersions(service.database.owner), untouched)
    }
  })
}

test('POST /v3/payout, network named as other payment services name it: accepted, returned as sent', async () => {
  const bank = {
    account_number: '123456789012',
    bank_name: 'Harbour Bank',
    branch_name: '',
    account_type: 'savings',
    country: 'US',
    currency: 'USD',
    purpose_code: 'PYR003',
    firc_required: false,
    transfer_type: 'local',
    bank_codes: { aba_code: '021000021', bic_code: 'CHASUS33' },
  }
  const phone = { calling_code: '1', number: '2025550123' }
  const { transaction_description: _, ...body } = toBank('local', 'USD', bank, { phone })
  const logistics_tracking_details = [
    { tracking_number: '1Z', logistics_provider: { code: 'ups', name: 'UPS' } },
  ]
  const made = await account.post('/v3/payout', { ...body, logistics_tracking_details })
  assert.equal(made.status, 200, made.text)
  const { beneficiary_details, transaction_description, ...payout } = made.json.data
  assert.deepEqual(beneficiary_details.destination_details.bank, bank)
  assert.deepEqual(beneficiary_details.phone, phone)
  assert.equal(transaction_description, '')
  assert.deepEqual(payout.logistics_tracking_details, logistics_tracking_details)
  const key = { type: 'pix_brl', deposit_key_type: 'random', deposit_key: PIX }
  const toPix = await account.post('/v3/payout', toKey('BRL', key))
  assert.equal(toPix.status, 200, toPix.text)
  const shown = toPix.json.data.beneficiary_details.destination_details.local_payment_network
  assert.deepEqual(shown, key)
  const { json: quote } = await account.post('/v3/payout/quote', {
    payout_type: 'local_payment_network',
    payout_info: { currency: 'BRL', amount: 10_000 },
    local_payment_network: { type: 'PIX_BRL' },
  })
  assert.deepEqual(quote.local_payment_network, { payment_network: 'pix_brl' })
  const quoted = await account.post('/v3/payout', {
    ...toKey('BRL', { ...key, type: 'pix' }),
    quote: quote.id,
    allow_duplicate: true,
  })
  assert.equal(quoted.status, 200, quoted.text)
})

const PIX = '123e4567-e89b-42d3-a456-426655440000'

test('POST /v3/beneficiary, test BIC: refused for a live account, accepted in a sandbox', async () => {
  const live = await service.openAccount({ sandbox: false, currencies: ['EUR'] })
  const bank = { iban: IBAN, bank_codes: { bic: 'DEUTDEF0' } }
  const details = { ...party, destination_details: { type: 'bank', bank } }
  const refused = await live.post('/v3/beneficiary', details)
  const path = 'destination_details.bank.bank_codes.bic'
  assertRefused(refused, 400, 'invalid_field', path)
  const inline = await live.post('/v3/payout', toBank('local', 'EUR', bank))
  assertRefused(inline, 400, 'invalid_field', `beneficiary_details.${path}`)
  assert.equal((await account.post('/v3/beneficiary', details)).status, 200)
})
