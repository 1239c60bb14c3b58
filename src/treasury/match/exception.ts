// What finance has to look at: open lines and items that are older or other than they should be,
// and statements that do not join. Exceptions are a query, and never a state of their own. Pure.

import type { CalendarName, IsoDate } from '../../values/calendar/calendar.ts'
import { plusDays } from '../../values/calendar/day.ts'
import { isBusinessDay } from '../../values/calendar/rules.ts'
import type { Nostro } from '../nostro.ts'
import { caseId } from './case-id.ts'

/** Of lines, of items, and of statements. */
export const EXCEPTION_KINDS = [
  'wrong_currency',
  'wrong_nostro',
  'amount_differs',
  'duplicate_line',
  'unknown_debit',
  'unknown_credit',
  'stale_suspense',
  'missing_debit',
  'missing_credit',
  'unassigned',
  'gap',
  'overlap',
  'sum_differs',
  'statement_late',
] as const
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number]

export interface TreasuryException {
  /** '' for items that no nostro is known for. */
  readonly nostro: string
  readonly kind: ExceptionKind
  readonly of: 'line' | 'item' | 'statement'
  readonly number: bigint
  readonly amount: bigint
  readonly currency: string
  readonly since: IsoDate
  readonly payout_id: string
  /** Who looks after it, and the last note; '' for none. */
  readonly owner: string
  readonly note: string
}

/** The newest days on which an open row of a nostro is an exception. */
export interface DueDays {
  readonly name: string
  readonly currency: string
  readonly missing: IsoDate
  readonly stale: IsoDate
}

const EXPECTED_DAYS = 3
const STALE_DAYS = 3

/** The days of a nostro, by the calendar of its bank. */
export function dueDays({ name, currency, settings }: Nostro, today: IsoDate): DueDays {
  const { expected_days = EXPECTED_DAYS, statement } = settings
  const calendar = statement?.calendar as CalendarName | undefined
  return {
    ...{ name, currency },
    missing: bankingDaysBefore(today, expected_days + 1, calendar),
    stale: bankingDaysBefore(today, STALE_DAYS + 1, calendar),
  }
}

/** The day so many banking days before; without a calendar, or outside of it, Monday to Friday. */
function bankingDaysBefore(today: IsoDate, days: number, calendar?: CalendarName): IsoDate {
  let day = today
  for (let left = days; left > 0; ) {
    day = plusDays(day, -1)
    const known = calendar === undefined ? undefined : isBusinessDay(calendar, day)
    if (known ?? isWeekday(day)) left -= 1
  }
  return day
}

function isWeekday(day: IsoDate): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday > 0 && weekday < 6
}

/** What a person types next. */
export function nextStep({ kind, of, number, nostro, payout_id }: TreasuryException): string {
  const id = caseId(of, number)
  switch (kind) {
    case 'unassigned':
      return 'corridor nostro set NAME --rails RAIL'
    case 'missing_debit':
    case 'missing_credit':
      return payout_id === ''
        ? `corridor nostro note ${id} --note WORDS`
        : `corridor payout show ${payout_id}`
    case 'gap':
    case 'overlap':
    case 'sum_differs':
    case 'statement_late':
      return `corridor nostro statements ${nostro}`
    case 'wrong_nostro':
      return `corridor nostro book ${id} --as transfer --to NAME`
    case 'wrong_currency':
      return `corridor nostro note ${id} --note WORDS`
    default:
      return `corridor nostro suggest ${id}`
  }
}
