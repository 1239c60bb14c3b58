// Limits in words, as answers, the CLI's lists and the history show them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitKind } from './limit.ts'
import { kindWords, quantity, windowName, windowWords } from './words.ts'

const ANY: LimitKind = {
  account_id: null,
  key_id: null,
  rail: null,
  network: null,
  new_for_hours: null,
  each: 'account',
  currency: null,
  per: 'payout',
  zone: null,
  hours: null,
}

const KINDS: readonly (readonly [part: Partial<LimitKind>, words: string])[] = [
  [{}, 'each account'],
  [{ account_id: 'acc_1' }, 'account acc_1'],
  [{ account_id: 'acc_1', key_id: 'key_1' }, 'account acc_1 by key key_1'],
  [{ each: 'key' }, 'each account by each key'],
  [{ rail: 'bank', network: 'fps' }, 'each account on rail bank over network fps'],
  [{ each: 'payee' }, 'each account to each payee'],
  [{ new_for_hours: 1 }, 'each account to payees known for less than an hour'],
  [{ each: 'payee', new_for_hours: 72 }, 'each account to each payee known for less than 72 hours'],
]

for (const [part, words] of KINDS) {
  test(`kindWords, ${JSON.stringify(part)}: ${words}`, () => {
    assert.equal(kindWords({ ...ANY, ...part }), words)
  })
}

test('windowWords and windowName: per payout, a day, an hour, several hours', () => {
  const both = (part: Partial<LimitKind>) => {
    const kind = { ...ANY, ...part }
    return [windowWords(kind), windowName(kind)]
  }
  assert.deepEqual(both({}), ['a payout', 'payout'])
  assert.deepEqual(both({ per: 'day', zone: 'UTC' }), ['a day of UTC', 'day:UTC'])
  assert.deepEqual(both({ per: 'hours', hours: 1 }), ['in an hour', '1h'])
  assert.deepEqual(both({ per: 'hours', hours: 24 }), ['in 24 hours', '24h'])
})

test('quantity, limit on an amount: in major units; limit on a number: in payouts', () => {
  assert.equal(quantity('USD', 100_050n), 'USD 1000.50')
  assert.equal(quantity('JPY', 7n), 'JPY 7')
  assert.equal(quantity(null, 0n), '0 payouts')
  assert.equal(quantity(null, 1n), '1 payout')
  assert.equal(quantity(null, 2n), '2 payouts')
})
