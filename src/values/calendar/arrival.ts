// Works out when a payment arrives, by its network and the instant at which it is sent. It guesses
// nothing for unknown networks and for payments through correspondent banks. Pure.
import { type Instant, plusMilliseconds } from '../instant.ts'
import type { CalendarName, IsoDate, Timetable } from './calendar.ts'
import { addBusinessDays, instantAt, releaseOf } from './rules.ts'

/** A network that pays at any hour, and the longest time that its rules allow. */
interface AtAnyHour {
  readonly seconds: number
}

/** A network that pays on business days. */
interface OnBusinessDays {
  readonly calendar: CalendarName
  readonly zone: string
  /** Local time. A later payment belongs to the next business day. */
  readonly closes: string
  /** Business days until the arrival. */
  readonly days: number
  /** The latest local time of the arrival on that day. */
  readonly by: string
}

const london = { calendar: 'uk', zone: 'Europe/London' } as const
const newYork = { calendar: 'fed', zone: 'America/New_York' } as const
const frankfurt = { calendar: 't2', zone: 'Europe/Berlin' } as const
const zurich = { calendar: 'ch', zone: 'Europe/Zurich' } as const
const hongKong = { calendar: 'hk', zone: 'Asia/Hong_Kong' } as const
const chats = { ...hongKong, closes: '18:00', days: 0, by: '18:30' } as const

/**
 * By currency and name of the local network. Sources: SEPA Credit Transfer rulebook (the next
 * business day at the latest) and SEPA Instant rulebook (10 seconds); European Central Bank (T2
 * takes customers' payments until 17:00); Pay.UK (Faster Payments within two hours; Bacs on the
 * third day of its cycle, in the morning); Bank of England (CHAPS takes customers' payments until
 * 17:40); Nacha and FedACH (credits settle on the next banking day); Federal Reserve (Fedwire takes
 * customers' payments until 18:45, FedNow at any hour); The Clearing House (RTP at any hour); SIX
 * (SIC takes customers' payments until 17:00); HKICL (CHATS until 18:00, FPS at any hour). As known
 * to us on 2026-11-23; a bank may close earlier, which a route's cut-off says.
 */
const NETWORKS = new Map<string, AtAnyHour | OnBusinessDays>([
  ['CHF sic', { ...zurich, closes: '17:00', days: 0, by: '18:00' }],
  ['EUR sepa', { ...frankfurt, closes: '17:00', days: 1, by: '18:00' }],
  ['EUR sepa_instant', { seconds: 10 }],
  ['EUR target2', { ...frankfurt, closes: '17:00', days: 0, by: '18:00' }],
  ['GBP bacs', { ...london, closes: '22:30', days: 2, by: '07:00' }],
  ['GBP chaps', { ...london, closes: '17:40', days: 0, by: '18:00' }],
  ['GBP faster_payments', { seconds: 7_200 }],
  ['HKD chats', chats],
  ['HKD fps', { seconds: 60 }],
  ['USD ach', { ...newYork, closes: '17:00', days: 1, by: '17:00' }],
  ['USD fednow', { seconds: 60 }],
  ['USD fedwire', { ...newYork, closes: '18:45', days: 0, by: '19:00' }],
  ['USD rtp', { seconds: 60 }],
])

/** The members of a payment that decide how long it takes; '' is "not set". */
export interface Sent {
  readonly currency: string
  /** The local network. */
  readonly network: string
}

/** The latest arrival of a payment that is released at this instant; null when unknown. */
export function arrivalBy({ currency, network }: Sent, released: Instant): Instant | null {
  const known = NETWORKS.get(`${currency} ${network}`)
  if (known === undefined) return null
  if ('seconds' in known) return plusMilliseconds(released, known.seconds * 1000)
  const { calendar, zone, closes, days, by } = known
  const sent = releaseOf({ calendar, zone, cut_off: closes, lead_minutes: 0 }, released)
  return sent === undefined ? null : onDay(calendar, zone, sent.value_date, days, by)
}

/** The arrival's local time when the timetable sets the number of business days. */
const END_OF_DAY = '23:59'

/**
 * The latest arrival of a payment, by the timetable's number of days or, if it has none, by the
 * network; null when unknown.
 */
export function arrivalOf(
  timetable: Timetable,
  sent: Sent,
  { release_at, value_date }: { readonly release_at: Instant; readonly value_date: IsoDate },
): Instant | null {
  const { calendar, zone, arrival_days } = timetable
  if (arrival_days === null) return arrivalBy(sent, release_at)
  return onDay(calendar, zone, value_date, arrival_days, END_OF_DAY)
}

/** A cache, because each payout of a payroll asks for the same arrival. */
const ARRIVALS = new Map<string, Instant | null>()
const MAX_ARRIVALS = 10_000

/** A local time, this many business days after a value date. */
function onDay(
  calendar: CalendarName,
  zone: string,
  value_date: IsoDate,
  days: number,
  time: string,
): Instant | null {
  const key = `${calendar} ${zone} ${value_date} ${days} ${time}`
  const known = ARRIVALS.get(key)
  if (known !== undefined) return known
  if (ARRIVALS.size >= MAX_ARRIVALS) ARRIVALS.clear()
  const day = addBusinessDays(calendar, value_date, days)
  const found = day === undefined ? null : instantAt(zone, day, time)
  ARRIVALS.set(key, found)
  return found
}
