// A limit as an operator asks for it: a table of each mistake, its member and its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefusedAt } from '../../../test/support/assert/refusal.ts'
import { type AskedLimit, judgeLimit } from './asked-limit.ts'

const known = {
  rails: ['manual', 'simulator'],
  keys: new Map([['key_a', 'acc_a']]),
  networkName: (name: string) => (name === 'chats' ? name : undefined),
}

const WRONG: readonly (readonly [asked: AskedLimit, member: string, message: RegExp])[] = [
  [{ hours: 24 }, 'amount', /an amount with its currency, or a count/],
  [{ count: 1, amount: 1, hours: 1 }, 'amount', /Say what is limited/],
  [{ count: 1, currency: 'USD', hours: 1 }, 'currency', /has no currency/],
  [{ count: 1 }, 'per', /Say for how long/],
  [{ count: 1, per: 'hours' }, 'per', /Say for how long/],
  [{ count: 1, per: 'day', zone: 'UTC', hours: 1 }, 'per', /Say for how long/],
  [{ count: 1, per: 'day' }, 'zone', /A day needs its zone/],
  [{ count: 1, per: 'day', zone: 'Europe/Berlni' }, 'zone', /no time zone Europe\/Berlni/],
  [{ count: 1, hours: 1, zone: 'UTC' }, 'zone', /Only a day has a zone/],
  [{ count: 1, per: 'payout' }, 'count', /A single payout is one payout: send an amount/],
  [{ amount: 1, hours: 1 }, 'currency', /An amount is of a currency/],
  [{ amount: 1, currency: 'UDS', hours: 1 }, 'currency', /did you mean USD/],
  [{ count: 1, hours: 1, rail: 'simulater' }, 'rail', /no rail simulater.*did you mean simulator/],
  [{ count: 1, hours: 1, network: 'chat' }, 'network', /no network chat/],
  [{ count: 1, hours: 1, key_id: 'key_none' }, 'key_id', /no key key_none/],
  [{ count: 1, hours: 1, key_id: 'key_a', account_id: 'acc_b' }, 'key_id', /of account acc_a/],
  [{ count: 1, hours: 1, key_id: 'key_a', each: 'key' }, 'each', /send one of the two/],
]

for (const [asked, member, message] of WRONG) {
  test(`judgeLimit, ${JSON.stringify(asked)}: refused at ${member}`, () => {
    assertRefusedAt(() => judgeLimit(asked, known), member, message)
  })
}

test('judgeLimit, rail name in upper case: accepted, stored in lower case', () => {
  assert.equal(judgeLimit({ count: 1, hours: 1, rail: 'Manual' }, known).rail, 'manual')
})

test("judgeLimit, key without an account: the limit belongs to the key's account", () => {
  const { account_id, key_id } = judgeLimit({ count: 1, hours: 1, key_id: 'key_a' }, known)
  assert.deepEqual([account_id, key_id], ['acc_a', 'key_a'])
})
