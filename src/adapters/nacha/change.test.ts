// The corrected data of notifications of change: each value stands at its place, or nothing is read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctedValues } from './change.ts'

const ROUTING = '091000019'
const account_number = '1918171614'
const at = (...parts: readonly (readonly [first: number, text: string])[]) =>
  parts.reduce((all, [first, text]) => all.padEnd(first - 1) + text, '')

for (const [code, data, expected] of [
  ['C01', account_number, { account_number }],
  ['C01', 'AB-12', { account_number: 'AB-12' }],
  ['C02', ROUTING, { routing_number: ROUTING }],
  ['C03', at([1, ROUTING], [13, account_number]), { routing_number: ROUTING, account_number }],
  ['C04', 'ADA KING', { name: 'ADA KING' }],
  ['C05', '32', { account_type: 'savings' }],
  ['C05', '27', { account_type: 'checking' }],
  ['C06', at([1, account_number], [21, '22']), { account_number, account_type: 'checking' }],
  [
    'C07',
    at([1, ROUTING], [10, account_number], [27, '32']),
    { routing_number: ROUTING, account_number, account_type: 'savings' },
  ],
] as const) {
  test(`NOC ${code} with "${data}": the corrected values`, () => {
    assert.deepEqual(correctedValues(code, data), expected)
  })
}

for (const [code, data, why] of [
  ['C01', '', 'empty data'],
  ['C01', '0000', 'an impossible account'],
  ['C01', `${ROUTING} 1234567`, 'two values instead of one'],
  ['C01', '123456789012345678', 'longer than its field'],
  ['C02', '091000018', 'a wrong check digit'],
  ['C02', `${ROUTING} 1`, 'more than its value'],
  ['C03', `${ROUTING} ${account_number}`, 'account in another field'],
  ['C03', ROUTING, 'account missing'],
  ['C04', '---', 'a name without a letter'],
  ['C05', '42', 'a general ledger account'],
  ['C05', '30', 'no transaction code'],
  ['C06', at([1, account_number], [20, '22']), 'code in another field'],
  ['C08', 'DEUTDEFF', 'of another class of entries'],
  ['C09', '123', "the payment's id, set by the sender"],
  ['C10', 'EXAMPLE', 'the company, which is the sender'],
  ['C13', '05', 'the format of addenda'],
  ['R61', account_number, 'no change code'],
  ['constructor', account_number, 'no change code'],
] as const) {
  test(`NOC ${code} with "${data}": no corrected value (${why})`, () => {
    assert.deepEqual(correctedValues(code, data), {})
  })
}
