// Tests the holiday tables against their rules: each date is computed here, independently of the
// table, and a table has no other date.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CalendarName } from './calendar.ts'
import { CALENDARS } from './tables.ts'

const YEARS = [2026, 2027, 2028]
const MONDAY = 1
const THURSDAY = 4
const SATURDAY = 6
const SUNDAY = 7

type Day = Temporal.PlainDate

const on = (year: number, month: number, day: number) =>
  Temporal.PlainDate.from({ year, month, day })
const plus = (date: Day, days: number) => date.add({ days })

/** The n-th of a weekday in a month; -1 for the last. */
function nth(year: number, month: number, weekday: number, n: number): Day {
  const first = on(year, month, 1)
  const earliest = plus(first, (weekday - first.dayOfWeek + 7) % 7)
  if (n > 0) return plus(earliest, 7 * (n - 1))
  const last = plus(earliest, 28)
  return last.month === month ? last : plus(last, -7)
}

/** Easter Sunday by the Gregorian computus of Meeus, Jones and Butcher. */
function easter(year: number): Day {
  const quotient = (a: number, b: number) => Math.floor(a / b)
  const a = year % 19
  const b = quotient(year, 100)
  const c = year % 100
  const g = quotient(8 * b + 13, 25)
  const h = (19 * a + b - quotient(b, 4) - g + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * quotient(c, 4) - h - (c % 4)) % 7
  const m = quotient(a + 11 * h + 22 * l, 451)
  const n = h + l - 7 * m + 114
  return on(year, quotient(n, 31), (n % 31) + 1)
}

/** A day of the Chinese calendar, which Temporal computes, in the year that begins in `year`. */
function lunar(year: number, month: number, day: number): Day {
  // ICU has the new moon of 6 February 2027, four minutes before midnight, on the day after.
  if (year === 2027 && month === 1) return on(2027, 2, 5 + day)
  const monthCode = `M${String(month).padStart(2, '0')}`
  const chinese = Temporal.PlainDate.from({ calendar: 'chinese', year, monthCode, day })
  return chinese.withCalendar('iso8601')
}

/** Solar longitude 15°: 4 April in leap years and in the year after one, else the 5th. */
const chingMing = (year: number) => on(year, 4, year % 4 < 2 ? 4 : 5)

test('easter: the dates published by churches', () => {
  const published = [
    [2024, '03-31'],
    [2025, '04-20'],
    [2026, '04-05'],
    [2027, '03-28'],
    [2028, '04-16'],
    [2038, '04-25'],
  ] as const
  for (const [year, day] of published) assert.equal(easter(year).toString(), `${year}-${day}`)
})

/** Fed: a holiday on a Sunday moves to Monday, one on a Saturday does not move. */
const observed = (date: Day) => (date.dayOfWeek === SUNDAY ? plus(date, 1) : date)

/** UK: a holiday at a weekend moves to the next weekday that is no holiday. */
function substituted(dates: readonly Day[]): Day[] {
  const taken: Day[] = []
  for (const date of dates) {
    let day = date
    while (day.dayOfWeek >= SATURDAY || taken.some(other => other.equals(day))) day = plus(day, 1)
    taken.push(day)
  }
  return taken
}

/**
 * Hong Kong: a holiday on a Sunday, or on another holiday, moves to the next day that is neither.
 * When one of the first three days of Lunar New Year is a Sunday, the fourth is one instead.
 */
function hongKong(year: number): Day[] {
  const newYear = lunar(year, 1, 1)
  const days = [0, 1, 2].map(i => plus(newYear, i)).filter(day => day.dayOfWeek !== SUNDAY)
  if (days.length < 3) days.push(plus(newYear, 3))
  const others = [
    on(year, 1, 1),
    plus(easter(year), -2),
    plus(easter(year), -1),
    chingMing(year),
    plus(easter(year), 1),
    on(year, 5, 1),
    lunar(year, 4, 8),
    lunar(year, 5, 5),
    on(year, 7, 1),
    plus(lunar(year, 8, 15), 1),
    on(year, 10, 1),
    lunar(year, 9, 9),
    on(year, 12, 25),
    on(year, 12, 26),
  ]
  for (const wanted of others) {
    let day = wanted
    while (day.dayOfWeek === SUNDAY || days.some(other => other.equals(day))) day = plus(day, 1)
    days.push(day)
  }
  return days
}

