// What a text, a day, a country or a share of an entity may be, as tables: the schemas of creation
// and change, and the checks of fields.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullEntity } from '../../../test/support/given/bodies.ts'
import { openValidator } from '../../http/validators.ts'
import { Refusal } from '../../values/errors.ts'
import { checkEntity, EntityRequest, EntityUpdate } from './request.ts'

const long = (length: number) => 'x'.repeat(length)
const SHARE = 'representatives[0].ownership_percentage'

/** By path. */
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
function withMember(path: string, value: unknown): Record<string, unknown> {
  const copy = JSON.parse(JSON.stringify(fullEntity))
  const steps = path.split(/[.[\]]+/).filter(step => step !== '')
  const last = steps.pop() ?? ''
  steps.reduce((part, step) => part[step], copy)[last] = value
  return copy
}

const creation = openValidator(EntityRequest)
const change = openValidator(EntityUpdate)

/** The places that the schema or, of what fits it, the check names. */
function placesOf(validate: typeof creation, body: object): string[] {
  if (!validate(body)) {
    const paths = (validate.errors ?? []).map(({ instancePath }) => instancePath.slice(1))
    return paths.map(path => path.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.'))
  }
  try {
    checkEntity(body as Parameters<typeof checkEntity>[0])
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems.map(({ remarks }) => remarks)
  }
}

test('entity request with the longest texts and lists: no fault', () => {
  assert.deepEqual(placesOf(creation, fullEntity), [])
  /** In characters of two UTF-16 units. */
  const wide = (length: number) => '𐐀'.repeat(length)
  const longest = {
    type: 'business',
    name: wide(255),
    email: `${'é'.repeat(64)}@${long(63)}.example`,
    registration_date: '0001-01-01',
    representatives: [
      { roles: Array(10).fill(wide(64)), ownership_percentage: 2 },
      ...Array(49).fill({ ownership_percentage: '2.0000' }),
    ],
    metadata: { [wide(40)]: wide(500) },
  }
  assert.deepEqual(placesOf(creation, longest), [])
})

for (const [path, values] of Object.entries(WRONG)) {
  test(`entity creation and update, invalid ${path}: fault at ${path}`, () => {
    const [member = ''] = path.split(/[.[]/)
    for (const value of values) {
      const body = withMember(path, value)
      const what = JSON.stringify(value)
      assert.deepEqual([...new Set(placesOf(creation, body))], [path], what)
      const part = { [member]: body[member] }
      assert.deepEqual([...new Set(placesOf(change, part))], [path], what)
    }
  })
}
