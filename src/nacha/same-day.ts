// Entries that settle on the day on which their file is made: the windows of the network, what
// names them in a file, and the bound of one amount. Sources: Nacha Operating Rules 2.5 (Same Day
// Entries), FedACH processing schedule; windows of 2021-03-19, bound of 2022-03-18. Pure.
import type { Instant } from '../instant.ts'

/** The clocks of the network's operators are New York's. */
const ZONE = 'America/New_York'

/** USD 1,000,000.00 */
export const SAME_DAY_LIMIT = 100_000_000n

/** Until when the operators take a file, and how its batches name the settlement wanted. */
const WINDOWS = [
  { until: '1030', indicator: 'SD1300' },
  { until: '1445', indicator: 'SD1700' },
  { until: '1645', indicator: 'SD1800' },
] as const

/** The indicators that a batch may have. */
export const SAME_DAY_INDICATORS: readonly string[] = WINDOWS.map(({ indicator }) => indicator)

const LOCAL = new Intl.DateTimeFormat('sv-SE', {
  timeZone: ZONE,
  dateStyle: 'short',
  timeStyle: 'medium',
})

/** Date (YYYY-MM-DD) and time (HHMM) of an instant in New York. */
export function inNewYork(instant: Instant): { readonly date: string; readonly time: string } {
  const [date = '', time = ''] = LOCAL.format(new Date(instant)).split(' ')
  return { date, time: time.slice(0, 5).replace(':', '') }
}

/** The first window that a file of this time can still reach; undefined after the last. */
export function sameDayIndicator(time: string): string | undefined {
  return WINDOWS.find(({ until }) => time < until)?.indicator
}
