// The sentences of the audit log about approval rules and limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWords } from './audit-words.ts'

const RULE = {
  rule_id: 'apr_1',
  subject: 'payout',
  account_id: 'acc_acme',
  key_id: null,
  payout_type: 'swift',
  network: null,
  country: 'US',
  currency: null,
  new_payee: 'true',
  at_least: '1000000',
  at_least_currency: 'USD',
  approvers: '2',
  expires_after_days: '30',
}

const LIMIT = {
  limit_id: 'lim_1',
  account_id: null,
  key_id: null,
  rail: null,
  network: 'fps',
  new_for_hours: '1',
  each: 'payee',
  currency: 'USD',
  per: 'day',
  zone: 'Europe/Berlin',
  hours: null,
  cap: '5000000',
}

const RULE_WORDS =
  'approval rule apr_1: payouts of account acc_acme of type swift to country US from USD ' +
  '10,000.00 on to new payees need 2 approvers within 30 days'

const SENTENCES: readonly (readonly [Parameters<typeof auditWords>[0], string])[] = [
  [{ table_name: 'approval_rules', before: null, after: RULE }, `added ${RULE_WORDS}`],
  [{ table_name: 'approval_rules', before: RULE, after: null }, `removed ${RULE_WORDS}`],
  [
    { table_name: 'limits', before: null, after: LIMIT },
    'added limit lim_1: payouts of each account over network fps to each payee known for less ' +
      'than an hour, at most USD 50,000.00 a day of Europe/Berlin',
  ],
  [
    {
      table_name: 'limits',
      before: { ...LIMIT, currency: null, per: 'hours', zone: null, hours: '24', cap: '3' },
      after: null,
    },
    'removed limit lim_1: payouts of each account over network fps to each payee known for less ' +
      'than an hour, at most 3 payouts in 24 hours',
  ],
  [
    { table_name: 'limits', before: LIMIT, after: { ...LIMIT, cap: '8000000' } },
    'raised limit lim_1 from 50,000.00 USD to 80,000.00 USD',
  ],
]

for (const [change, sentence] of SENTENCES) {
  test(`change of ${change.table_name} in words: ${sentence}`, () => {
    assert.equal(auditWords(change), sentence)
  })
}
