// Pricing policies as an operator asks for them: a table of each mistake, its member and its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefusedAt } from '../../../test/support/assert/refusal.ts'
import { judgeFrom, judgePolicies } from './asked-policy.ts'

const NOW = '2026-06-01T00:00:00.000000Z'

const WRONG: readonly (readonly [name: string, judge: () => unknown, member: string, RegExp])[] = [
  ['no value', () => judgePolicies({}), '', /^Say what to set: spread_bps, /],
  ['max_age_s of zero', () => judgePolicies({ max_age_s: '0' }), 'max_age_s', /from 1 to 31536000/],
  ['an unknown pivot', () => judgePolicies({ pivot: 'XXQ' }), 'pivot', /no currency XXQ/],
  [
    'the pivot of an account',
    () => judgePolicies({ pivot: 'EUR', account_id: 'acc_1' }),
    'pivot',
    /for the whole installation/,
  ],
  [
    'half a pair',
    () => judgePolicies({ spread_bps: 1, to_currency: 'USD' }),
    'from_currency',
    /two currencies/,
  ],
  [
    'a pair of one currency',
    () => judgePolicies({ spread_bps: 1, from_currency: 'USD', to_currency: 'USD' }),
    'to_currency',
    /two currencies/,
  ],
  [
    'a pair with an unknown currency',
    () => judgePolicies({ spread_bps: 1, from_currency: 'USD', to_currency: 'XXQ' }),
    'to_currency',
    /no currency XXQ/,
  ],
  ['a time in the past', () => judgeFrom('2026-01-01T00:00:00Z', NOW), 'from', /is past/],
  ['a text that is no time', () => judgeFrom('tomorrow', NOW), 'from', /is not a time such as/],
]

for (const [name, judge, member, message] of WRONG) {
  test(`judgePolicies, ${name}: refused at ${member || 'the body'}`, () => {
    assertRefusedAt(judge, member, message)
  })
}

test('judgePolicies, valid values: stored unchanged', () => {
  const asked = { spread_bps: 9_999, max_age_s: 'Calendar', account_id: 'acc_1' }
  assert.deepEqual(judgePolicies(asked), {
    scope: { account_id: 'acc_1', from_currency: null, to_currency: null },
    values: { spread_bps: '9999', max_age_s: 'calendar' },
  })
  assert.deepEqual(judgePolicies({ pivot: 'EUR' }).values, { pivot: 'EUR' })
  assert.equal(judgeFrom(undefined, NOW), NOW)
})

test('judgePolicies, max_age_s with leading zeros: stored as the number', () => {
  assert.equal(judgePolicies({ max_age_s: '00600' }).values.max_age_s, '600')
})
