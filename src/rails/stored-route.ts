// The column that keeps a payout's route as it was: JSON with amounts as exact text. Pure.
import type { RouteTaken } from './rules.ts'

type Unset = 'min_amount' | 'max_amount' | 'timetable'

/** A route as a payout stores it. Unset amounts and an unset timetable are left out. */
export type StoredRoute = Omit<RouteTaken, Unset> & {
  readonly min_amount?: string
  readonly max_amount?: string
  readonly timetable?: NonNullable<RouteTaken['timetable']>
}

export function storedRoute(route: RouteTaken | null): StoredRoute | null {
  if (route === null) return null
  const { min_amount, max_amount, timetable, ...rest } = route
  return {
    ...rest,
    ...(min_amount === null ? {} : { min_amount: String(min_amount) }),
    ...(max_amount === null ? {} : { max_amount: String(max_amount) }),
    ...(timetable === null ? {} : { timetable }),
  }
}

export function routeTaken(stored: StoredRoute | null): RouteTaken | null {
  if (stored === null) return null
  const { min_amount, max_amount, timetable = null, ...rest } = stored
  const amount = (text: string | undefined) => (text === undefined ? null : BigInt(text))
  return { ...rest, min_amount: amount(min_amount), max_amount: amount(max_amount), timetable }
}
