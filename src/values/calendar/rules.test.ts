// Tests business days, releases and arrivals across weekends, holidays, summer time and the end of
// the calendars.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrivalBy, arrivalOf } from './arrival.ts'
import type { CalendarName, Timetable } from './calendar.ts'
import {
  addBusinessDays,
  businessDayFrom,
  daysLeft,
  instantAt,
  isBusinessDay,
  isZone,
  releaseOf,
} from './rules.ts'
import { CALENDARS } from './tables.ts'

const at = (text: string) => `${text}:00.000000Z`

const BUSINESS: readonly (readonly [CalendarName, date: string, settles: boolean | undefined])[] = [
  ['t2', '2026-11-23', true],
  ['t2', '2026-11-21', false],
  ['t2', '2026-11-22', false],
  ['t2', '2026-04-03', false],
  ['uk', '2026-12-28', false],
  ['t2', '2026-12-28', true],
  ['fed', '2026-07-03', true],
  ['fed', '2027-07-05', false],
  ['hk', '2026-04-07', false],
  ['t2', '2025-12-31', undefined],
  ['t2', '2026-01-01', false],
  ['t2', '2028-12-29', true],
  ['t2', '2028-12-31', false],
  ['t2', '2029-01-02', undefined],
]

for (const [name, date, settles] of BUSINESS) {
  test(`isBusinessDay, ${name} ${date}: ${settles}`, () => {
    assert.equal(isBusinessDay(name, date), settles)
  })
}

const ADDED: readonly (readonly [
  CalendarName,
  from: string,
  days: number,
  to: string | undefined,
])[] = [
  ['t2', '2026-11-20', 0, '2026-11-20'],
  ['t2', '2026-11-20', 1, '2026-11-23'],
  ['t2', '2026-11-21', 0, '2026-11-23'],
  ['t2', '2026-11-21', 1, '2026-11-24'],
  ['t2', '2026-04-02', 1, '2026-04-07'],
  ['uk', '2026-12-24', 1, '2026-12-29'],
  ['uk', '2026-12-24', 2, '2026-12-30'],
  ['fed', '2026-11-25', 1, '2026-11-27'],
  ['hk', '2027-02-05', 1, '2027-02-10'],
  ['t2', '2028-12-29', 1, undefined],
  ['t2', '2028-12-30', 0, undefined],
]

for (const [name, from, days, to] of ADDED) {
  test(`addBusinessDays, ${name} ${from} and ${days}: ${to}`, () => {
    assert.equal(addBusinessDays(name, from, days), to)
    if (days === 0) assert.equal(businessDayFrom(name, from), to)
  })
}

const LOCAL: readonly (readonly [zone: string, date: string, time: string, instant: string])[] = [
  ['Europe/Berlin', '2026-11-23', '15:00', '2026-11-23T14:00'],
  ['Europe/Berlin', '2026-07-23', '15:00', '2026-07-23T13:00'],
  ['America/New_York', '2026-11-23', '17:00', '2026-11-23T22:00'],
  ['Asia/Hong_Kong', '2026-07-23', '09:00', '2026-07-23T01:00'],
  // The night to summer time has no 02:30, the night to winter time has two.
  ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T00:30'],
  ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30'],
]

for (const [zone, date, time, instant] of LOCAL) {
  test(`instantAt, ${date} ${time} in ${zone}: ${instant} UTC`, () => {
    assert.equal(instantAt(zone, date, time), at(instant))
  })
}

const sepa: Timetable = {
  calendar: 't2',
  cut_off: '15:00',
  zone: 'Europe/Berlin',
  lead_minutes: 30,
  arrival_days: null,
}

