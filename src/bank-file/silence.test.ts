// How long a bank may speak before its silence counts: by hours from the upload, or by the banking days
// of a calendar from the settlement on. Holidays of the Federal Reserve are in the tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CalendarName } from '../calendar/calendar.ts'
import { returnTime } from '../nacha/codes.ts'
import { FILE_STATES } from './file-store.ts'
import { silentUntil } from './silence.ts'

interface Row {
  readonly name: string
  /** The instant of the upload, and the day of settlement that the file asks for. */
  readonly sent: string
  readonly day: string
  readonly days: number
  readonly calendar: CalendarName | null
  readonly until: string | null
}

const fed = { days: 3, calendar: 'fed' } as const

const ROWS: readonly Row[] = [
  {
    ...{ name: 'hours from the upload, a weekend or not', sent: '2026-11-27T10:00:00.000000Z' },
    ...{ day: '2026-11-30', days: 3, calendar: null, until: '2026-11-30T10:00:00.000000Z' },
  },
  {
    ...fed,
    ...{ name: 'settled on a Monday: the end of Thursday in New York' },
    ...{ sent: '2026-11-13T20:00:00.000000Z', day: '2026-11-16' },
    until: '2026-11-20T05:00:00.000000Z',
  },
  {
    ...fed,
    ...{ name: 'over Thanksgiving and a weekend' },
    ...{ sent: '2026-11-24T20:00:00.000000Z', day: '2026-11-25' },
    until: '2026-12-02T05:00:00.000000Z',
  },
  {
    ...fed,
    ...{ name: 'in summer time', sent: '2026-07-06T14:00:00.000000Z', day: '2026-07-07' },
    until: '2026-07-11T04:00:00.000000Z',
  },
  {
    ...fed,
    ...{ name: 'for the same day, in its last window' },
    ...{ sent: '2026-11-16T21:44:59.000000Z', day: '2026-11-16' },
    until: '2026-11-20T05:00:00.000000Z',
  },
  {
    ...fed,
    ...{ name: 'for the same day, after its last window: a day later' },
    ...{ sent: '2026-11-16T21:45:00.000000Z', day: '2026-11-16' },
    until: '2026-11-21T05:00:00.000000Z',
  },
  {
    ...fed,
    ...{ name: 'released days after its day: from the banking day after the upload' },
    ...{ sent: '2026-11-20T15:00:00.000000Z', day: '2026-11-16' },
    // Settled on Monday 23; 24, 25 and, after Thanksgiving, 27.
    until: '2026-11-28T05:00:00.000000Z',
  },
  {
    ...fed,
    ...{ name: 'sent on the evening of its day before in UTC' },
    ...{ sent: '2026-11-17T03:00:00.000000Z', day: '2026-11-17' },
    until: '2026-11-21T05:00:00.000000Z',
  },
  {
    ...{ name: 'two days, the fewest', sent: '2026-11-13T20:00:00.000000Z', day: '2026-11-16' },
    ...{ days: 2, calendar: 'fed', until: '2026-11-19T05:00:00.000000Z' },
  },
  {
    ...{ name: 'by the days of another calendar', sent: '2026-12-23T09:00:00.000000Z' },
    // T2 is closed on 25 December, open on 24 and 28.
    ...{ day: '2026-12-23', days: 2, calendar: 't2', until: '2026-12-28T23:00:00.000000Z' },
  },
  {
    ...fed,
    ...{ name: 'past the end of the calendar: nobody guesses' },
    ...{ sent: '2028-12-28T15:00:00.000000Z', day: '2028-12-29', until: null },
  },
]

for (const { name, sent, day, days, calendar, until } of ROWS) {
  test(`silence, ${name}`, () => {
    const file = { execution_date: day, state: 'sent', sent_at: sent, updated_at: sent } as const
    assert.equal(silentUntil({ silent_after_days: days, silent_calendar: calendar }, file), until)
  })
}

test('silence, a file that the bank may not have, or a profile without days: never', () => {
  const at = '2026-11-16T15:00:00.000000Z'
  const file = { execution_date: '2026-11-17', sent_at: at, updated_at: at } as const
  const silence = { silent_after_days: 3, silent_calendar: 'fed' } as const
  for (const state of FILE_STATES) {
    const counts = ['sent', 'acknowledged'].includes(state)
    assert.equal(silentUntil(silence, { ...file, state }) !== null, counts, state)
  }
  assert.equal(
    silentUntil({ ...silence, silent_after_days: null }, { ...file, state: 'sent' }),
    null,
  )
})

test('how late returns come by the rules: the second banking day for most, 60 days for debits alone', () => {
  const times = {
    second_day: 'R01 R02 R03 R04 R12 R14 R15 R16 R17 R20 R21 R22 R24 R29',
    next_file: 'R13 R18 R19 R25 R26 R27 R28 R36',
    any_day: 'R06 R23 R31',
    sixty_days: 'R05 R07 R10 R11 R37 R38 R51 R53',
  }
  for (const [time, codes] of Object.entries(times)) {
    for (const code of codes.split(' ')) assert.equal(returnTime(code), time, code)
  }
  assert.equal(returnTime('R99'), undefined)
})
