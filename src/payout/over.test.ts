// Every end of an attempt against every word that its rail may say later.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptEnd, PayoutAttempt, RailException } from '../rail/attempt.ts'
import type { RailStatus, RailStep } from '../rail/rail.ts'
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
const saying = (...statuses: readonly RailStatus[]): OverReport => ({ steps: steps(...statuses) })

const NEVER: OverReport = { steps: [], not_taken: { code: 'X', message: 'Never.' } }
const REFUSED = saying('failed')
const UNDER_WAY = saying()
const WAITS = saying('requires_action', 'processing')
const PAID = saying('succeeded')
const BACK = saying('succeeded', 'reversed')

const [rail, person] = [{ by_person: false }, { by_person: true }]
const [taken, paid] = ['taken_after_all', 'paid_after_end']

for (const [ended_as, said, by, kind] of [
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
  const words = said.steps.map(({ status }) => status).join(' ') || 'no step'
  const whose = by.by_person ? ' by a person' : ''
  test(`${ended_as}${whose}, then ${words}: ${kind ?? 'agrees'}`, () => {
    assert.equal(judgeOver(attempt(ended_as), said, by)?.kind, kind)
  })
}

test('an exception of the rail is one, however the attempt has ended', () => {
  const exception = { kind: 'second_return', message: 'Twice.' }
  for (const ended_as of ['not_taken', 'failed', 'returned'] as const) {
    assert.deepEqual(judgeOver(attempt(ended_as), { ...BACK, exception }, rail), exception)
  }
})

const fresh = { by_person: false, is_fresh: true }

function exceptionOf(part: Partial<RailException>): RailException {
  const found = judgeOver(attempt('failed'), PAID, rail)
  assert.ok(found)
  const open = { closed_at: null, closed_by: '', note: '', opened_at: ENDED_AT }
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

test('found once: not again while it is open, nor after it is closed, unless in other words', () => {
  const over = attempt('failed')
  const judge = (...known: readonly RailException[]) => judgeOverReport(over, PAID, fresh, known)
  assert.equal(judge().found?.kind, paid)
  assert.equal(judge().ask, 'never')
  assert.equal(judge(exceptionOf({})).found, null)
  assert.equal(judge(exceptionOf({ closed_at: ENDED_AT })).found, null)
  assert.equal(judge(exceptionOf({ closed_at: ENDED_AT, message: 'Other.' })).found?.kind, paid)
  // Of another attempt, it says nothing of this one.
  assert.equal(judge(exceptionOf({ attempt: 2 })).found?.kind, paid)
})

test('what was asked for before the end and disagrees: the rail is asked anew', () => {
  const stale = { by_person: false, is_fresh: false }
  const over = attempt('not_taken')
  const judged = judgeOverReport(over, UNDER_WAY, stale, [])
  assert.deepEqual([judged.found, judged.ask, judged.over?.ask], [null, 'as_it_was', 'now'])
  assert.equal(judgeOverReport(over, NEVER, stale, []).over, undefined)
})

test('asked again rarely, for 60 days, and not where its rail never had it', () => {
  const later = (ms: number) =>
    new Date(Date.parse(ENDED_AT) + ms).toISOString().replace('Z', '000Z')
  const over = attempt('failed')
  assert.equal(askOverAt(over, 1, ENDED_AT), later(3_600_000))
  assert.equal(askOverAt(over, 86_400_000, ENDED_AT), later(86_400_000))
  assert.equal(askOverAt(over, null, ENDED_AT), null)
  assert.equal(askOverAt(over, 1, later(ASKED_FOR_MS + 1)), null)
  assert.equal(askOverAt({ ...over, asked_at: null }, 1, ENDED_AT), null)
})
