// Which payouts need an approval, and how many people must give it, as tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW, pricing } from '../../test/support/given/in-memory.ts'
import { anyRule } from '../../test/support/service/approvals.ts'
import type { ApprovalRule, JudgedPayout } from './approval.ts'
import { neededFor } from './rules.ts'

const payout: JudgedPayout = {
  key_id: 'key_1',
  payout_type: 'local',
  network: 'fps',
  currency: 'USD',
  amount: 1000n,
  payee_is_new: false,
  mayBeIn: country => country === 'HK',
}

function needed(rules: readonly Partial<ApprovalRule>[], makes_only = false) {
  const complete = rules.map(rule => ({ ...anyRule, ...rule }))
  const rating = { pricing: pricing({ 'USD/HKD': '7.8' }), rates_now: NOW }
  return neededFor(complete, payout, { makes_only }, rating, NOW)
}

const RULES: readonly (readonly [
  what: string,
  rules: readonly Partial<ApprovalRule>[],
  waits: boolean,
])[] = [
  ['of all payouts', [{}], true],
  ['none', [], false],
  ['of another key', [{ key_id: 'key_2' }], false],
  ['of this key', [{ key_id: 'key_1' }], true],
  ['of another type', [{ payout_type: 'swift' }], false],
  ['of this type', [{ payout_type: 'local' }], true],
  ['of another network', [{ network: 'chats' }], false],
  ['of this network', [{ network: 'fps' }], true],
  ['of another currency', [{ currency: 'EUR' }], false],
  ['of another country', [{ country: 'DE' }], false],
  ['of this country', [{ country: 'HK' }], true],
  ['of new payees', [{ new_payee: true }], false],
  ['above the amount', [{ at_least: 1001n, at_least_currency: 'USD' }], false],
  ['from the amount on', [{ at_least: 1000n, at_least_currency: 'USD' }], true],
  ['above it in another currency', [{ at_least: 7801n, at_least_currency: 'HKD' }], false],
  ['from it on in another currency', [{ at_least: 7800n, at_least_currency: 'HKD' }], true],
  ['in a currency without a rate', [{ at_least: 9999n, at_least_currency: 'JPY' }], true],
  ['one condition of two', [{ payout_type: 'local', currency: 'EUR' }], false],
  ['one rule of two', [{ payout_type: 'swift' }, { currency: 'USD' }], true],
]

for (const [what, rules, waits] of RULES) {
  test(`neededFor, a rule ${what}: the payout ${waits ? 'waits' : 'goes on'}`, () => {
    assert.equal(needed(rules) !== null, waits)
  })
}

test('neededFor, several rules that fit: the most people and the earliest end, each rule named', () => {
  const rules = [
    { rule_id: 'apr_1', approvers: 2, expires_after_days: 30 },
    { rule_id: 'apr_2', approvers: 1, expires_after_days: 3 },
    { rule_id: 'apr_3', approvers: 9, currency: 'EUR' },
  ]
  assert.deepEqual(needed(rules), {
    approvers: 2,
    expires_at: NOW.replace('2026-01-31', '2026-02-03'),
    rules: ['apr_1', 'apr_2'],
  })
})

test('neededFor, a key that makes only: one person within the usual time, without a rule', () => {
  assert.deepEqual(needed([], true), {
    approvers: 1,
    expires_at: NOW.replace('2026-01-31', '2026-03-02'),
    rules: [],
  })
})
