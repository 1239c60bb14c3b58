// Why a payout goes to its rail: every route in the order of preference, with a verdict and its
// reason. Pure.
import {
  type AnyCondition,
  CONDITIONS,
  conditionWords,
  inOrder,
  type PayoutToRoute,
  type Route,
  type RouteConditions,
  rangeWords,
  unmetConditions,
} from './rules.ts'

export const VERDICTS = ['taken', 'next', 'tried', 'same_rail', 'does_not_fit'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface ExplainedRoute {
  readonly route: Route
  readonly verdict: Verdict
  /** The conditions that the payout does not meet; empty for a route that fits. */
  readonly unmet: readonly AnyCondition[]
  readonly reason: string
}

/** The known facts of a past decision. */
export interface PastDecision {
  /** The rails that had an attempt before the decision. */
  readonly tried: readonly string[]
  /** The route that was taken, as its attempt stores it; undefined: the first that fits. */
  readonly taken?: Route
}

/** Every route with its verdict in one decision. The routes that fit come first. */
export function explainRoutes(
  routes: readonly Route[],
  payout: PayoutToRoute,
  { tried, taken }: PastDecision,
): readonly ExplainedRoute[] {
  const is_listed = taken === undefined || routes.some(route => isSame(route, taken))
  const all = (is_listed ? routes : [...routes, taken]).toSorted(inOrder)
  const used_rails = new Set(tried)
  let isTaken = false
  const explained = all.map((route): ExplainedRoute => {
    const isChosen = taken !== undefined && isSame(route, taken)
    const unmet = isChosen ? [] : unmetConditions(route, payout)
    const { rail } = route
    const is = (verdict: Verdict, reason: string) => ({ route, verdict, unmet, reason })
    if (unmet.length > 0) return is('does_not_fit', unmetWords(route, unmet))
    if (!isChosen && used_rails.has(rail)) {
      return tried.includes(rail)
        ? is('tried', `rail ${rail} has had an attempt`)
        : is('same_rail', `a route before it leads to rail ${rail}`)
    }
    used_rails.add(rail)
    if (isChosen || (taken === undefined && !isTaken)) {
      isTaken = true
      return is('taken', 'the first that fits')
    }
    return is('next', 'if the rail before it proves that it did not take it')
  })
  const fits = ({ verdict }: ExplainedRoute) => verdict !== 'does_not_fit'
  return [...explained.filter(fits), ...explained.filter(route => !fits(route))]
}

/** `takes only currency EUR, amount from 100.00`. */
function unmetWords(route: Route, unmet: readonly AnyCondition[]): string {
  const only: RouteConditions = {
    ...route,
    ...Object.fromEntries(CONDITIONS.filter(c => !unmet.includes(c)).map(c => [c, null])),
    ...(!unmet.includes('amount') && { min_amount: null, max_amount: null }),
  }
  // A range names its currency, even when the currency itself fits.
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

/** One change in the table of routes. */
export interface RouteChange {
  readonly before: Route | null
  readonly after: Route | null
}

/** The routes before these changes. The newest change comes first. */
export function routesBefore(routes: readonly Route[], changes: readonly RouteChange[]) {
  const known = new Map(routes.map(route => [routeKey(route), route]))
  for (const { before, after } of changes) {
    if (after !== null) known.delete(routeKey(after))
    if (before !== null) known.set(routeKey(before), before)
  }
  return [...known.values()]
}
