import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayAt, dayReader, endOfDay, isDay, lastDayBefore, startOfDay } from './day.ts'

test('day of a zone, clocks that change: 23 or 25 hours, half-open', () => {
  for (const [zone, day, from, to] of [
    ['UTC', '2026-11-29', '2026-11-29T00', '2026-11-30T00'],
    ['Asia/Hong_Kong', '2026-11-29', '2026-11-28T16', '2026-11-29T16'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23', '2026-03-29T22'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22', '2026-10-25T23'],
    // The clocks of Beirut skip midnight.
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22', '2026-03-29T21'],
  ] as const) {
    const range = [startOfDay(zone, day), endOfDay(zone, day)]
    assert.deepEqual(range, [`${from}:00:00.000000Z`, `${to}:00:00.000000Z`], `${zone} ${day}`)
    assert.equal(dayAt(zone, range[0] ?? ''), day)
    assert.equal(lastDayBefore(zone, range[1] ?? ''), day)
  }
})

test('day reader, instants around midnight of the zone: the day of each, in any order', () => {
  const read = dayReader('America/New_York')
  const instants = ['2026-11-29T04:59:59.999999Z', '2026-11-29T05:00:00.000000Z']
  assert.deepEqual([...instants, ...instants].map(read), [
    ...['2026-11-28', '2026-11-29', '2026-11-28', '2026-11-29'],
  ])
})

test('isDay, text that is no day of the calendar: false', () => {
  assert.ok(isDay('2028-02-29'))
  for (const text of ['', '2026-02-30', '2026-2-3', '0001-01-01', '9999-12-31', '2026-11-29T00']) {
    assert.equal(isDay(text), false, text)
  }
})
