// The report of an attempt by its evidence: each end, what says nothing yet, and contradictions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAgainIn, isEnded, reportOf } from './steps.ts'

const AT = '2026-11-30T12:00:00.000000Z'
const row = (code: string, reasons: readonly string[] = [], message = 'why') => ({
  ...{ code, reasons, message, reference: '0xaa', received_at: AT, number: 1 },
})

const NOTHING = { steps: [] }
const failed = (code: string, category: string) => ({
  steps: [{ status: 'failed', failure: { code, category, message: 'why' } }],
})
const again = (code: string) => ({
  steps: [],
  not_taken: { code, message: 'why', again_from: AT },
})

const CASES: readonly [string, readonly ReturnType<typeof row>[], number, unknown][] = [
  ['no evidence', [], 1, NOTHING],
  ['sent', [row('sent')], 1, NOTHING],
  ['sent, replaced and mined', [row('sent'), row('replaced'), row('mined')], 1, NOTHING],
  ['mined and reorged', [row('mined'), row('reorged')], 1, NOTHING],
  ['a code of a later version', [row('adorned')], 1, NOTHING],
  ['final', [row('mined'), row('final')], 1, { steps: [{ status: 'succeeded', failure: null }] }],
  ['reverted, the first attempt', [row('reverted', ['reverted'])], 1, again('reverted')],
  ['reverted, the second attempt', [row('reverted', ['reverted'])], 2, again('reverted')],
  [
    'reverted, the third attempt',
    [row('reverted', ['reverted'])],
    3,
    failed('PF000671', 'rejected'),
  ],
  ['reverted, payee frozen', [row('reverted', ['frozen'])], 1, failed('PF000512', 'account')],
  ['refused, payee frozen', [row('refused', ['frozen'])], 1, failed('PF000512', 'account')],
  ['refused, would revert', [row('refused', ['reverted'])], 1, failed('PF000671', 'rejected')],
  [
    'refused, cannot carry',
    [row('refused', ['cannot_carry'])],
    1,
    { steps: [], not_taken: { code: 'cannot_carry', message: 'why' } },
  ],
  ['voided, to fail', [row('voided', ['fail'])], 1, failed('PF000690', 'cancelled')],
  ['voided, to go again', [row('voided', ['again'])], 1, again('voided')],
  [
    'another amount',
    [row('differs')],
    1,
    { steps: [], exception: { kind: 'amount_differs', message: 'why' } },
  ],
  [
    'foreign',
    [row('foreign')],
    1,
    { steps: [], exception: { kind: 'foreign_transaction', message: 'why' } },
  ],
  [
    'foreign, then final after all',
    [row('foreign'), row('mined'), row('final')],
    1,
    { steps: [{ status: 'succeeded', failure: null }] },
  ],
]

test('evidence of a chain, its final block taken back: exception history_changed; mined again: succeeded', () => {
  const taken_back = [row('mined'), row('final'), row('reorged')]
  const { steps, exception } = reportOf(taken_back, 1)
  assert.deepEqual([steps, exception?.kind], [[], 'history_changed'])
  const again = reportOf([...taken_back, row('mined'), row('final')], 1)
  assert.deepEqual(again, { steps: [{ status: 'succeeded', failure: null }] })
})

for (const [what, evidence, attempt, report] of CASES) {
  test(`evidence of a chain, ${what}: the report`, () => {
    assert.deepEqual(reportOf(evidence, attempt), report)
  })
}

test('evidence of a chain, two ends of one nonce: exception contradiction and no step', () => {
  for (const other of ['reverted', 'voided', 'differs', 'refused']) {
    const { steps, exception, not_taken } = reportOf([row('final'), row(other)], 1)
    assert.deepEqual([steps, exception?.kind, not_taken], [[], 'contradiction', undefined])
  }
})

test('evidence of a chain, an end: nothing more follows; before it: something does', () => {
  assert.equal(isEnded([row('sent'), row('mined')]), false)
  for (const end of ['refused', 'final', 'reverted', 'voided', 'differs', 'foreign']) {
    assert.equal(isEnded([row('sent'), row(end)]), true)
  }
})

test('next question about a payment: a block, then half of its age, at most a quarter hour', () => {
  assert.equal(askAgainIn(0, 12_000), 12_000)
  assert.equal(askAgainIn(0, 250), 1_000)
  assert.equal(askAgainIn(60_000, 2_000), 30_000)
  assert.equal(askAgainIn(86_400_000, 2_000), 900_000)
})
