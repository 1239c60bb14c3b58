// An operator's limit as text: a table of each mistake and its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LimitCells, readLimit } from './load.ts'

const vocabulary = {
  rails: ['manual', 'simulator'],
  keys: new Map([['key_a', 'acc_a']]),
  networkName: (name: string) => (name === 'chats' ? name : undefined),
}

const WRONG: readonly (readonly [cells: LimitCells, message: RegExp])[] = [
  [{ hours: '24' }, /say what is limited: --amount with its --currency, or --count/],
  [{ count: '1', amount: '1', hours: '1' }, /say what is limited/],
  [{ count: '1' }, /say for how long/],
  [{ count: '1', hours: '745' }, /"745" is not a whole number from 1 to 744/],
  [{ count: '-1', hours: '1' }, /"-1" is not a whole number of payouts/],
  [{ count: '1', per: 'day' }, /a day needs a --zone/],
  [{ count: '1', per: 'day', zone: 'Europe/Berlni' }, /unknown time zone Europe\/Berlni/],
  [{ count: '1', per: 'Day' }, /a day needs a --zone/],
  [{ count: '1', per: 'Month' }, /--per "Month" is neither payout nor day/],
  [{ count: '1', hours: '1', zone: 'UTC' }, /--zone "UTC" goes with --per day alone/],
  [{ count: '1', per: 'payout' }, /a single payout is one payout: say --amount/],
  [{ count: '1', per: 'Payout' }, /a single payout is one payout: say --amount/],
  [{ amount: '1', hours: '1' }, /--amount needs the --currency/],
  [{ amount: '1.001', currency: 'USD', hours: '1' }, /is not an amount in USD/],
  [{ count: '1', hours: '1', newFor: '0' }, /--new-for "0" is not a whole number of hours/],
  [{ count: '1', hours: '1', rail: 'simulater' }, /unknown rail simulater/],
  [{ count: '1', hours: '1', network: 'chat' }, /unknown network chat/],
  [{ count: '1', hours: '1', key: 'key_none' }, /there is no key key_none/],
]

for (const [cells, message] of WRONG) {
  test(`a limit of ${JSON.stringify(cells)}: refused`, () => {
    const { messages = [] } = readLimit(cells, vocabulary)
    assert.equal(messages.length, 1, messages.join('; '))
    assert.match(messages[0] ?? '', message)
  })
}

test('a limit whose --each, --rail and --per have capitals: read as without', () => {
  const { value } = readLimit(
    { count: '1', each: 'Payee', rail: 'Manual', per: 'DAY', zone: 'UTC' },
    vocabulary,
  )
  assert.deepEqual(
    [value?.each, value?.rail, value?.per, value?.zone],
    ['payee', 'manual', 'day', 'UTC'],
  )
})
