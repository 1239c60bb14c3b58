// When silence means acceptance: after hours from the upload, or after banking days from the
// settlement on. The calendar's tables have the holidays of the Federal Reserve.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILE_STATES } from './file-store.ts'
import { type Silence, silentUntil } from './silence.ts'

const FED = { silent_after_days: 3, silent_calendar: 'fed' } as const

/** When the file was sent, the day of settlement that it asks for, and the end of the silence. */
const ROWS: readonly (readonly [name: string, times: string, silence?: Silence])[] = [
  [
    'hours from the upload, weekends included',
    '2026-11-27T10:00:00 2026-11-30 2026-11-30T10:00:00',
    { silent_after_days: 3, silent_calendar: null },
  ],
  [
    'settled on a Monday: the end of Thursday in New York',
    '2026-11-13T20:00:00 2026-11-16 2026-11-20T05:00:00',
  ],
  ['over Thanksgiving and a weekend', '2026-11-24T20:00:00 2026-11-25 2026-12-02T05:00:00'],
  ['in summer time', '2026-07-06T14:00:00 2026-07-07 2026-07-11T04:00:00'],
  ['for the same day, in its last window', '2026-11-16T21:44:59 2026-11-16 2026-11-20T05:00:00'],
  [
    'for the same day, after its last window: a day later',
    '2026-11-16T21:45:00 2026-11-16 2026-11-21T05:00:00',
  ],
  // Settled on Monday 23; 24, 25 and, after Thanksgiving, 27.
  [
    'released days after its day: from the banking day after the upload',
    '2026-11-20T15:00:00 2026-11-16 2026-11-28T05:00:00',
  ],
  [
    'sent on the evening before its day in UTC',
    '2026-11-17T03:00:00 2026-11-17 2026-11-21T05:00:00',
  ],
  [
    'two days, the minimum',
    '2026-11-13T20:00:00 2026-11-16 2026-11-19T05:00:00',
    { ...FED, silent_after_days: 2 },
  ],
  // T2 is closed on 25 December, open on 24 and 28.
  [
    'days of another calendar',
    '2026-12-23T09:00:00 2026-12-23 2026-12-28T23:00:00',
    { silent_after_days: 2, silent_calendar: 't2' },
  ],
  ['past the end of the calendar: no success', '2028-12-28T15:00:00 2028-12-29'],
]

for (const [name, times, silence = FED] of ROWS) {
  test(`silence as success, end of the period: ${name}`, () => {
    const [sent, execution_date = '', until] = times.split(' ')
    const sent_at = `${sent}.000000Z`
    const file = { execution_date, state: 'sent', sent_at, updated_at: sent_at } as const
    assert.equal(silentUntil(silence, file), until === undefined ? null : `${until}.000000Z`)
  })
}

test('silence as success, file perhaps not received, or profile without days: no end of the period', () => {
  const at = '2026-11-16T15:00:00.000000Z'
  const file = { execution_date: '2026-11-17', sent_at: at, updated_at: at } as const
  for (const state of FILE_STATES) {
    const counts = ['sent', 'acknowledged'].includes(state)
    assert.equal(silentUntil(FED, { ...file, state }) !== null, counts, state)
  }
  assert.equal(silentUntil({ ...FED, silent_after_days: null }, { ...file, state: 'sent' }), null)
})