const RULES: Readonly<Record<CalendarName, (year: number) => Day[]>> = {
  t2: year => [
    on(year, 1, 1),
    plus(easter(year), -2),
    plus(easter(year), 1),
    on(year, 5, 1),
    on(year, 12, 25),
    on(year, 12, 26),
  ],
  fed: year => [
    observed(on(year, 1, 1)),
    nth(year, 1, MONDAY, 3),
    nth(year, 2, MONDAY, 3),
    nth(year, 5, MONDAY, -1),
    observed(on(year, 6, 19)),
    observed(on(year, 7, 4)),
    nth(year, 9, MONDAY, 1),
    nth(year, 10, MONDAY, 2),
    observed(on(year, 11, 11)),
    nth(year, 11, THURSDAY, 4),
    observed(on(year, 12, 25)),
  ],
  uk: year => [
    ...substituted([on(year, 1, 1)]),
    plus(easter(year), -2),
    plus(easter(year), 1),
    nth(year, 5, MONDAY, 1),
    nth(year, 5, MONDAY, -1),
    nth(year, 8, MONDAY, -1),
    ...substituted([on(year, 12, 25), on(year, 12, 26)]),
  ],
  ch: year => [
    on(year, 1, 1),
    on(year, 1, 2),
    plus(easter(year), -2),
    plus(easter(year), 1),
    on(year, 5, 1),
    plus(easter(year), 39),
    plus(easter(year), 50),
    on(year, 8, 1),
    on(year, 12, 25),
    on(year, 12, 26),
  ],
  hk: hongKong,
}

for (const calendar of Object.values(CALENDARS)) {
  test(`calendar ${calendar.name}: exactly the dates that its rules give`, () => {
    const computed = YEARS.flatMap(RULES[calendar.name]).map(String).sort()
    assert.deepEqual(
      calendar.holidays.map(({ date }) => date),
      computed,
    )
  })

  test(`calendar ${calendar.name}: whole years, each holiday named, sources stated`, () => {
    assert.deepEqual([calendar.first, calendar.last], ['2026-01-01', '2028-12-31'])
    for (const { name } of calendar.holidays) assert.match(name, /^[A-Z][A-Za-z.,’() -]+$/)
    assert.match(calendar.source, /\b2026-11-23\b/)
  })
}

/**
 * Published lists, with which the tables were compared. They do not follow from the rules above.
 */
const PUBLISHED: readonly (readonly [CalendarName, year: number, days: string])[] = [
  ['t2', 2026, '1/1 4/3 4/6 5/1 12/25 12/26'],
  ['ch', 2026, '1/1 1/2 4/3 4/6 5/1 5/14 5/25 8/1 12/25 12/26'],
  ['uk', 2026, '1/1 4/3 4/6 5/4 5/25 8/31 12/25 12/28'],
  ['hk', 2026, '1/1 2/17 2/18 2/19 4/3 4/4 4/6 4/7 5/1 5/25 6/19 7/1 9/26 10/1 10/19 12/25 12/26'],
  ['fed', 2026, '1/1 1/19 2/16 5/25 6/19 7/4 9/7 10/12 11/11 11/26 12/25'],
  ['fed', 2027, '1/1 1/18 2/15 5/31 6/19 7/5 9/6 10/11 11/11 11/25 12/25'],
]

for (const [name, year, days] of PUBLISHED) {
  test(`calendar ${name} of ${year}: the published dates`, () => {
    const listed = CALENDARS[name].holidays
      .filter(({ date }) => date.startsWith(String(year)))
      .map(({ date }) => `${Number(date.slice(5, 7))}/${Number(date.slice(8))}`)
    assert.equal(listed.join(' '), days)
  })
}
