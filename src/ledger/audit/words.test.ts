// The sentences of the audit log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeWords } from './words.ts'

const LIMIT = {
  limit_id: 'lim_1',
  account_id: 'acc_acme',
  currency: 'USD',
  cap: '5000000',
  zone: null,
}

const SENTENCES: readonly (readonly [Parameters<typeof changeWords>[0], string])[] = [
  [
    { table_name: 'limits', before: LIMIT, after: { ...LIMIT, cap: '8000000' } },
    'raised limit lim_1 of acc_acme from 50,000.00 USD to 80,000.00 USD',
  ],
  [
    { table_name: 'limits', before: LIMIT, after: { ...LIMIT, cap: '1', currency: 'JPY' } },
    'changed limit lim_1 of acc_acme: currency from USD to JPY, cap from 50,000.00 USD to 1 JPY',
  ],
  [
    { table_name: 'limits', before: null, after: LIMIT },
    'added limit lim_1 of acc_acme: currency USD, cap 50,000.00 USD',
  ],
  [{ table_name: 'limits', before: LIMIT, after: null }, 'removed limit lim_1 of acc_acme'],
  [
    {
      table_name: 'rates',
      before: { base: 'EUR', quote: 'USD', mid: '1.1' },
      after: { base: 'EUR', quote: 'USD', mid: '1.2' },
    },
    'changed rate EUR/USD from 1.1 to 1.2',
  ],
  [
    {
      table_name: 'accounts',
      before: { account_id: 'acc_a', state: 'active' },
      after: { account_id: 'acc_a', state: 'frozen' },
    },
    'changed account acc_a from active to frozen',
  ],
  [
    {
      table_name: 'sessions',
      before: null,
      after: {
        user_name: 'ada',
        secret_digest: 'ff00',
        created_at: '2026-11-29T23:32:38.552545+00:00',
        confirmed_at: '2026-11-29T23:32:38.552545+00:00',
      },
    },
    'added session of ada: confirmed at 2026-11-29 23:32:38 UTC',
  ],
  [
    { table_name: 'odd_rows', before: null, after: { a: '1', b: '2', c: '3', d: '4', e: '' } },
    'added odd rows: a 1, b 2, c 3 and 1 more',
  ],
]

for (const [change, sentence] of SENTENCES) {
  test(`change of ${change.table_name} in words: ${sentence}`, () => {
    assert.equal(changeWords(change), sentence)
  })
}
