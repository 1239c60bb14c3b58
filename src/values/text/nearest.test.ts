// Tests the known name that an unknown name suggests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean, nearestOf } from './nearest.ts'

const KNOWN = ['chats', 'fps', 'sepa', 'sepa_instant', 'faster_payments', 'manual']

const MEANT: readonly (readonly [written: string, nearest: string | undefined])[] = [
  ['chat', 'chats'],
  ['CHATS', 'chats'],
  ['cahts', 'chats'],
  ['fsp', 'fps'],
  ['faster payment', 'faster_payments'],
  ['sepa_instnat', 'sepa_instant'],
  ['manuel', 'manual'],
  ['swift', undefined],
  ['', undefined],
  ['x', undefined],
]

for (const [written, nearest] of MEANT) {
  test(`nearestOf "${written}": ${nearest ?? 'none'}`, () => {
    assert.equal(nearestOf(written, KNOWN), nearest)
  })
}

test('didYouMean, near name: a question; none: empty', () => {
  assert.equal(didYouMean('manaul', KNOWN), '; did you mean manual?')
  assert.equal(didYouMean('nothing like it', KNOWN), '')
})
