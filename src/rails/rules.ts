// Selects the rails that may take a payout, in order. The simulator takes all payouts of a sandbox
// account, without routes; a live account's payout without a route is refused. Pure.
import type { Account } from '../accounts/rules.ts'
import type { Timetable } from '../values/calendar/calendar.ts'
import { refusal } from '../values/errors.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { formatMajor, MAX_AMOUNT } from '../values/money/decimal.ts'
import { SIMULATOR } from './rail.ts'

/** The bounds of a route's amount, included, in minor units of its currency; null is "any". */
export interface AmountRange {
  readonly min_amount: bigint | null
  readonly max_amount: bigint | null
}

/** The conditions of a route; null is "any". */
export interface RouteConditions extends AmountRange {
  readonly account_id: string | null
  readonly payout_type: string | null
  readonly network: string | null
  /** The currency that the beneficiary receives, which the rail sends. */
  readonly currency: string | null
  readonly country: string | null
}

/** The conditions that are names. Their order ranks routes with equally many conditions. */
export const CONDITIONS = ['account_id', 'payout_type', 'network', 'currency', 'country'] as const
export type Condition = (typeof CONDITIONS)[number]

/** Every condition, including the range of amounts. */
const ALL_CONDITIONS = [...CONDITIONS, 'amount'] as const
export type AnyCondition = (typeof ALL_CONDITIONS)[number]

/** A route at the time when a payout took it. */
export interface RouteTaken extends RouteConditions {
  /** Ranks routes with equally many conditions: the higher priority wins. */
  readonly priority: number
  /** The cut-off of a day's payouts; null: payouts are released at any time, at once. */
  readonly timetable: Timetable | null
}

export interface Route extends RouteTaken {
  readonly rail: string
}

/** The members of a payout that routes are compared with; '' is "not set". */
export type RouteSubject = { readonly [C in Exclude<Condition, 'account_id'>]: string } & {
  /** Minor units that the beneficiary receives; null before pricing, which fits any range. */
  readonly amount: bigint | null
}

/** The rail of a payout, '' for none, and the route that leads to it. */
export interface Routed {
  readonly rail: string
  /** Null for the simulator and for transfers, which need no route. */
  readonly route: RouteTaken | null
}

/** The payout type of transfers inside the installation, which need no rail. */
export const TRANSFER = 'service_account'

/**
 * Chooses the rail of a payout; refuses with route_unavailable, at `remarks`, when no route fits.
 * `unset` says how a network or country that is not set is compared: `exact` fits only routes
 * without this condition. `open` then also tries the routes of any network or country, because a
 * quote leaves these to its payout.
 */
export function routeOf(
  routes: readonly Route[],
  { account_id, sandbox }: Pick<Account, 'account_id' | 'sandbox'>,
  subject: RouteSubject,
  remarks: string,
  unset: 'exact' | 'open' = 'exact',
): Routed {
  if (subject.payout_type === TRANSFER) return { rail: '', route: null }
  if (sandbox) return { rail: SIMULATOR, route: null }
  const payout = { ...subject, account_id }
  const [exact] = selectRoutes(routes, payout)
  const first = exact ?? (unset === 'open' ? selectOpen(routes, payout) : undefined)
  if (first === undefined) {
    throw refusal('route_unavailable', noRouteMessage(routes, payout), remarks)
  }
  const { rail, ...route } = first
  return { rail, route }
}

/** The members of a payout that routes are compared with, its account included. */
export type PayoutToRoute = RouteSubject & { readonly account_id: string }

/**
 * The routes that fit, in the order of failover. The first takes the payout; the next one follows
 * when a rail proves that it has not taken it. Each rail appears once, with its first route: a
 * second route to the same rail is no failover.
 */
export function selectRoutes(routes: readonly Route[], payout: PayoutToRoute): readonly Route[] {
  const isFit = (route: Route) => ALL_CONDITIONS.every(condition => fits(route, condition, payout))
  const rails = Map.groupBy(routes.filter(isFit).sort(inOrder), ({ rail }) => rail)
  return Array.from(rails.values(), ([first]) => first as Route)
}

