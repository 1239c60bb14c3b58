// Fields of entities that must not be understood, each named by its path: what a text, a day, a
// country or a share may be. Limits, kinds and unknown members of every field are seen in test/input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblems } from '../support/assert/check.ts'
import { makeRefuser } from '../support/assert/refuses.ts'
import { fullEntity } from '../support/given/bodies.ts'

const PATH = '/v3/entity'
const { account, assertUntouched } = makeRefuser()

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
  test(`POST and PUT ${PATH}, ${path} that must not be understood: 400 naming it, no row changes`, async () => {
    const [member = ''] = path.split(/[.[]/)
    for (const value of values) {
      const body = withMember(fullEntity, path, value)
      const put = { [member]: body[member] }
      for (const answer of [
        await account().post(PATH, body),
        // Before the id is looked for.
        await account().put(`${PATH}/ent_00000000000000000000`, put),
      ]) {
        assertProblems(answer, 400, [['invalid_field', path]])
      }
    }
    await assertUntouched()
  })
}

/** Numbers that this service does not take for integers (§money.amount), though they may be whole. */
test(`POST ${PATH}, ${SHARE} by its text: 1e1, 10.0 and the like: 400 naming it`, async () => {
  for (const literal of ['1e1', '10.0', '-0', '1e400', '9007199254740993']) {
    const body = JSON.stringify(withMember(fullEntity, SHARE, 7)).replace('":7', `":${literal}`)
    assertProblems(await account().post(PATH, body), 400, [['invalid_field', SHARE]])
  }
  await assertUntouched()
})

test(`POST ${PATH}, much that is wrong at once: all of it is named`, async () => {
  const answer = await account().post(PATH, {
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
test(`POST ${PATH}, the longest texts and lists: taken`, async () => {
  const wide = (length: number) => '𐐀'.repeat(length)
  const answer = await account().post(PATH, {
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
