// Whether the route's cut-off or its rail's is in force, and which two cut-offs contradict.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Timetable } from '../values/calendar/calendar.ts'
import type { Route } from './rules.ts'
import { timetableConflict, withTimetable } from './timetable.ts'

const bank: Timetable = {
  calendar: 't2',
  cut_off: '15:00',
  zone: 'Europe/Berlin',
  lead_minutes: 30,
  arrival_days: 1,
}

const route: Route = {
  account_id: null,
  payout_type: null,
  network: null,
  currency: null,
  country: null,
  min_amount: null,
  max_amount: null,
  priority: 0,
  rail: 'bank',
  timetable: null,
}

test('withTimetable: values of the rail, unless the route has its own', () => {
  const rails = new Map([['bank', bank]])
  const earlier = { ...bank, cut_off: '12:00', arrival_days: null }
  const later = { ...earlier, arrival_days: 3 }
  for (const [own, rail, counts] of [
    [null, 'bank', bank],
    [null, 'other', null],
    [earlier, 'other', earlier],
    [earlier, 'bank', { ...earlier, arrival_days: 1 }],
    [later, 'bank', later],
  ] as const) {
    assert.deepEqual(withTimetable({ ...route, rail, timetable: own }, rails).timetable, counts)
  }
})

const CASES: readonly (readonly [what: string, change: Partial<Timetable>, why: RegExp | null])[] =
  [
    ['the same', {}, null],
    ['an earlier cut-off', { cut_off: '14:59' }, null],
    ['a longer lead', { lead_minutes: 31 }, null],
    ['a later cut-off with an equally longer lead', { cut_off: '15:30', lead_minutes: 60 }, null],
    ['the same time in another zone', { cut_off: '14:00', zone: 'Europe/London' }, null],
    [
      'a later cut-off',
      { cut_off: '15:01' },
      /at 15:01 Europe\/Berlin less 30 min, t2, after the rail/,
    ],
    ['a shorter lead', { lead_minutes: 29 }, /less 29 min/],
    ['the same local time in a zone behind', { zone: 'Europe/London' }, /Europe\/London/],
    // New York changes its clocks on other days: then it is earlier by an hour.
    ['the same local time in New York', { cut_off: '09:00', zone: 'America/New_York' }, null],
    [
      'another calendar',
      { calendar: 'uk', cut_off: '09:00' },
      /calendar is uk, and that of the rail t2/,
    ],
  ]

for (const [what, change, why] of CASES) {
  test(`timetableConflict, ${what}: ${why === null ? 'none' : 'a conflict, explained'}`, () => {
    const found = timetableConflict({ ...bank, ...change }, bank)
    if (why === null) assert.equal(found, undefined)
    else assert.match(found ?? '', why)
  })
}
