// Routes: which rail takes a payout. The simulator takes all payouts of a sandbox account, without
// routes; a live account's payout without a route is refused. Pure.
import type { Account } from '../account/rules.ts'
import { refusal } from '../errors.ts'
import { SIMULATOR } from './rail.ts'

/** The conditions of a route; null is "any". */
export interface RouteConditions {
  readonly account_id: string | null
  readonly payout_type: string | null
  readonly network: string | null
  /** The currency that the beneficiary receives, which the rail sends. */
  readonly currency: string | null
  readonly country: string | null
}

/** The conditions, in the order that decides between routes with as many of them. */
export const CONDITIONS = ['account_id', 'payout_type', 'network', 'currency', 'country'] as const
export type Condition = (typeof CONDITIONS)[number]

/** A route as it was when a payout took it. */
export interface RouteTaken extends RouteConditions {
  /** Decides between routes with as many conditions: the higher one wins. */
  readonly priority: number
}

export interface Route extends RouteTaken {
  readonly rail: string
}

/** The payout that a route must fit; '' is "not set". */
export type RouteSubject = { readonly [C in Exclude<Condition, 'account_id'>]: string }

/** The rail of a payout, '' for none, and the route that names it. */
export interface Routed {
  readonly rail: string
  /** Null when no route is needed. */
  readonly route: RouteTaken | null
}

/** The payout type of transfers inside the installation, which need no rail. */
export const TRANSFER = 'service_account'

/**
 * Chooses the rail of a payout; refuses with route_unavailable, at `remarks`, when no route fits.
 */
export function routeOf(
  routes: readonly Route[],
  { account_id, sandbox }: Pick<Account, 'account_id' | 'sandbox'>,
  subject: RouteSubject,
  remarks: string,
): Routed {
  if (subject.payout_type === TRANSFER) return { rail: '', route: null }
  if (sandbox) return { rail: SIMULATOR, route: null }
  const wanted = { ...subject, account_id }
  const best = selectRoute(routes, wanted)
  if (best === undefined) {
    throw refusal('route_unavailable', missingWords(routes, wanted), remarks)
  }
  const { rail, ...route } = best
  return { rail, route }
}

type Wanted = Readonly<Record<Condition, string>>

/**
 * The most specific route that fits: the one with the most conditions, then the highest priority,
 * then the earliest condition in the order of CONDITIONS.
 */
export function selectRoute(routes: readonly Route[], wanted: Wanted): Route | undefined {
  let best: Route | undefined
  for (const route of routes) {
    if (!CONDITIONS.every(condition => fits(route, condition, wanted))) continue
    if (best === undefined || comesBefore(route, best)) best = route
  }
  return best
}

function fits(route: Route, condition: Condition, wanted: Wanted): boolean {
  const named = route[condition]
  // Requests name networks in any letter case.
  return named === null || named.toLowerCase() === wanted[condition].toLowerCase()
}

function comesBefore(a: Route, b: Route): boolean {
  const specific = conditionsOf(a).length - conditionsOf(b).length
  if (specific !== 0) return specific > 0
  if (a.priority !== b.priority) return a.priority > b.priority
  const first = CONDITIONS.find(condition => (a[condition] === null) !== (b[condition] === null))
  return first !== undefined && a[first] !== null
}

/** The conditions that a route names. */
export function conditionsOf(route: RouteConditions): Condition[] {
  return CONDITIONS.filter(condition => route[condition] !== null)
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
  const named = conditionsOf(route).map(condition => `${WORDS[condition]} ${route[condition]}`)
  return named.length === 0 ? 'any payout' : named.join(', ')
}

/**
 * The message for a payout without a route: the payout, and the first condition that no route fits.
 */
function missingWords(routes: readonly Route[], wanted: Wanted): string {
  const said = (condition: Condition) =>
    `${WORDS[condition]} ${wanted[condition] === '' ? '(not named)' : wanted[condition]}`
  const payout = CONDITIONS.slice(1).map(said).join(', ')
  let left = routes
  for (const condition of CONDITIONS) {
    const fitting = left.filter(route => fits(route, condition, wanted))
    if (fitting.length > 0) {
      left = fitting
      continue
    }
    const missing = condition === 'account_id' ? 'this account' : said(condition)
    return `No rail takes this payout (${payout}): there is no route for ${missing}.`
  }
  throw new Error('a route that fits was not selected')
}