const RELEASES: readonly (readonly [
  what: string,
  made: string,
  release: readonly [release_at: string, value_date: string] | undefined,
  timetable?: Partial<Timetable>,
])[] = [
  ['in the morning: today', '2026-11-23T08:00', ['2026-11-23T13:30', '2026-11-23']],
  ['at the cut-off: still today', '2026-11-23T13:30', ['2026-11-23T13:30', '2026-11-23']],
  ['a minute after it: tomorrow', '2026-11-23T13:31', ['2026-11-24T13:30', '2026-11-24']],
  ['on Friday evening: on Monday', '2026-11-20T18:00', ['2026-11-23T13:30', '2026-11-23']],
  ['on Saturday: on Monday', '2026-11-21T08:00', ['2026-11-23T13:30', '2026-11-23']],
  [
    'before Easter, in summer time: on Tuesday',
    '2026-04-02T13:00',
    ['2026-04-07T12:30', '2026-04-07'],
  ],
  [
    'over the night to summer time: by the new offset',
    '2026-03-27T20:00',
    ['2026-03-30T12:30', '2026-03-30'],
  ],
  [
    'over the night to winter time: by the new offset',
    '2026-10-23T20:00',
    ['2026-10-26T13:30', '2026-10-26'],
  ],
  [
    'still Sunday in New York, Monday in UTC: on Monday',
    '2026-11-23T03:00',
    ['2026-11-23T22:00', '2026-11-23'],
    { calendar: 'fed', zone: 'America/New_York', cut_off: '17:00', lead_minutes: 0 },
  ],
  [
    'Friday in New York, Saturday in UTC: still Friday',
    '2026-11-21T00:30',
    ['2026-11-21T01:00', '2026-11-20'],
    { calendar: 'fed', zone: 'America/New_York', cut_off: '20:00', lead_minutes: 0 },
  ],
  [
    'Monday in Hong Kong, Sunday in UTC: on Monday',
    '2026-11-22T22:00',
    ['2026-11-23T01:00', '2026-11-23'],
    { calendar: 'hk', zone: 'Asia/Hong_Kong', cut_off: '09:00', lead_minutes: 0 },
  ],
  [
    'a lead of a day: the day before, also a Sunday',
    '2026-11-22T13:59',
    ['2026-11-22T14:00', '2026-11-23'],
    { lead_minutes: 1_440 },
  ],
  [
    'a lead of a day, on the last of a month',
    '2026-11-30T15:00',
    ['2026-12-01T14:00', '2026-12-02'],
    { lead_minutes: 1_440 },
  ],
  [
    'a cut-off skipped by summer time',
    '2026-03-28T12:00',
    ['2026-03-30T00:30', '2026-03-30'],
    { cut_off: '02:30', lead_minutes: 0 },
  ],
  ['the last cut-off of the calendar', '2028-12-29T13:30', ['2028-12-29T13:30', '2028-12-29']],
  ['after the last: unknown', '2028-12-29T13:31', undefined],
  ['years after the last: unknown', '2031-05-05T13:31', undefined],
  ['before the calendar: unknown', '2025-12-31T08:00', undefined],
  ['the first day of the calendar', '2026-01-01T08:00', ['2026-01-02T13:30', '2026-01-02']],
]

for (const [what, made, expected, part] of RELEASES) {
  test(`releaseOf a payout with a cut-off, ${what}`, () => {
    const release = releaseOf({ ...sepa, ...part }, at(made))
    const wanted = expected && { release_at: at(expected[0]), value_date: expected[1] }
    assert.deepEqual(release, wanted)
  })
}

test('releaseOf, times over three years: not before creation, on the next business day', () => {
  const { zone, cut_off } = sepa
  let made = Temporal.Instant.from('2026-01-01T00:00:00Z')
  const end = Temporal.Instant.from('2028-12-29T00:00:00Z')
  while (Temporal.Instant.compare(made, end) < 0) {
    const text = made.toString({ fractionalSecondDigits: 6 })
    const release = releaseOf(sepa, text)
    assert.ok(release !== undefined && release.release_at >= text, text)
    assert.equal(isBusinessDay('t2', release.value_date), true)
    // No business day's release lies between the two.
    let day = made.toZonedDateTimeISO(zone).toPlainDate()
    while (day.toString() < release.value_date) {
      const missed = instantAt(zone, day.toString(), cut_off)
      const passed = Temporal.Instant.from(missed).subtract({ minutes: 30 })
      const open =
        isBusinessDay('t2', day.toString()) && Temporal.Instant.compare(passed, made) >= 0
      assert.ok(!open, `${text} passed over ${day}`)
      day = day.add({ days: 1 })
    }
    made = made.add({ hours: 7 })
  }
})

