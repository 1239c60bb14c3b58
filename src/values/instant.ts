// Points in time as ISO 8601 text in UTC with six fractional digits. Comparing two texts compares
// their times. The text keeps microseconds, which a JavaScript Date would lose.

/** `2026-01-31T09:30:00.123456Z`, always 27 characters. */
export type Instant = string

const MICROSECONDS_PER_SECOND = 1_000_000n

export const DAY_MS = 86_400_000

/** Reads PostgreSQL's timestamptz text under TimeZone UTC: `2026-01-31 09:30:00.1234+00`. */
export function instantFromPostgres(text: string): Instant {
  const zone = text.lastIndexOf('+')
  const point = text.indexOf('.')
  // Most texts have all digits.
  if (point === 19 && zone === 26) return `${text.slice(0, 10)}T${text.slice(11, 26)}Z`
  const seconds = point === -1 ? text.slice(0, zone) : text.slice(0, point)
  const fraction = point === -1 ? '' : text.slice(point + 1, zone)
  return `${seconds.replace(' ', 'T')}.${fraction.padEnd(6, '0')}Z`
}

/** Reads ISO 8601 with an offset; undefined for other text. Cuts fractions after six digits. */
export function instantFromIso(text: string): Instant | undefined {
  const match = ISO.exec(text)
  if (match === null) return undefined
  const [, seconds = '', fraction = '', zone = ''] = match
  const date = new Date(`${seconds}${zone}`)
  if (Number.isNaN(date.getTime()) || !isOnCalendar(seconds)) return undefined
  const utc = date.toISOString()
  // JavaScript has a year 0 and signed years of six digits; PostgreSQL and `Instant` have neither.
  if (!/^(?!0000)\d{4}-/.test(utc)) return undefined
  return `${utc.slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`
}

const ISO = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/

/** False for days that do not exist: Date turns the 30th of February into the 2nd of March. */
function isOnCalendar(seconds: string): boolean {
  const date = new Date(`${seconds}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(seconds)
}

/** Microseconds since 1970. */
export function instantToMicros(instant: Instant): bigint {
  const seconds = BigInt(Date.parse(`${instant.slice(0, 19)}Z`)) / 1000n
  return seconds * MICROSECONDS_PER_SECOND + BigInt(instant.slice(20, 26))
}

export function plusMicros(instant: Instant, micros: bigint): Instant {
  const later = instantToMicros(instant) + micros
  const seconds = new Date(Number(later / MICROSECONDS_PER_SECOND) * 1000).toISOString()
  const fraction = (later % MICROSECONDS_PER_SECOND).toString().padStart(6, '0')
  return `${seconds.slice(0, 19)}.${fraction}Z`
}

export function plusMilliseconds(instant: Instant, milliseconds: number): Instant {
  if (instant === last.instant && milliseconds === last.milliseconds) return last.later
  const text = new Date(Date.parse(`${instant.slice(0, 23)}Z`) + milliseconds).toISOString()
  const later = `${text.slice(0, 23)}${instant.slice(23, 26)}Z`
  last = { instant, milliseconds, later }
  return later
}

/** The last sum: all quotes of a batch have the same time and the same validity. */
let last = { instant: '', milliseconds: 0, later: '' }

/** Whole seconds from `earlier` to `later`, rounded down. */
export function secondsBetween(earlier: Instant, later: Instant): number {
  if (earlier !== last_between.earlier || later !== last_between.later) {
    const micros = instantToMicros(later) - instantToMicros(earlier)
    last_between = { earlier, later, seconds: Number(micros / MICROSECONDS_PER_SECOND) }
  }
  return last_between.seconds
}

let last_between = { earlier: '', later: '', seconds: 0 }

/** The same instant with a numeric offset, as quotes print it (§quote.times). */
export function withOffset(instant: Instant): string {
  return `${instant.slice(0, -1)}+00:00`
}

export function instantFrom(time: Temporal.Instant): Instant {
  return time.toString({ fractionalSecondDigits: 6 })
}

/** The day of an instant in UTC as banks write it: `261121`. */
export function shortDate(instant: Instant): string {
  return instant.slice(2, 10).replaceAll('-', '')
}
