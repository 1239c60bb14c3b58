// The month of client money, as a regulator asks for it: each day, the highest and the lowest, each
// discrepancy, and what each institution held. Made of signed days alone. Pure.
import { plusDays } from '../values/calendar/day.ts'
import { isBusinessDay } from '../values/calendar/rules.ts'
import { byInstitution, holdingOf } from './institutions.ts'
import type { SafeguardedPool, SignedDay } from './safeguarding.ts'

/** Amounts are minor units. */
export interface MonthRow {
  readonly figure: MonthFigure
  readonly day: string
  readonly pool: SafeguardedPool
  readonly currency: string
  /** '' for a day that nobody has signed, and for an institution. */
  readonly number: string
  readonly institution: string
  readonly requirement?: bigint
  /** What the books held; of an institution, what they held there. */
  readonly resource?: bigint
  /** Resources besides: insurance, liquid assets. */
  readonly entered?: bigint
  /** Held, with what is entered, less owed. */
  readonly difference?: bigint
  readonly d1_requirement?: bigint
  readonly d1_resource?: bigint
  readonly d1_difference?: bigint
  /** What the bank said. */
  readonly bank?: bigint
  readonly state: string
  readonly action: string
  readonly signed_by: string
}

export type MonthFigure =
  | 'day'
  | 'highest_requirement'
  | 'lowest_requirement'
  | 'highest_resource'
  | 'lowest_resource'
  | 'discrepancy'
  | 'institution'

/** A day that is to be signed for a pool and a currency if it is a day of reconciliation. */
export interface ToSign {
  readonly day: string
  readonly pool: SafeguardedPool
  readonly currency: string
}

/** The days of a month such as 2026-11. */
export function daysOfMonth(month: string) {
  const first = `${month}-01`
  return { first, last: plusDays(`${plusDays(first, 31).slice(0, 7)}-01`, -1) }
}

/**
 * The rows of a month by pool and currency. A correction replaces its day; a discrepancy stays,
 * also one that was corrected. A day of reconciliation that nobody has signed is named: the days of
 * the week without bank holidays of the United Kingdom.
 */
export function monthRows(signed: readonly SignedDay[], to_sign: readonly ToSign[]): MonthRow[] {
  const keys = new Set([...signed, ...to_sign].map(keyOf))
  return [...keys].sort().flatMap(key => {
    const own = signed.filter(day => keyOf(day) === key)
    const last = [...new Map(own.map(day => [day.day, day])).values()]
    const missing = unsignedDays(
      to_sign.filter(day => keyOf(day) === key),
      own,
    )
    const days = [...last.map(day => rowOf('day', day)), ...missing]
    return [
      ...days.sort((a, b) => (a.day < b.day ? -1 : 1)),
      ...extremes(last),
      ...own.filter(({ state }) => state !== 'met').map(day => rowOf('discrepancy', day)),
      ...institutionRows(last.at(-1)),
    ]
  })
}

const keyOf = ({ pool, currency }: Pick<ToSign, 'pool' | 'currency'>) => `${pool} ${currency}`

function rowOf(figure: MonthFigure, day: SignedDay): MonthRow {
  const { requirement, resource, entered, d1_requirement, d1_resource } = day
  return {
    ...{ figure, day: day.day, pool: day.pool, currency: day.currency },
    ...{ number: String(day.number), institution: '', requirement, resource, entered },
    difference: resource + entered - requirement,
    ...{ d1_requirement, d1_resource, d1_difference: d1_resource + entered - d1_requirement },
    ...{ state: day.state, action: day.action, signed_by: day.by },
  }
}

/** Of equal amounts the first day counts. */
function extremes(days: readonly SignedDay[]): MonthRow[] {
  const [first] = days
  if (first === undefined) return []
  const held = (day: SignedDay) => day.resource + day.entered
  const owed = (day: SignedDay) => day.requirement
  const best = (figure: MonthFigure, of: (day: SignedDay) => bigint, sign: bigint) =>
    rowOf(
      figure,
      days.reduce((one, day) => (sign * of(day) > sign * of(one) ? day : one), first),
    )
  return [
    best('highest_requirement', owed, 1n),
    best('lowest_requirement', owed, -1n),
    best('highest_resource', held, 1n),
    best('lowest_resource', held, -1n),
  ]
}

/** What each institution held on the last day that is signed. */
function institutionRows(last: SignedDay | undefined): MonthRow[] {
  if (last === undefined) return []
  const { day, pool, currency } = last
  return byInstitution(last.external.map(holdingOf)).map(({ institution, book, bank }) => ({
    ...{ figure: 'institution' as const, day, pool, currency, number: '', institution },
    ...{ resource: book, bank, state: '', action: '', signed_by: '' },
  }))
}

function unsignedDays(to_sign: readonly ToSign[], signed: readonly SignedDay[]): MonthRow[] {
  const known = new Set(signed.map(({ day }) => day))
  const nothing = { number: '', institution: '', action: '', signed_by: '' }
  return to_sign
    .filter(({ day }) => !known.has(day) && isReconciled(day))
    .map(day => ({ figure: 'day' as const, ...day, state: 'not_signed', ...nothing }))
}

function isReconciled(day: string): boolean {
  return isBusinessDay('uk', day) ?? Temporal.PlainDate.from(day).dayOfWeek <= 5
}
