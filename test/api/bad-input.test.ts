// Codes, amounts judged on their text (§money.amount), addresses and fields that must not be understood:
// each has its status, reason and place, and none changes a row of any table. What the document says
// of a field (its kind, its limits, its members) is seen on every route in test/input, and what a
// field of an entity may be is tabled in src/parties/entity/request.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertErrorEnvelope, assertProblems } from '../support/assert/check.ts'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import { fullEntity, localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const QUOTE = '/v3/payout/quote'
const PAYOUT = '/v3/payout'
const ENTITY = '/v3/entity'

type Row = readonly [path: string, body: object | string, reason: string, remarks: string]

let service: TestService
let account: Client
let written: WrittenTables
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 1_000_000n } })
  await service.setRates({ 'USD/EUR': '0.8' })
  const paid = await account.post('/v3/payout', localPayout, { 'idempotency-key': 'k' })
  assert.equal(paid.status, 200, paid.text)
  written = await watchWrittenTables(service.database.owner)
})
after(() => service.close())

const field = (name: string, value: unknown, reason = 'invalid_field'): Row => [
  PAYOUT,
  { ...localPayout, [name]: value },
  reason,
  name,
]

/** A body whose value at `"@"` is this text, which JSON.stringify would not write. */
function withText(body: object, text: string): string {
  return JSON.stringify(body).replace('"@"', text)
}

const amount = (text: string, reason = 'invalid_field'): Row[] => {
  const quote = withText({ payout_info: { currency: 'USD', amount: '@' } }, text)
  return [
    [PAYOUT, withText({ ...localPayout, amount: '@' }, text), reason, 'amount'],
    [QUOTE, quote, reason, 'payout_info.amount'],
  ]
}

/** Nesting at the limit is read, and then refused as the field it is. */
const deep = `${'['.repeat(31)}${']'.repeat(31)}`
const nested = JSON.stringify(localPayout).replace('{', `{"metadata":${deep},`)

const WRONG: readonly Row[] = [
  ...['usd', ' USD', '', 'XAU', 'XXX', 'ＵＳＤ'].map(value => field('currency', value, 'currency')),
  field('currency', 840),
  field('type', 'sepa'),
  field('purpose', null),
  ...['poq_', 'poq_0000000000000000000U', 'pot_00000000000000000000'].map(v => field('quote', v)),
  ...['poq_00000000000000000000\n', ' poq_0000000000000000000'].map(v => field('quote', v)),
  field('beneficiary_details', []),
  field('metadata', []),
  field('charge_type', 'ours', 'type_mismatch'),
  // Other texts are tabled in src/http/json.test.ts.
  ...['0', '-1'].flatMap(text => amount(text, 'amount_out_of_range')),
  ...['1.5', '1e2', '9007199254740992', '"100"', 'null'].flatMap(text => amount(text)),
  [PAYOUT, nested, 'invalid_field', 'metadata'],
  ...['null', '[]', '"text"', '1'].map((body): Row => [PAYOUT, body, 'invalid_field', '']),
]

test('POST, values that cannot be read: 400 with reason and place, no row changes', async () => {
  for (const [path, body, reason, remarks] of WRONG) {
    assertProblems(await account.post(path, body), 400, [[reason, remarks]])
  }
  assert.deepEqual(await written(), [])
})

const URLS: readonly [url: string, status: number, reason: string][] = [
  ['/v3/payout/pot_1', 400, 'invalid_path_parameter'],
  ['/v3/payout/POT_00000000000000000000', 400, 'invalid_path_parameter'],
  ['/v3/payout/pot_00000000000000000000%00', 400, 'invalid_path_parameter'],
  ['/v3/payout/quote/..%2F..%2Fbalance', 400, 'invalid_path_parameter'],
  ['/v3/payout/quote/pot_00000000000000000000', 400, 'invalid_path_parameter'],
  ['/v3/payout/%zz', 400, 'invalid_request'],
  ['/v3/payout/%ff', 400, 'invalid_request'],
  ['/v3/balance?as_of=%ff', 400, 'invalid_query_parameter'],
  ['/v3/balance?__proto__=1', 400, 'invalid_query_parameter'],
  ['/v3/balances', 404, 'not_found'],
  ['/v2/balance', 404, 'not_found'],
  ['/V3/balance', 404, 'not_found'],
  ['/v3/payout/quote/poq_00000000000000000000/x', 404, 'not_found'],
]

test('GET, malformed path or unknown object: 400 or 404 with the reason, no row changes', async () => {
  for (const [url, status, reason] of URLS) {
    const answer = await account.get(url)
    assert.equal(answer.status, status, `${url}: ${answer.text}`)
    assertErrorEnvelope(answer)
    assert.equal(answer.json.errors[0].reason, reason, url)
  }
  assert.deepEqual(await written(), [])
})

test(`POST and PUT ${ENTITY}, many wrong members: all named at once, no row changes`, async () => {
  const body = {
    type: 'company',
    email: 'x',
    registration_address: { country: 'XX', x: '' },
    representatives: [{ nationality: 'UK' }, { ownership_percentage: 101, email: '@' }],
    y: 1,
  }
  const wrong = [
    ...['type', 'email', 'registration_address.country', 'registration_address.x'],
    ...['representatives[0].nationality', 'representatives[1].ownership_percentage'],
    ...['representatives[1].email', 'y'],
  ].map(name => ['invalid_field', name] as const)
  assertProblems(await account.post(ENTITY, body), 400, [['invalid_field', 'name'], ...wrong])
  // Before the id is looked for.
  const put = await account.put(`${ENTITY}/ent_00000000000000000000`, body)
  assertProblems(put, 400, wrong)
  // Numbers that this service does not take for integers (§money.amount), though they may be whole.
  for (const literal of ['1e1', '10.0', '-0', '1e400', '9007199254740993']) {
    const representatives = [{ ownership_percentage: '@' }]
    const text = withText({ ...fullEntity, representatives }, literal)
    const answer = await account.post(ENTITY, text)
    assertProblems(answer, 400, [['invalid_field', 'representatives[0].ownership_percentage']])
  }
  assert.deepEqual(await written(), [])
})

for (const [path, body, message] of [
  [
    PAYOUT,
    { ...localPayout, purposes: 'x' },
    'purposes is not a field of this request; did you mean purpose?',
  ],
  [
    QUOTE,
    { payout_info: { currency: 'USD', amount: 10_000, curency: 'USD' } },
    'payout_info.curency is not a field of this request; did you mean payout_info.currency?',
  ],
  [PAYOUT, { ...localPayout, zzzzzz: 'x' }, 'zzzzzz is not a field of this request.'],
] as const) {
  test(`POST ${path}, unknown field: the message is "${message}"`, async () => {
    const answer = await account.post(path, body)
    assert.deepEqual([answer.status, answer.json.message], [400, message])
  })
}

test('GET /v3/payout, unknown parameter: the message names the nearest one', async () => {
  const { status, json } = await account.get('/v3/payout?statuss=failed')
  assert.equal(status, 400)
  assert.equal(json.message, 'statuss is not a field of this request; did you mean status?')
})
