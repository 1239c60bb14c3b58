// The calendar of the European Central Bank's rates, day by day, and until when its rates and
// others are good.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ECB_SOURCE, freshnessOf, isTargetDay } from './calendar.ts'

test('isTargetDay: closed at weekends and on T2 closing days; after the last year of its table only at weekends', () => {
  const days = ['2026-04-03', '2026-04-04', '2026-04-07', '2029-03-30', '2029-03-31']
  const open = days.map(day => isTargetDay(Temporal.PlainDate.from(day)))
  assert.deepEqual(open, [false, false, true, true, false])
})

/** An ECB rate's `as_of`, and when the next is due. The rate is good two hours longer. */
const DUE: readonly (readonly [what: string, as_of: string, due: string])[] = [
  ['Tuesday: Wednesday', '2026-10-06T14:00:00', '2026-10-07T14:00:00'],
  ['Friday: Monday', '2026-10-09T14:00:00', '2026-10-12T14:00:00'],
  [
    'Friday before summer time ends: Monday in winter time',
    '2026-10-23T14:00:00',
    '2026-10-26T15:00:00',
  ],
  [
    'Friday before summer time begins: Monday in summer time',
    '2027-03-19T15:00:00',
    '2027-03-22T15:00:00',
  ],
  ['Thursday before Easter, summer time: Tuesday', '2026-04-02T14:00:00', '2026-04-07T14:00:00'],
  [
    'Thursday before Easter, across the change: Tuesday',
    '2027-03-25T15:00:00',
    '2027-03-30T14:00:00',
  ],
  ['Thursday before Easter 2028: Tuesday', '2028-04-13T14:00:00', '2028-04-18T14:00:00'],
  ['30 April 2026, a Thursday: Monday 4 May', '2026-04-30T14:00:00', '2026-05-04T14:00:00'],
  ['24 December 2026, a Thursday: Monday 28', '2026-12-24T15:00:00', '2026-12-28T15:00:00'],
  ['23 December 2027: the 24th, a Friday', '2027-12-23T15:00:00', '2027-12-24T15:00:00'],
  ['31 December 2026, a Thursday: Monday 4 January', '2026-12-31T15:00:00', '2027-01-04T15:00:00'],
  ['just before a publication: the same day', '2026-10-06T13:59:59', '2026-10-06T14:00:00'],
  [
    'Tuesday night, in Frankfurt already Wednesday: Wednesday',
    '2026-10-06T23:00:00',
    '2026-10-07T14:00:00',
  ],
  ['a Saturday: Monday', '2026-10-10T09:00:00', '2026-10-12T14:00:00'],
]

for (const [what, as_of, expected] of DUE) {
  test(`freshnessOf, ECB rate of a day and the day of the next one, ${what}`, () => {
    for (const source of [ECB_SOURCE, 'ECB', 'ecb']) {
      const rate = { source, as_of: `${as_of}.000000Z` }
      const { due, good_until } = freshnessOf(rate, null)
      assert.deepEqual(freshnessOf(rate, null), { due, good_until })
      const margin = Temporal.Instant.from(good_until).since(Temporal.Instant.from(due))
      assert.equal(due, `${expected}.000000Z`)
      assert.equal(margin.total('hour'), 2)
    }
  })
}

test('freshnessOf, rate set by hand: good for a day', () => {
  const rate = { source: 'operator', as_of: '2026-10-24T20:30:00.123456Z' }
  const good_until = '2026-10-25T20:30:00.123456Z'
  assert.deepEqual(freshnessOf(rate, null), { due: good_until, good_until })
})

test('freshnessOf, max_age_s set: this age, for a rate of any source', () => {
  const good_until = '2026-10-06T14:01:00.000000Z'
  for (const source of [ECB_SOURCE, 'operator']) {
    const rate = { source, as_of: '2026-10-06T14:00:00.000000Z' }
    freshnessOf(rate, null)
    assert.deepEqual(freshnessOf(rate, 60), { due: good_until, good_until })
  }
})
