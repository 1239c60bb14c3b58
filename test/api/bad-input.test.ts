// Codes, amounts judged on their text (§money.amount), addresses and fields of entities that must not be
// understood: each has its status, reason and place, and none changes a row of any table. What the
// document says of a field (its kind, its limits, its members) is seen on every route in test/input.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertErrorEnvelope, assertProblems } from '../support/assert/check.ts'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import { fullEntity, localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const QUOTE = '/v3/payout/quote'
const PAYOUT = '/v3/payout'
const ENTITY = '/v3/entity'

type Row = readonly [
  what: string,
  path: string,
  body: object | string,
  reason: string,
  remarks: string,
]

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

async function assertUntouched(): Promise<void> {
  assert.deepEqual(await written(), [])
}

function refuses([what, path, body, reason, remarks]: Row): void {
  test(`POST ${path}, ${what}: 400 ${reason} at ${remarks}, no row changes`, async () => {
    assertProblems(await account.post(path, body), 400, [[reason, remarks]])
    await assertUntouched()
  })
}

const field = (name: string, value: unknown, reason = 'invalid_field'): Row => [
  `${name} ${JSON.stringify(value)?.slice(0, 30)}`,
  PAYOUT,
  { ...localPayout, [name]: value },
  reason,
  name,
]

const WRONG_VALUES: readonly Row[] = [
  ...['usd', ' USD', '', 'XAU', 'XXX', 'ＵＳＤ'].map(value => field('currency', value, 'currency')),
  field('currency', 840),
  field('type', 'sepa'),
  field('purpose', null),
  ...['poq_', 'poq_0000000000000000000U', 'pot_00000000000000000000'].map(v => field('quote', v)),
  ...['poq_00000000000000000000\n', ' poq_0000000000000000000'].map(v => field('quote', v)),
  field('beneficiary_details', []),
  field('metadata', []),
  field('charge_type', 'ours', 'type_mismatch'),
]
for (const row of WRONG_VALUES) refuses(row)

/** A body whose value at `"@"` is this text, which JSON.stringify would not write. */
function withText(body: object, text: string): string {
  return JSON.stringify(body).replace('"@"', text)
}

const IN_USD = { currency: 'USD', amount: '@' }
const AMOUNT_PLACES: readonly (readonly [path: string, remarks: string, body: object])[] = [
  [PAYOUT, 'amount', { ...localPayout, amount: '@' }],
  [QUOTE, 'payout_info.amount', { payout_info: IN_USD }],
]
/** Others are tabled in src/http/json.test.ts. */
const NOT_AMOUNTS: readonly [text: string, reason: string][] = [
  ['0', 'amount_out_of_range'],
  ['-1', 'amount_out_of_range'],
  ['1.5', 'invalid_field'],
  ['1e2', 'invalid_field'],
  ['9007199254740992', 'invalid_field'],
  ['"100"', 'invalid_field'],
  ['null', 'invalid_field'],
]
for (const [path, remarks, body] of AMOUNT_PLACES) {
  for (const [text, reason] of NOT_AMOUNTS) {
    refuses([`amount ${text}`, path, withText(body, text), reason, remarks])
  }
}

/** Nesting at the limit is read, and then refused as the field it is. */
const deep = `${'['.repeat(31)}${']'.repeat(31)}`
refuses([
  'nesting of 32 levels',
  PAYOUT,
  JSON.stringify(localPayout).replace('{', `{"metadata":${deep},`),
  'invalid_field',
  'metadata',
])

for (const body of ['null', '[]', '"text"', '1']) {
  refuses([`${body} for a body`, PAYOUT, body, 'invalid_field', ''])
}

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

test('GET of what is malformed or nowhere: its status and reason, no row changes', async () => {
  for (const [url, status, reason] of URLS) {
    const answer = await account.get(url)
    assert.equal(answer.status, status, `${url}: ${answer.text}`)
    assertErrorEnvelope(answer)
    assert.equal(answer.json.errors[0].reason, reason, url)
  }
  await assertUntouched()
})

// Entities: what a text, a day, a country or a share may be.

const long = (length: number) => 'x'.repeat(length)
const SHARE = 'representatives[0].ownership_percentage'

