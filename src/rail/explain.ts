// Why a payout goes to its rail: every route in the order of preference, whether it was taken, and
// if not, why not. Pure.
import {
  CONDITIONS,
  conditionWords,
  inOrder,
  type Named,
  type Route,
  type RouteConditions,
  rangeWords,
  unfits,
  type Wanted,
} from './rules.ts'

/** The part of a route in one decision. */
export const VERDICTS = ['taken', 'next', 'tried', 'same_rail', 'does_not_fit'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface Explained {
  readonly route: Route
  readonly verdict: Verdict
  /** The conditions that the payout does not meet; empty for a route that fits. */
  readonly unmet: readonly Named[]
  readonly reason: string
}

/** What is known about a past decision. */
export interface Decided {
  /** The rails that had an attempt before it. */
  readonly tried: readonly string[]
  /** The route that was taken, as its attempt stores it; undefined: the first that fits. */
  readonly taken?: Route
}

/** Every route with its part in one decision. The routes that fit come first. */
export function explainRoutes(
  routes: readonly Route[],
  wanted: Wanted,
  { tried, taken }: Decided,
): readonly Explained[] {
  const known = taken === undefined || routes.some(route => isSame(route, taken))
  const all = (known ? routes : [...routes, taken]).toSorted(inOrder)
  const seen = new Set(tried)
  let isTaken = false
  const judged = all.map((route): Explained => {
    const isChosen = taken !== undefined && isSame(route, taken)
    const unmet = isChosen ? [] : unfits(route, wanted)
    const { rail } = route
    const is = (verdict: Verdict, reason: string) => ({ route, verdict, unmet, reason })
    if (unmet.length > 0) return is('does_not_fit', unmetWords(route, unmet))
    if (!isChosen && seen.has(rail)) {
      return tried.includes(rail)
        ? is('tried', `rail ${rail} has had an attempt`)
        : is('same_rail', `a route before it leads to rail ${rail}`)
    }
    seen.add(rail)
    if (isChosen || (taken === undefined && !isTaken)) {
      isTaken = true
      return is('taken', 'the first that fits')
    }
    return is('next', 'if the rail before it proves that it did not take it')
  })
  const fits = ({ verdict }: Explained) => verdict !== 'does_not_fit'
  return [...judged.filter(fits), ...judged.filter(one => !fits(one))]
}

/** `takes only currency EUR, amount from 100.00`. */
function unmetWords(route: Route, unmet: readonly Named[]): string {
  const only: RouteConditions = {
    ...route,
    ...Object.fromEntries(CONDITIONS.filter(c => !unmet.includes(c)).map(c => [c, null])),
    ...(!unmet.includes('amount') && { min_amount: null, max_amount: null }),
  }
  // A range is told together with its currency, even if the currency itself fits.
  if (!unmet.includes('amount')) return `takes only ${conditionWords(only)}`
  const others = conditionWords({ ...only, min_amount: null, max_amount: null })
  const range = `amount ${rangeWords(route)}`
  return `takes only ${unmet.length === 1 ? range : `${others}, ${range}`}`
}

function isSame(a: Route, b: Route): boolean {
  return routeKey(a) === routeKey(b)
}

function routeKey({ rail, min_amount, max_amount, ...route }: Route): string {
  return [...CONDITIONS.map(condition => route[condition]), min_amount, max_amount, rail].join(' ')
}

/** A change of the table of routes. */
export interface RouteChange {
  readonly before: Route | null
  readonly after: Route | null
}

/** The routes as they were before these changes. The changes are newest first. */
export function routesBefore(
  routes: readonly Route[],
  changes: readonly RouteChange[],
): readonly Route[] {
  const known = new Map(routes.map(route => [routeKey(route), route]))
  for (const { before, after } of changes) {
    if (after !== null) known.delete(routeKey(after))
    if (before !== null) known.set(routeKey(before), before)
  }
  return [...known.values()]
}
