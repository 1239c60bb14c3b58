// Fields of entities that must not be understood: each is named by its path, none is a fault of the
// service, and none changes a row of any table. What is just within its limit is taken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblems } from '../support/assert/check.ts'
import { type BadRequest, makeRefuser } from '../support/assert/refuses.ts'
import { fullEntity, plainEntity } from '../support/given/bodies.ts'

const PATH = '/v3/entity'
const { account, refuses, assertUntouched } = makeRefuser()

/** Refused at this path of a creation, and of a change too. */
type Bad = readonly [remarks: string, value: unknown]

const long = (length: number) => 'x'.repeat(length)

const TEXTS: readonly Bad[] = [
  ...[null, '', ' ', '\u00a0\u3000', '\u200b', '\u0085 \ufeff', long(256), 7, [], true].map(
    (value): Bad => ['name', value],
  ),
  ...['company', 'Individual', '', null, 1].map((value): Bad => ['type', value]),
  ...[long(321), 7, {}, ['a@example.com']].map((value): Bad => ['email', value]),
  ['description', long(2001)],
  ['vertical', long(65)],
  ['registration_number', long(65)],
  ['registration_number', 2041],
  ['tax_id', long(65)],
  ['purpose_of_use', long(501)],
  ['relationship', long(129)],
  ['reference_id', long(129)],
  ['reference_id', false],
]

const EMAILS: readonly Bad[] = [
  'anna',
  'anna@',
  '@example.com',
  'anna@@example.com',
  'anna @example.com',
  'anna@exa mple.com',
  'anna@-example.com',
  'anna@example..com',
  'anna@example.com, bo@example.com',
  '<anna@example.com>',
  `${long(65)}@example.com`,
  `anna@${long(64)}.com`,
].map(value => ['email', value])

const DATES: readonly Bad[] = [
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-00-01',
  '2026-01-00',
  '2026-1-1',
  '31.01.2026',
  '2026-01-31T',
  '20260131',
  '+2026-01-1',
  20260131,
].map(value => ['registration_date', value])

const IDS: readonly Bad[] = [
  'x',
  'ent_',
  'pot_00000000000000000000',
  'ent_0000000000000000000',
  'ENT_00000000000000000000',
  'ent_000000000000000000000',
  7,
].map(value => ['on_behalf_of', value])

const COUNTRIES: readonly Bad[] = [
  'XX',
  'UK',
  'EU',
  'DEU',
  'D',
  'Germany',
  'D\u0415',
  'D E',
  49,
].flatMap((value): Bad[] => [
  ['registration_address.country', value],
  ['operating_address.country', value],
  ['representatives[1].nationality', value],
  ['representatives[0].address.country', value],
])

const NESTED: readonly Bad[] = [
  ['phone.code', long(9)],
  ['phone.number', long(33)],
  ['phone.number', 7],
  ['national_identification_number.type', long(65)],
  ['national_identification_number.number', long(65)],
  ['national_identification_number.number', 7],
  ['registration_address.line1', long(256)],
  ['registration_address.line2', long(256)],
  ['registration_address.city', long(129)],
  ['registration_address.state', long(129)],
  ['registration_address.postal_code', long(33)],
  ['operating_address.postal_code', 10969],
  ['operating_address.city', null],
  ['representatives[0].first_name', long(129)],
  ['representatives[0].middle_name', 7],
  ['representatives[1].last_name', long(129)],
  ['representatives[0].date_of_birth', '1980-02-30'],
  ['representatives[1].date_of_birth', 'x'],
  ['representatives[1].email', 'mei'],
  ['representatives[0].roles', 'director'],
  ['representatives[0].roles', Array(11).fill('director')],
  ['representatives[0].roles[1]', 7],
  ['representatives[0].roles[1]', long(65)],
  ['representatives[0].phone.code', 852],
  ['representatives[0].national_identification_number.number', long(65)],
  ['documents[0].type', long(65)],
  ['documents[0].file_name', long(256)],
  ['documents[0].url', long(2049)],
  ['metadata.x', 7],
  ['metadata.x', long(501)],
  ['metadata.x', null],
]

const OF_ANOTHER_KIND: readonly Bad[] = [
  ['phone', '+852'],
  ['national_identification_number', 'K1'],
  ['registration_address', 'Queen’s Road'],
  ['registration_address', []],
  ['operating_address', 7],
  ['representatives', {}],
  ['representatives', Array(51).fill({})],
  ['representatives[0]', 'Mei'],
  ['representatives[0]', null],
  ['documents', 'x'],
  ['documents', Array(21).fill({})],
  ['metadata', []],
  ['metadata', 'x'],
  ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, '']))],
]

const UNKNOWN: readonly Bad[] = [
  'x',
  'id',
  'object',
  'approval_status',
  'created_at',
  'Name',
  'constructor',
  'phone.x',
  'national_identification_number.x',
  'registration_address.line3',
  'operating_address.Country',
  'representatives[1].name',
  'representatives[0].address.x',
  'representatives[0].phone.x',
  'representatives[0].national_identification_number.x',
  'documents[0].x',
].map(path => [path, ''])

const SHARE = 'representatives[0].ownership_percentage'
const SHARES: readonly Bad[] = [
  101,
  '101',
  '100.0001',
  '999',
  -1,
  '-1',
  '+1',
  '1e1',
  '.5',
  '5.',
  '0x1',
  ' 5',
  '5%',
  '1.23456',
  '1000',
  '',
  true,
  null,
].map(value => [SHARE, value])
const SUMS: readonly Bad[] = [
  [100, 1],
  ['50.0001', '50'],
  ['099', '099'],
  ['33.3334', '33.3333', '33.3334'],
].map(shares => ['representatives', shares.map(share => ({ ownership_percentage: share }))])