/** The first route that fits a payout with these members and some value of each member not set. */
function selectOpen(routes: readonly Route[], payout: PayoutToRoute): Route | undefined {
  const conditions = ALL_CONDITIONS.filter(name => name === 'amount' || payout[name] !== '')
  return routes
    .filter(route => conditions.every(condition => fits(route, condition, payout)))
    .sort(inOrder)[0]
}

/** The conditions of a route that a payout does not meet. */
export function unmetConditions(route: Route, payout: PayoutToRoute): AnyCondition[] {
  return ALL_CONDITIONS.filter(condition => !fits(route, condition, payout))
}

function fits(route: Route, condition: AnyCondition, payout: PayoutToRoute): boolean {
  if (condition === 'amount') return takesAmount(route, payout.amount)
  const named = route[condition]
  // Requests name networks in any letter case.
  return named === null || named.toLowerCase() === payout[condition].toLowerCase()
}

function takesAmount({ min_amount, max_amount }: AmountRange, amount: bigint | null): boolean {
  if (amount === null) return true
  return (
    (min_amount === null || amount >= min_amount) && (max_amount === null || amount <= max_amount)
  )
}

/**
 * Sorts the most specific route first: by most conditions, then highest priority, then earliest
 * condition in CONDITIONS, then highest minimum, then lowest maximum. No two routes are equal in
 * all of these (`one_order_of_routes`).
 */
export function inOrder(a: Route, b: Route): number {
  const specific = conditionsOf(b).length - conditionsOf(a).length
  if (specific !== 0) return specific
  if (a.priority !== b.priority) return b.priority - a.priority
  const first = CONDITIONS.find(condition => (a[condition] === null) !== (b[condition] === null))
  if (first !== undefined) return a[first] === null ? 1 : -1
  const higher = compare(b.min_amount ?? 0n, a.min_amount ?? 0n)
  if (higher !== 0) return higher
  return compare(a.max_amount ?? MAX_AMOUNT, b.max_amount ?? MAX_AMOUNT)
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function conditionsOf(route: RouteConditions): AnyCondition[] {
  const { min_amount, max_amount } = route
  const named = CONDITIONS.filter(condition => route[condition] !== null)
  return min_amount === null && max_amount === null ? named : [...named, 'amount']
}

const WORDS: Readonly<Record<Condition, string>> = {
  account_id: 'account',
  payout_type: 'type',
  network: 'network',
  currency: 'currency',
  country: 'country',
}

/** The conditions in words: `type local, currency HKD`, or `any payout`. */
export function conditionWords(route: RouteConditions): string {
  const named = conditionsOf(route).map(condition =>
    condition === 'amount'
      ? `amount ${rangeWords(route)}`
      : `${WORDS[condition]} ${route[condition]}`,
  )
  return named.length === 0 ? 'any payout' : named.join(', ')
}

/** A range in major units: `from 100.00 to 5000.00`; '' for any amount. */
export function rangeWords({ min_amount, max_amount, currency }: RouteConditions): string {
  const words = (word: string, amount: bigint | null) =>
    amount === null ? [] : [`${word} ${formatMajor(amount, currencyExponent(currency ?? ''))}`]
  return [...words('from', min_amount), ...words('to', max_amount)].join(' ')
}

/** A condition with the payout's own value: `network chats`, or `network (not named)`. */
export function payoutValueWords(payout: PayoutToRoute, condition: AnyCondition): string {
  if (condition === 'account_id') return 'this account'
  if (condition !== 'amount') {
    return `${WORDS[condition]} ${payout[condition] === '' ? '(not named)' : payout[condition]}`
  }
  const { amount, currency } = payout
  const major = amount === null ? '(not known)' : formatMajor(amount, currencyExponent(currency))
  return `amount ${major} ${currency}`
}

/**
 * The message for a payout without a route: the payout's conditions, and the first condition that
 * leaves no route.
 */
function noRouteMessage(routes: readonly Route[], payout: PayoutToRoute): string {
  const values = CONDITIONS.slice(1).map(condition => payoutValueWords(payout, condition))
  let left = routes
  for (const condition of ALL_CONDITIONS) {
    const fitting = left.filter(route => fits(route, condition, payout))
    if (fitting.length > 0) {
      left = fitting
      continue
    }
    const missing = payoutValueWords(payout, condition)
    return `No rail takes this payout (${values.join(', ')}): there is no route for ${missing}.`
  }
  throw new Error('a route that fits was not selected')
}
