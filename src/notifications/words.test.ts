// The text of notifications, and the waits of a way that fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { News } from './notification.ts'
import { waitAfter } from './rules.ts'
import { messageOf } from './words.ts'

const news = (sort: News['sort'], account_id: string, count: number, of = ''): News => {
  return { sort, account_id, count, of }
}

test('notification, several sorts and accounts: each sort with its sum, each account with its page', () => {
  const approvals = [
    news('payout', 'acc_a', 2),
    news('payout', 'acc_b', 1),
    news('beneficiary', 'acc_a', 1),
  ]
  assert.deepEqual(messageOf('approval', approvals, 'https://pay.example.com'), {
    subject: 'Corridor: 3 payouts wait for an approval, 1 beneficiary waits for an approval',
    text: [
      '3 payouts wait for an approval, 1 beneficiary waits for an approval.',
      'acc_a: 3 https://pay.example.com/console/acc_a/approvals',
      'acc_b: 1 https://pay.example.com/console/acc_b/approvals',
    ].join('\n'),
  })
})

test('notification, public URL unknown: no link; more than ten accounts: the others counted', () => {
  const failed = Array.from({ length: 12 }, (_, i) => news('failed', `acc_${i}`, 1))
  const { text } = messageOf('failure', failed, '')
  const lines = text.split('\n')
  assert.deepEqual(lines.slice(0, 2), ['12 payouts have failed.', 'acc_0: 1'])
  assert.deepEqual([lines.length, lines.at(-1)], [12, 'and 2 more'])
  assert.equal(
    messageOf('stale_rate', [news('rate', '', 1, 'EUR/USD')], '').text,
    '1 rate is stale: payouts cannot use it.\nEUR/USD',
  )
})

test('wait of a way that fails: 1, 2, 4 … minutes, an hour at most', () => {
  assert.deepEqual([1, 2, 3, 7, 1_000_000].map(waitAfter), [60, 120, 240, 3600, 3600])
})
