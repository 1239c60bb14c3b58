// Every end of an attempt against every later report of its rail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptEnd, PayoutAttempt, RailException } from '../../rails/attempt.ts'
import type { RailStatus, RailStep } from '../../rails/rail.ts'
import { ASKED_FOR_MS, askOverAt, judgeOver, judgeOverReport, type OverReport } from './over.ts'

const ENDED_AT = '2026-11-02T09:00:00.000000Z'

function attempt(ended_as: AttemptEnd, part: Partial<PayoutAttempt> = {}): PayoutAttempt {
  return {
    account_id: 'acc_1',
    payout_id: 'pot_1',
    number: 1,
    rail: 'bank',
    route: null,
    uetr: '',
    opened_at: ENDED_AT,
    asked_at: ENDED_AT,
    ended_at: ENDED_AT,
    ended_as,
    not_taken: ended_as === 'not_taken' ? { code: 'X', message: 'Closed.' } : null,
    rail_references: {},
    released_at: null,
    expected_at: null,
    ask_again_at: null,
    ...part,
  }
}

const steps = (...statuses: readonly RailStatus[]): readonly RailStep[] =>
  statuses.map(status => ({ status, failure: null }))
const reporting = (...statuses: readonly RailStatus[]): OverReport => ({
  steps: steps(...statuses),
})

const NEVER: OverReport = { steps: [], not_taken: { code: 'X', message: 'Never.' } }
const REFUSED = reporting('failed')
const UNDER_WAY = reporting()
const WAITS = reporting('requires_action', 'processing')
const PAID = reporting('succeeded')
const BACK = reporting('succeeded', 'reversed')

const [rail, person] = [{ by_person: false }, { by_person: true }]
const [taken, paid] = ['taken_after_all', 'paid_after_end']

for (const [ended_as, report, by, kind] of [
  ['not_taken', NEVER, rail, undefined],
  ['not_taken', REFUSED, rail, undefined],
  ['not_taken', UNDER_WAY, rail, taken],
  ['not_taken', WAITS, rail, taken],
  ['not_taken', PAID, rail, taken],
  ['not_taken', PAID, person, taken],
  ['not_taken', BACK, rail, taken],
  ['failed', NEVER, rail, undefined],
  ['failed', REFUSED, rail, undefined],
  ['failed', UNDER_WAY, rail, paid],
  ['failed', UNDER_WAY, person, undefined],
  ['failed', PAID, rail, paid],
  ['failed', PAID, person, paid],
  ['failed', BACK, rail, undefined],
  ['returned', NEVER, rail, undefined],
  ['returned', REFUSED, rail, undefined],
  ['returned', UNDER_WAY, rail, paid],
  ['returned', PAID, rail, paid],
  ['returned', PAID, person, undefined],
  ['returned', BACK, rail, undefined],
] as const) {
  const words = report.steps.map(({ status }) => status).join(' ') || 'no step'
  const whose = by.by_person ? ' by a person' : ''
  test(`judgeOver, report on an ended attempt ${ended_as}${whose}, then ${words}: ${kind ?? 'no exception'}`, () => {
    assert.equal(judgeOver(attempt(ended_as), report, by)?.kind, kind)
  })
}

test('judgeOver, the rail itself reports an exception: this exception, however the attempt ended', () => {
  const exception = { kind: 'second_return', message: 'Twice.' }
  for (const ended_as of ['not_taken', 'failed', 'returned'] as const) {
    assert.deepEqual(judgeOver(attempt(ended_as), { ...BACK, exception }, rail), exception)
  }
})

const fresh = { by_person: false, is_fresh: true }

function exceptionOf(part: Partial<RailException>): RailException {
  const found = judgeOver(attempt('failed'), PAID, rail)
  assert.ok(found)
  const open = { notice: null, closed_at: null, closed_by: '', note: '', opened_at: ENDED_AT }
  return {
    account_id: 'acc_1',
    payout_id: 'pot_1',
    number: 1,
    attempt: 1,
    rail: 'bank',
    ...found,
    ...open,
    ...part,
  }
}

test('judgeOverReport, the same exception again: opened once; with another message: opened again', () => {
  const over = attempt('failed')
  const judge = (...known: readonly RailException[]) => judgeOverReport(over, PAID, fresh, known)
  assert.equal(judge().new_exception?.kind, paid)
  assert.equal(judge().ask, 'never')
  assert.equal(judge(exceptionOf({})).new_exception, null)
  assert.equal(judge(exceptionOf({ closed_at: ENDED_AT })).new_exception, null)
  const other = exceptionOf({ closed_at: ENDED_AT, message: 'Other.' })
  assert.equal(judge(other).new_exception?.kind, paid)
  // An exception of another attempt does not count for this one.
  assert.equal(judge(exceptionOf({ attempt: 2 })).new_exception?.kind, paid)
})

test("judgeOverReport, report older than the attempt's end contradicts that end: no exception, the rail is asked again", () => {
  const stale = { by_person: false, is_fresh: false }
  const over = attempt('not_taken')
  const judged = judgeOverReport(over, UNDER_WAY, stale, [])
  assert.deepEqual([judged.new_exception, judged.ask, judged.over?.ask], [null, 'unchanged', 'now'])
  assert.equal(judgeOverReport(over, NEVER, stale, []).over, undefined)
})

test('askOverAt, ended attempt: at most hourly, for 60 days, never if the rail was not asked', () => {
  const later = (ms: number) =>
    new Date(Date.parse(ENDED_AT) + ms).toISOString().replace('Z', '000Z')
  const over = attempt('failed')
  assert.equal(askOverAt(over, 1, ENDED_AT), later(3_600_000))
  assert.equal(askOverAt(over, 86_400_000, ENDED_AT), later(86_400_000))
  assert.equal(askOverAt(over, null, ENDED_AT), null)
  assert.equal(askOverAt(over, 1, later(ASKED_FOR_MS + 1)), null)
  assert.equal(askOverAt({ ...over, asked_at: null }, 1, ENDED_AT), null)
})
