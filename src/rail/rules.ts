// Routes: which rail takes a payout, and why. Pure. A sandbox account has no routes, as the
// simulator takes all of its payouts; a live account's payout without a route is refused.
import type { Account } from '../account/rules.ts'
import { refusal } from '../errors.ts'
import { SIMULATOR } from './rail.ts'

/** What a payout must be for a route to fit; a null is "any". */
export interface RouteConditions {
  readonly account_id: string | null
  readonly payout_type: string | null
  readonly network: string | null
  /** The currency that the beneficiary receives, which the rail sends. */
  readonly currency: string | null
  readonly country: string | null
}

/** The conditions in the order in which they decide between routes that name as many. */
export const CONDITIONS = ['account_id', 'payout_type', 'network', 'currency', 'country'] as const
export type Condition = (typeof CONDITIONS)[number]

/** A route that a payout took, as it was then. */
export interface RouteTaken extends RouteConditions {
  /** Between routes that name as many conditions the higher one wins. */
  readonly priority: number
}

export interface Route extends RouteTaken {
  readonly rail: string
}

/** What is to be paid; '' where the request does not say. */
export type RouteSubject = { readonly [C in Exclude<Condition, 'account_id'>]: string }

/** The rail that a payout goes to, '' for none, and the route that led there. */
export interface Routed {
  readonly rail: string
  /** Null when no route was needed. */
  readonly route: RouteTaken | null
}

/** A transfer inside the installation, which no rail takes part in. */
export const TRANSFER = 'service_account'

/** Refuses with route_unavailable, at `remarks`, when no route of a live account fits. */
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
 * The most specific route that fits: the one with the most conditions; of several the one of the
 * higher priority; of those the one with the earlier condition in the order of CONDITIONS.
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

/** As people read it: `type local, currency HKD`, or `any payout`. */
export function conditionWords(route: RouteConditions): string {
  const named = conditionsOf(route).map(condition => `${WORDS[condition]} ${route[condition]}`)
  return named.length === 0 ? 'any payout' : named.join(', ')
}

/** What was to be paid, and the condition that leaves the last routes out. */
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