const ALL = [
  ...[TEXTS, EMAILS, DATES, IDS, COUNTRIES, NESTED],
  ...[OF_ANOTHER_KIND, UNKNOWN, SHARES, SUMS],
].flat()

for (const [remarks, value] of ALL) {
  const what = `${remarks} ${JSON.stringify(value).slice(0, 40)}`
  refuses([what, PATH, withMember(fullEntity, remarks, value), 'invalid_field', remarks])
}

/** A copy with this value at this path: `representatives[1].email`. */
function withMember(body: object, path: string, value: unknown): object {
  const copy = JSON.parse(JSON.stringify(body))
  const steps = path.split(/[.[\]]+/).filter(step => step !== '')
  const last = steps.pop() ?? ''
  const parent = steps.reduce((part, step) => part[step], copy)
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true })
  return copy
}

const MISSING: readonly BadRequest[] = [
  ['no name', PATH, { type: 'business' }, 'invalid_field', 'name'],
  ['no type', PATH, { name: 'Anna' }, 'invalid_field', 'type'],
  ['an array', PATH, [plainEntity], 'invalid_field', ''],
  ['text', PATH, '"x"', 'invalid_field', ''],
  ['null', PATH, 'null', 'invalid_field', ''],
  ['nothing', PATH, '', 'invalid_json', ''],
  ['a key twice', PATH, '{"type":"business","name":"A","name":"B"}', 'invalid_json', 'name'],
]
for (const row of MISSING) refuses(row)

/**
 * Numbers that this service does not take for integers (§money.amount), though they may be whole.
 */
for (const literal of ['33.5', '1e1', '10.0', '-0', '1e400', '9007199254740993']) {
  const body = JSON.stringify(withMember(fullEntity, SHARE, 7)).replace('":7', `":${literal}`)
  refuses([`${SHARE} ${literal}`, PATH, body, 'invalid_field', SHARE])
}

test(`POST ${PATH}, much that is wrong at once: all of it is named`, async () => {
  const answer = await account().post(PATH, {
    type: 'company',
    email: 'x',
    registration_date: '2026-02-30',
    registration_address: { country: 'XX', x: '' },
    representatives: [{ nationality: 'UK' }, { ownership_percentage: 101, email: '@' }],
    y: 1,
  })
  assertProblems(answer, 400, [
    ['invalid_field', 'name'],
    ['invalid_field', 'type'],
    ['invalid_field', 'email'],
    ['invalid_field', 'registration_date'],
    ['invalid_field', 'registration_address.country'],
    ['invalid_field', 'registration_address.x'],
    ['invalid_field', 'representatives[0].nationality'],
    ['invalid_field', 'representatives[1].ownership_percentage'],
    ['invalid_field', 'representatives[1].email'],
    ['invalid_field', 'y'],
  ])
  await assertUntouched()
})

test(`PUT ${PATH}/{id}, each member that a creation refuses: refused alike, before the id is looked for`, async () => {
  const nobody = `${PATH}/ent_00000000000000000000`
  const wrong: string[] = []
  for (const [remarks, value] of ALL) {
    const [member = ''] = remarks.split(/[.[]/)
    const whole = withMember(fullEntity, remarks, value) as Record<string, unknown>
    const answer = await account().put(nobody, { [member]: whole[member] })
    const found = answer.json.errors.map((e: { remarks: string }) => e.remarks)
    if (answer.status !== 400 || found.join() !== remarks) wrong.push(`${remarks} ${answer.text}`)
  }
  assert.deepEqual(wrong, [])
  await assertUntouched()
})

for (const part of ['[]', '"x"', 'null', '7']) {
  test(`PUT ${PATH}/{id}, ${part}: 400, no row changes`, async () => {
    const answer = await account().put(`${PATH}/ent_00000000000000000000`, part)
    assertProblems(answer, 400, [['invalid_field', '']])
    await assertUntouched()
  })
}

/** The longest of each, in characters of two UTF-16 units. */
test(`POST ${PATH}, every text at its limit: taken`, async () => {
  const wide = (length: number) => '𐐀'.repeat(length)
  const address = { line1: wide(255), line2: wide(255), city: wide(128), state: wide(128) }
  const answer = await account().post(PATH, {
    type: 'business',
    name: wide(255),
    email: `${'é'.repeat(64)}@${'x'.repeat(63)}.example`,
    phone: { code: wide(8), number: wide(32) },
    description: wide(2000),
    vertical: wide(64),
    national_identification_number: { type: wide(64), number: wide(64) },
    registration_number: wide(64),
    registration_date: '0001-01-01',
    registration_address: { ...address, postal_code: wide(32) },
    tax_id: wide(64),
    purpose_of_use: wide(500),
    relationship: wide(128),
    representatives: [
      { roles: Array(10).fill(wide(64)), ownership_percentage: 2 },
      ...Array(49).fill({ ownership_percentage: '2.0000' }),
    ],
    documents: [{ type: wide(64), file_name: wide(255), url: long(2048) }, ...Array(19).fill({})],
    reference_id: wide(128),
    metadata: {
      [wide(40)]: wide(500),
      ...Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`${i}`, ''])),
    },
  })
  assert.equal(answer.status, 200, answer.text.slice(0, 500))
})
