// The column of a payout that keeps its route as it was: JSON, whose amounts are exact text. Pure.
import type { RouteTaken } from './rules.ts'

type Amounts = 'min_amount' | 'max_amount'

/** A route as a payout stores it; an amount that is not set is left out. */
export type StoredRoute = Omit<RouteTaken, Amounts> & { readonly [A in Amounts]?: string }

export function storedRoute(route: RouteTaken | null): StoredRoute | null {
  if (route === null) return null
  const { min_amount, max_amount, ...rest } = route
  return {
    ...rest,
    ...(min_amount === null ? {} : { min_amount: String(min_amount) }),
    ...(max_amount === null ? {} : { max_amount: String(max_amount) }),
  }
}

export function routeTaken(stored: StoredRoute | null): RouteTaken | null {
  if (stored === null) return null
  const { min_amount, max_amount, ...rest } = stored
  const amount = (text: string | undefined) => (text === undefined ? null : BigInt(text))
  return { ...rest, min_amount: amount(min_amount), max_amount: amount(max_amount) }
}
