// What a report means while an exception is open: one that anybody can cause holds nothing back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAttempt, RailException } from '../../rails/attempt.ts'
import type { RailStep } from '../../rails/rail.ts'
import type { OpenPayout } from '../payout.ts'
import type { ByRail } from './advance.ts'
import { judgeReport } from './report.ts'

const CENTS = { kind: 'credit_unmarked', message: 'Money came in (0.01 USD).' }
const step = (status: RailStep['status']): RailStep => ({ status, failure: null })
const last = { number: 1, rail: 'bank', ended_as: '' } as PayoutAttempt

function judge(
  status: 'processing' | 'succeeded',
  steps: readonly RailStep[],
  exception: { kind: string; message: string } | undefined,
  known: readonly Partial<RailException>[] = [],
) {
  const rail_steps = status === 'succeeded' ? 1 : 0
  const payout = { status, rail_steps, taken_over_at: null, claimed_until: null } as OpenPayout
  const report = { attempt: 1, ...(exception && { exception }) } as ByRail['report']
  const advance = { steps, ask_again_in_ms: 3_600_000, report } as unknown as ByRail
  const exceptions = known.map(one => ({ attempt: 1, closed_at: null, ...one }) as RailException)
  const { steps: taken, new_exception, ask } = judgeReport(payout, advance, last, exceptions)
  return [taken.map(one => one.status).join(' '), new_exception?.kind ?? '', ask]
}

test('judgeReport, stray cents before the payout ends: an exception, the rail is still asked', () => {
  assert.deepEqual(judge('processing', [], CENTS), ['', 'credit_unmarked', 'as_reported'])
})

test('judgeReport, stray cents, then the debit or a return: applied while the exception is open', () => {
  const debit = [step('succeeded')]
  assert.deepEqual(judge('processing', debit, CENTS, [CENTS]), ['succeeded', '', 'as_reported'])
  const back = [step('succeeded'), step('reversed')]
  assert.deepEqual(judge('succeeded', back, CENTS, [CENTS]), ['reversed', '', 'as_reported'])
})

test('judgeReport, more stray cents: no exception while the first is open, another once it is closed', () => {
  const more = { ...CENTS, message: 'Money came in (0.02 USD).' }
  assert.deepEqual(judge('processing', [], more, [CENTS]), ['', '', 'as_reported'])
  const closed = { ...CENTS, closed_at: '2026-01-01T00:00:00.000000Z' }
  assert.deepEqual(judge('processing', [], CENTS, [closed]), ['', '', 'as_reported'])
  assert.deepEqual(judge('processing', [], more, [closed]), ['', 'credit_unmarked', 'as_reported'])
})

test('judgeReport, stray cents while a graver exception is open: no step is applied', () => {
  const grave = { kind: 'second_debit', message: 'Twice.' }
  assert.deepEqual(judge('processing', [step('succeeded')], CENTS, [grave]), ['', '', 'never'])
  assert.deepEqual(judge('processing', [], grave), ['', 'second_debit', 'never'])
})