const ARRIVALS: readonly (readonly [network: string, sent: string, arrives: string | null])[] = [
  ['EUR sepa', '2026-11-20T10:00', '2026-11-23T17:00'],
  ['EUR sepa', '2026-11-20T16:01', '2026-11-24T17:00'],
  ['EUR sepa', '2026-04-02T10:00', '2026-04-07T16:00'],
  ['EUR target2', '2026-11-20T10:00', '2026-11-20T17:00'],
  ['GBP bacs', '2026-11-20T10:00', '2026-11-24T07:00'],
  ['GBP chaps', '2026-12-24T19:00', '2026-12-29T18:00'],
  ['GBP faster_payments', '2026-12-25T19:00', '2026-12-25T21:00'],
  ['USD ach', '2026-11-25T10:00', '2026-11-27T22:00'],
  ['USD fedwire', '2026-07-03T10:00', '2026-07-03T23:00'],
  ['USD rtp', '2026-07-04T10:00', '2026-07-04T10:01'],
  ['CHF sic', '2026-05-13T20:00', '2026-05-15T16:00'],
  ['HKD chats', '2027-02-05T12:00', '2027-02-10T10:30'],
  ['HKD fps', '2027-02-06T12:00', '2027-02-06T12:01'],
  ['EUR sepa', '2028-12-28T10:00', '2028-12-29T17:00'],
  ['EUR sepa', '2028-12-29T10:00', null],
  ['EUR sepa', '2029-06-29T10:00', null],
  ['JPY zengin', '2026-11-20T10:00', null],
  ['EUR ', '2026-11-20T10:00', null],
]

for (const [name, sent, arrives] of ARRIVALS) {
  test(`arrivalBy, ${name} sent ${sent}: ${arrives ?? 'not known'}`, () => {
    const [currency = '', network = ''] = name.split(' ')
    assert.equal(arrivalBy({ currency, network }, at(sent)), arrives && at(arrives))
  })
}

test("arrivalOf, route with days: the end of that day; else the network's time", () => {
  const release = { release_at: at('2026-11-20T13:30'), value_date: '2026-11-20' }
  const swift = { currency: 'EUR', network: '' }
  assert.equal(arrivalOf({ ...sepa, arrival_days: 2 }, swift, release), at('2026-11-24T22:59'))
  assert.equal(arrivalOf({ ...sepa, arrival_days: 0 }, swift, release), at('2026-11-20T22:59'))
  assert.equal(arrivalOf(sepa, swift, release), null)
  const local = { currency: 'EUR', network: 'sepa' }
  assert.equal(arrivalOf(sepa, local, release), at('2026-11-23T17:00'))
})

test('daysLeft of a calendar: days until its last day, inclusive; 0 afterwards', () => {
  const left = (now: string) => daysLeft(CALENDARS.t2, at(now))
  assert.equal(left('2028-12-30T12:00'), 2)
  assert.equal(left('2028-12-31T22:59'), 1)
  assert.equal(left('2028-12-31T23:00'), 0)
  assert.equal(left('2030-01-01T00:00'), 0)
})

test('isZone: accepts IANA names, refuses UTC offsets', () => {
  for (const zone of ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'])
    assert.ok(isZone(zone))
  for (const zone of ['Europe/Berlyn', '+01:00', '', 'Europe/', 'CEST/x y'])
    assert.ok(!isZone(zone), zone)
})
