// What an ACH file asks of people: the words, and the day by which the bank expects an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BankLine,
  type BankProfile,
  EMPTY_LINE,
} from '../../values/bank-format/bank-format.ts'
import { noticeOf } from './notice.ts'

const CHANGE = { old_account: '1', old_routing: '', corrected: { account_number: '17' } }
const nacha = { nacha: {} as NonNullable<BankProfile['nacha']> }
const line = (change: Partial<BankLine>): BankLine => ({
  ...EMPTY_LINE,
  ...{ text: 'the account number is wrong: 17', reference: '091000010000001' },
  ...{ instruction_id: '021000020000007', change: CHANGE },
  ...change,
})
/** Wednesday before Thanksgiving, at night in New York: the 25th there. */
const AT = '2026-11-26T03:00:00.000000Z'

for (const [code, kind, words] of [
  [
    'C01',
    'change_notified',
    /^Correct the payee by 2026-12-04, .* C01, .*: 17 \(trace number of the payment: 021000020000007; trace number of the notice: 091000010000001\)\.$/,
  ],
  ['C13', 'change_notified', /^Correct the payee by 2026-12-04/],
  ['R61', 'return_answered', /^Look at the return by 2026-11-30\. .* R61, /],
  ['R70', 'return_answered', /^Look at the return by 2026-11-30/],
  ['R71', 'return_answered', /^Look at the return\. The bank says, R71, /],
] as const) {
  test(`notification of change ${code}: ${kind}, with the due day`, () => {
    const notice = noticeOf(line({ reasons: [code] }), nacha, AT)
    assert.equal(notice?.kind, kind)
    assert.match(notice?.message ?? '', words)
    const [, day = ''] = / by (\d{4}-\d\d-\d\d)/.exec(notice?.message ?? '') ?? []
    assert.equal(notice?.until, day)
    assert.deepEqual(notice?.change, kind === 'change_notified' ? CHANGE : null)
  })
}

test('notice of a bank, line without a code, a return, or an ISO 20022 line: none', () => {
  assert.equal(noticeOf(line({}), nacha, AT), undefined)
  assert.equal(noticeOf(line({ level: 'return', reasons: ['R03'] }), nacha, AT), undefined)
  assert.equal(noticeOf(line({ reasons: ['C01'] }), { nacha: null }, AT), undefined)
})

test('notice of a bank, long text: message bounded', () => {
  const notice = noticeOf(line({ reasons: ['C01'], text: 'x'.repeat(9_000) }), nacha, AT)
  assert.ok((notice?.message.length ?? 0) < 600)
})
