// Mistakes of the finger in pricing policies: what a person must confirm, and what is set at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMistake } from './guard.ts'
import type { PolicyName } from './rules.ts'

const CASES: readonly (readonly [
  name: PolicyName,
  value: string,
  present: string | undefined,
  mistake: string | undefined,
])[] = [
  ['spread_bps', '501', undefined, 'spread_bps 501 is more than 500'],
  ['spread_bps', '5000', '4999', 'spread_bps 5000 is more than 500'],
  ['spread_bps', '500', '50', 'spread_bps 500 is more than three times the present 50'],
  ['spread_bps', '151', '50', 'spread_bps 151 is more than three times the present 50'],
  ['spread_bps', '150', '50', undefined],
  ['spread_bps', '500', '0', undefined],
  ['spread_bps', '500', undefined, undefined],
  ['spread_bps', '0', '50', undefined],
  ['max_age_s', '604801', undefined, 'max_age_s 604801 is more than 604800, seven days'],
  ['max_age_s', '604800', '1', undefined],
  ['max_age_s', 'calendar', '1', undefined],
  ['quote_validity_s', '86401', '86400', 'quote_validity_s 86401 is more than 86400, a day'],
  ['quote_validity_s', '86400', '1', undefined],
  ['schedule_s', '2592001', '0', 'schedule_s 2592001 is more than 2592000, thirty days'],
  ['schedule_s', '2592000', '0', undefined],
  ['pivot', 'USD', 'EUR', undefined],
]

for (const [name, value, present, mistake] of CASES) {
  test(`findMistake, ${name} ${value} after ${present ?? 'no value'}: ${mistake ?? 'no mistake'}`, () => {
    const before = present === undefined ? undefined : { value: present }
    assert.equal(findMistake(name, value, before), mistake)
  })
}
