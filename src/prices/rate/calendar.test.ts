// The calendar of the European Central Bank's rates, day by day, and until when its rates and
// others are good.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ECB_SOURCE, easterSunday, freshnessOf, isTargetDay } from './calendar.ts'

/** Easter Sundays of the Gregorian calendar, with the earliest and the latest possible one. */
const EASTERS = [
  '1818-03-22',
  '1943-04-25',
  '1961-04-02',
  '2000-04-23',
  '2008-03-23',
  '2011-04-24',
  '2019-04-21',
  '2024-03-31',
  '2025-04-20',
  '2026-04-05',
  '2027-03-28',
  '2028-04-16',
  '2029-04-01',
  '2038-04-25',
  '2049-04-18',
  '2076-04-19',
  '2285-03-22',
]

for (const day of EASTERS) {
  test(`easterSunday, ${day.slice(0, 4)}: ${day}`, () => {
    assert.equal(easterSunday(Number(day.slice(0, 4))).toString(), day)
  })
}

/** Gauss's algorithm, a different one: it counts days after 22 March, with two exceptions. */
function byGauss(year: number): string {
  const k = Math.trunc(year / 100)
  const q = Math.trunc(k / 4)
  const m = (15 - Math.trunc((13 + 8 * k) / 25) + k - q) % 30
  const d = (19 * (year % 19) + m) % 30
  const e = (2 * (year % 4) + 4 * (year % 7) + 6 * d + ((4 + k - q) % 7)) % 7
  const isLate = d === 29 || (d === 28 && (11 * m + 11) % 30 < 19)
  const days = e === 6 && isLate ? d + e - 7 : d + e
  return Temporal.PlainDate.from({ year, month: 3, day: 22 }).add({ days }).toString()
}

test("easterSunday, 1583 to 2999: equals Gauss's algorithm", () => {
  for (let year = 1583; year < 3000; year++) {
    assert.equal(easterSunday(year).toString(), byGauss(year))
  }
})

/** Closing days from Monday to Friday, as the ECB lists them. */
const CLOSED: Readonly<Record<string, readonly string[]>> = {
  2025: ['01-01', '04-18', '04-21', '05-01', '12-25', '12-26'],
  2026: ['01-01', '04-03', '04-06', '05-01', '12-25'],
  2027: ['01-01', '03-26', '03-29'],
  2028: ['04-14', '04-17', '05-01', '12-25', '12-26'],
}

for (const [year, days] of Object.entries(CLOSED)) {
  test(`isTargetDay, every day of ${year}: closed at weekends and on ${days.join(', ')}`, () => {
    const closed: string[] = []
    let day = Temporal.PlainDate.from(`${year}-01-01`)
    for (; day.year === Number(year); day = day.add({ days: 1 })) {
      if (day.dayOfWeek >= 6) assert.equal(isTargetDay(day), false, day.toString())
      else if (!isTargetDay(day)) closed.push(day.toString().slice(5))
    }
    assert.deepEqual(closed, days)
  })
}

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
  ['just before a publication: that one', '2026-10-06T13:59:59', '2026-10-06T14:00:00'],
  [
    'the night after, in Frankfurt already Wednesday: Wednesday',
    '2026-10-06T23:00:00',
    '2026-10-07T14:00:00',
  ],
  ['a Saturday: Monday', '2026-10-10T09:00:00', '2026-10-12T14:00:00'],
]

for (const [what, as_of, expected] of DUE) {
  test(`freshnessOf, ECB rate of ${what}`, () => {
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

test('freshnessOf, a rate set by hand: good for a day', () => {
  const rate = { source: 'operator', as_of: '2026-10-24T20:30:00.123456Z' }
  const good_until = '2026-10-25T20:30:00.123456Z'
  assert.deepEqual(freshnessOf(rate, null), { due: good_until, good_until })
})

test('freshnessOf, max_age_s set: this age, for every source', () => {
  const good_until = '2026-10-06T14:01:00.000000Z'
  for (const source of [ECB_SOURCE, 'operator']) {
    const rate = { source, as_of: '2026-10-06T14:00:00.000000Z' }
    freshnessOf(rate, null)
    assert.deepEqual(freshnessOf(rate, 60), { due: good_until, good_until })
  }
})