/** By path, refused of a creation and of a change. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  name: [null, '', ' ', '\u00a0\u3000', '\u200b', '\u0085 \ufeff', 7],
  type: ['company', 'Individual', ''],
  email: [
    ...['anna', 'anna@', '@example.com', 'anna@@example.com', 'anna @example.com'],
    ...['anna@exa mple.com', 'anna@-example.com', 'anna@example..com', '<anna@example.com>'],
    ...['anna@example.com, bo@example.com', `${long(65)}@example.com`, `anna@${long(64)}.com`],
  ],
  registration_date: [
    ...['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-01', '2026-01-00', '2026-1-1'],
    ...['31.01.2026', '2026-01-31T', '20260131', '+2026-01-1', 20260131],
  ],
  on_behalf_of: ['x', 'ent_', 'pot_00000000000000000000', 'ENT_00000000000000000000', 7],
  'registration_address.country': ['XX', 'UK', 'EU', 'DEU', 'D', 'Germany', 'D\u0415', 'D E', 49],
  'operating_address.country': ['XX'],
  'representatives[1].nationality': ['XX'],
  'representatives[0].address.country': ['XX'],
  'representatives[0].date_of_birth': ['1980-02-30'],
  'representatives[1].email': ['mei'],
  [SHARE]: [
    ...[101, '101', '100.0001', '999', -1, '-1', '+1', '1e1', '.5', '5.', '0x1', ' 5', '5%'],
    ...['1.23456', '1000', '', true, null, 33.5],
  ],
  representatives: [
    ...[
      [100, 1],
      ['50.0001', '50'],
      ['099', '099'],
      ['33.3334', '33.3333', '33.3334'],
    ].map(shares => shares.map(ownership_percentage => ({ ownership_percentage }))),
  ],
  'metadata.x': [7, null],
}

/** A copy with this value at this path: `representatives[1].email`. */
function withMember(body: object, path: string, value: unknown): Record<string, unknown> {
  const copy = JSON.parse(JSON.stringify(body))
  const steps = path.split(/[.[\]]+/).filter(step => step !== '')
  const last = steps.pop() ?? ''
  steps.reduce((part, step) => part[step], copy)[last] = value
  return copy
}

for (const [path, values] of Object.entries(WRONG)) {
  test(`POST and PUT ${ENTITY}, ${path} that must not be understood: 400 naming it, no row changes`, async () => {
    const [member = ''] = path.split(/[.[]/)
    for (const value of values) {
      const body = withMember(fullEntity, path, value)
      const put = { [member]: body[member] }
      for (const answer of [
        await account.post(ENTITY, body),
        // Before the id is looked for.
        await account.put(`${ENTITY}/ent_00000000000000000000`, put),
      ]) {
        assertProblems(answer, 400, [['invalid_field', path]])
      }
    }
    await assertUntouched()
  })
}

/** Numbers that this service does not take for integers (§money.amount), though they may be whole. */
test(`POST ${ENTITY}, ${SHARE} by its text: 1e1, 10.0 and the like: 400 naming it`, async () => {
  for (const literal of ['1e1', '10.0', '-0', '1e400', '9007199254740993']) {
    const body = JSON.stringify(withMember(fullEntity, SHARE, 7)).replace('":7', `":${literal}`)
    assertProblems(await account.post(ENTITY, body), 400, [['invalid_field', SHARE]])
  }
  await assertUntouched()
})

test(`POST ${ENTITY}, much that is wrong at once: all of it is named`, async () => {
  const answer = await account.post(ENTITY, {
    type: 'company',
    email: 'x',
    registration_address: { country: 'XX', x: '' },
    representatives: [{ nationality: 'UK' }, { ownership_percentage: 101, email: '@' }],
    y: 1,
  })
  assertProblems(answer, 400, [
    ['invalid_field', 'name'],
    ['invalid_field', 'type'],
    ['invalid_field', 'email'],
    ['invalid_field', 'registration_address.country'],
    ['invalid_field', 'registration_address.x'],
    ['invalid_field', 'representatives[0].nationality'],
    ['invalid_field', 'representatives[1].ownership_percentage'],
    ['invalid_field', 'representatives[1].email'],
    ['invalid_field', 'y'],
  ])
  await assertUntouched()
})

/** In characters of two UTF-16 units, and the lists as long as they may be. */
test(`POST ${ENTITY}, the longest texts and lists: taken`, async () => {
  const wide = (length: number) => '𐐀'.repeat(length)
  const answer = await account.post(ENTITY, {
    type: 'business',
    name: wide(255),
    email: `${'é'.repeat(64)}@${'x'.repeat(63)}.example`,
    registration_date: '0001-01-01',
    representatives: [
      { roles: Array(10).fill(wide(64)), ownership_percentage: 2 },
      ...Array(49).fill({ ownership_percentage: '2.0000' }),
    ],
    metadata: { [wide(40)]: wide(500) },
  })
  assert.equal(answer.status, 200, answer.text.slice(0, 500))
})
