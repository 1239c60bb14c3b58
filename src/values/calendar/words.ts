// Writes days for people: `29 November 2026`. Pure.
import type { IsoDate } from './calendar.ts'

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
]

/** `November 2026` */
export function monthWords(day: IsoDate): string {
  return dayWords(day).replace(/^\d+ /, '')
}

export function dayWords(day: IsoDate): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`
}
