// The nouns of calendars: dates, the days on which a currency settles, and the timetable of a rail.

/** `2026-11-23`. */
export type IsoDate = string

export const CALENDAR_NAMES = ['t2', 'fed', 'uk', 'ch', 'hk'] as const
export type CalendarName = (typeof CALENDAR_NAMES)[number]

/** A day on which nothing settles. Saturdays and Sundays are never business days. */
export interface Holiday {
  readonly date: IsoDate
  readonly name: string
}

/**
 * The days on which a currency settles. The calendar knows no days before `first` or after `last`.
 */
export interface Calendar {
  readonly name: CalendarName
  readonly title: string
  readonly currency: string
  /** IANA name of the time zone that its dates are in. */
  readonly zone: string
  readonly first: IsoDate
  readonly last: IsoDate
  readonly source: string
  /** In order of date. */
  readonly holidays: readonly Holiday[]
}

/** A rail's cut-off for the payments of a business day, and the days until they arrive. */
export interface Timetable {
  readonly calendar: CalendarName
  /** Local time of the cut-off in `zone`: `15:00`. */
  readonly cut_off: string
  /** IANA name, such as `Europe/Berlin`. */
  readonly zone: string
  /** Minutes before the cut-off at which payouts are released. */
  readonly lead_minutes: number
  /** Business days from the value date to the arrival; null leaves that to the network. */
  readonly arrival_days: number | null
}
