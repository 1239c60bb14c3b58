// The nouns of calendars: dates, the days on which a currency settles, the time-table of a rail.

/** `2026-11-23`. */
export type IsoDate = string

export const CALENDAR_NAMES = ['t2', 'fed', 'uk', 'ch', 'hk'] as const
export type CalendarName = (typeof CALENDAR_NAMES)[number]

/** A day on which nothing settles, weekend or not. Saturdays and Sundays are none anyway. */
export interface Holiday {
  readonly date: IsoDate
  readonly name: string
}

/** The days on which a currency settles. Nothing is known of the days outside first and last. */
export interface Calendar {
  readonly name: CalendarName
  readonly title: string
  readonly currency: string
  /** IANA name of the time zone that its dates are in. */
  readonly zone: string
  readonly first: IsoDate
  readonly last: IsoDate
  /** Where the dates are from, and when they were read. */
  readonly source: string
  /** In order of date. */
  readonly holidays: readonly Holiday[]
}

/** Until when a rail takes the payments of a business day, and when they arrive. */
export interface Timetable {
  readonly calendar: CalendarName
  /** Local time of the cut-off in `zone`: `15:00`. */
  readonly cut_off: string
  /** IANA name, such as `Europe/Berlin`. */
  readonly zone: string
  /** Payouts are released this long before the cut-off. */
  readonly lead_minutes: number
  /** Business days from the value date to the arrival; null: as the network takes. */
  readonly arrival_days: number | null
}
