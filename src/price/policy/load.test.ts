// An operator's pricing policies as text: a table of each mistake and its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEffective, readPair, readValue } from './load.ts'

const NOW = '2026-06-01T00:00:00.000000Z'

const READ: readonly (readonly [
  read: { readonly messages?: readonly string[] },
  message: RegExp,
])[] = [
  [readValue('spread_bps', '0.5'), /^spread_bps "0\.5" is not an integer from 0 to 9999$/],
  [readValue('spread_bps', '-1'), /^spread_bps "-1" is not an integer/],
  [readValue('spread_bps', '10000'), /^spread_bps "10000" is not an integer/],
  [readValue('quote_validity_s', '0'), /"0" is not an integer from 1 to 31536000$/],
  [readValue('max_age_s', '0'), /^max_age_s "0" is not an integer from 1 to 31536000$/],
  [readValue('pivot', 'XXQ'), /^pivot "XXQ" is not a currency code such as EUR$/],
  [readPair('USDHKD'), /^pair "USDHKD" is not like USD\/HKD$/],
  [readPair('USD/HKD/EUR'), /is not like USD\/HKD$/],
  [readPair('USD/USD'), /^pair "USD\/USD" converts nothing$/],
  [readPair('USD/XXQ'), /^unknown currency XXQ$/],
  [readEffective('2026-01-01T00:00:00Z', NOW), /is past; leave it out to begin now$/],
  [readEffective('tomorrow', NOW), /is not a time such as 2026-12-01T00:00:00Z$/],
]

test('a value, a pair or a time that cannot be: what is wrong with it', () => {
  for (const [{ messages = [] }, message] of READ) {
    assert.equal(messages.length, 1)
    assert.match(messages[0] ?? '', message)
  }
})

test('what can be: as it is stored', () => {
  assert.deepEqual(readValue('spread_bps', '9999'), { value: '9999' })
  assert.deepEqual(readValue('max_age_s', 'Calendar'), { value: 'calendar' })
  assert.deepEqual(readValue('pivot', 'eur'), { value: 'EUR' })
  assert.deepEqual(readPair('usd/hkd'), { value: { from_currency: 'USD', to_currency: 'HKD' } })
})
