// Which payouts and beneficiaries need an approval, how many people must give it, who may decide, and
// which decisions count, as tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AN_HOUR_AGO, NOW, pricing, refusalOf } from '../../../test/support/given/in-memory.ts'
import { anyRule } from '../../../test/support/service/approvals.ts'
import type { ApprovalRule, JudgedPayout, PayoutApproval, UserDecision } from './approval.ts'
import { checkDecision, isComplete, neededFor, neededForBeneficiary } from './rules.ts'

const payout: JudgedPayout = {
  key_id: 'key_1',
  payout_type: 'local',
  networks: ['fps'],
  currency: 'USD',
  destination_currency: 'HKD',
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
  ['absent', [], false],
  ['of another key', [{ key_id: 'key_2' }], false],
  ['of this key', [{ key_id: 'key_1' }], true],
  ['of another type', [{ payout_type: 'swift' }], false],
  ['of this type', [{ payout_type: 'local' }], true],
  ['of another network', [{ network: 'chats' }], false],
  ['of this network', [{ network: 'fps' }], true],
  ['of another currency', [{ currency: 'EUR' }], false],
  ['of the destination currency', [{ currency: 'HKD' }], true],
  ['of another country', [{ country: 'DE' }], false],
  ['of this country', [{ country: 'HK' }], true],
  ['of new payees', [{ new_payee: true }], false],
  ['above the amount', [{ at_least: 1001n, at_least_currency: 'USD' }], false],
  ['at exactly the amount', [{ at_least: 1000n, at_least_currency: 'USD' }], true],
  ['above it in another currency', [{ at_least: 7801n, at_least_currency: 'HKD' }], false],
  [
    'at exactly the amount in another currency',
    [{ at_least: 7800n, at_least_currency: 'HKD' }],
    true,
  ],
  ['in a currency without a rate', [{ at_least: 9999n, at_least_currency: 'JPY' }], true],
  ['with one of two conditions met', [{ payout_type: 'local', currency: 'EUR' }], false],
  ['beside a rule that does not match', [{ payout_type: 'swift' }, { currency: 'USD' }], true],
]

for (const [what, rules, waits] of RULES) {
  test(`neededFor, approval rule ${what}: the payout ${waits ? 'needs approval' : 'needs none'}`, () => {
    assert.equal(needed(rules) !== null, waits)
  })
}

test('neededFor, several rules match: the largest number of approvers, the earliest expiry, every rule named', () => {
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

test('neededFor, API key of kind makes-only, no rule: one approver, the usual expiry', () => {
  assert.deepEqual(needed([], true), {
    approvers: 1,
    expires_at: NOW.replace('2026-01-31', '2026-03-02'),
    rules: [],
  })
})

test('neededForBeneficiary, rule for its key or country: needs approval; rule for another key or country: needs none', () => {
  const needs = (rule: Partial<ApprovalRule>) => {
    const judged = { key_id: 'key_1', mayBeIn: (country: string) => country === 'HK' }
    return neededForBeneficiary([{ ...anyRule, ...rule }], judged, NOW) !== null
  }
  assert.deepEqual([{}, { key_id: 'key_1' }, { country: 'HK' }].map(needs), [true, true, true])
  assert.deepEqual([{ key_id: 'key_2' }, { country: 'DE' }].map(needs), [false, false])
})

const [SHOWN, OTHER] = ['5a'.repeat(32), '5b'.repeat(32)] as const
const approval: PayoutApproval = {
  account_id: 'acc_1',
  payout_id: 'pot_1',
  approvers: 2,
  requested_at: AN_HOUR_AGO,
  expires_at: NOW.replace('2026-01-31', '2026-02-03'),
  digest: SHOWN,
  made_by: 'eve',
  makers: ['eve', 'max'],
  key_id: 'key_1',
  rules: [],
  outcome: '',
  ended_at: null,
  payee: '',
}

function decided(user_name: string, part: Partial<UserDecision> = {}): UserDecision {
  const by = { account_id: 'acc_1', user_name, reason: '', decided_at: AN_HOUR_AGO }
  return { ...by, decision: 'approve', digest: SHOWN, ...part }
}

/** The approvers; max, who made the key, has given mary a login link. */
const APPROVERS = new Map<string, readonly string[]>([
  ...['ann', 'bob', 'cid', 'eve', 'max'].map(name => [name, []] as const),
  ['mary', ['max']],
  ['moe', ['gus']],
])

const DECIDED: readonly (readonly [
  what: string,
  user_name: string,
  more: { readonly digest?: string; readonly makers?: string[]; readonly now?: string },
  reason: RegExp | undefined,
])[] = [
  ['of an approver', 'bob', { digest: SHOWN }, undefined],
  ['without a digest, as a rejection', 'bob', {}, undefined],
  ['of no approver', 'val', {}, /^approval_not_allowed .*val is no approver/],
  ['of the maker', 'eve', {}, /^approval_not_allowed .*eve has made it/],
  ['of one of several makers', 'bob', { makers: ['eve', 'bob'] }, /^approval_not_allowed/],
  ["of a user whose name contains the maker's", 'bob', { makers: ['bobby'] }, undefined],
  [
    'of the person who made the key',
    'max',
    {},
    /^approval_not_allowed .*max has made it, or the key/,
  ],
  [
    'of a user whose login link the maker made',
    'mary',
    {},
    /^approval_not_allowed .*given mary a role/,
  ],
  ['of a user whose login link another person made', 'moe', {}, undefined],
  ['at the end of its time', 'bob', { now: approval.expires_at }, /^invalid_transition/],
  ['a second time', 'ann', {}, /^already_decided/],
  ['about another digest', 'bob', { digest: OTHER }, /^approval_outdated at digest/],
]

for (const [what, user_name, { now = NOW, makers = approval.makers, digest }, reason] of DECIDED) {
  test(`checkDecision, ${what}: ${reason === undefined ? 'accepted' : 'refused'}`, () => {
    const open = { approval: { ...approval, makers }, decisions: [decided('ann')] }
    const asked = { user_name, decision: 'approve', reason: '', ...(digest && { digest }) } as const
    const check = () => checkDecision('it', open, asked, APPROVERS, now)
    if (reason === undefined) check()
    else assert.match(refusalOf(check).join(), reason)
  })
}

test('isComplete: only with enough approvals of current approvers, who are not makers, of the current digest', () => {
  const complete = (...decisions: UserDecision[]) => isComplete({ approval, decisions }, APPROVERS)
  assert.equal(complete(decided('ann'), decided('bob')), true)
  for (const other of [
    decided('gus'),
    decided('eve'),
    decided('mary'),
    decided('bob', { digest: OTHER }),
    decided('bob', { decision: 'reject' }),
  ]) {
    assert.equal(complete(decided('ann'), other), false, JSON.stringify(other))
  }
})
