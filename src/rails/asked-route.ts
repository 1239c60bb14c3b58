// Judges a route that an operator asks for: every name is known, and the route can fit a payout.
// Callers pass the known payout types, networks and accounts. Pure.
import type { Account } from '../accounts/rules.ts'
import type { CalendarName, Timetable } from '../values/calendar/calendar.ts'
import { isZone } from '../values/calendar/rules.ts'
import { invalidField, type Problem, refuseIfAny } from '../values/errors.ts'
import { currencyProblems } from '../values/money/problem.ts'
import { CHAINS } from '../values/network/chain.ts'
import { COUNTRIES } from '../values/network/country.ts'
import { NETWORKS } from '../values/network/local.ts'
import { PAYMENT_NETWORKS } from '../values/network/payment.ts'
import { didYouMean, hintOrStop } from '../values/text/nearest.ts'
import { SIMULATOR } from './rail.ts'
import { type Route, type RouteConditions, TRANSFER } from './rules.ts'

/** The conditions of a route as an operator asks for them; an absent condition is any. */
export interface AskedConditions {
  readonly type?: string
  readonly network?: string
  readonly currency?: string
  readonly country?: string
  readonly account_id?: string
  /** In minor units of the currency. */
  readonly min_amount?: number
  readonly max_amount?: number
}

/** A cut-off as an operator asks for it. */
export interface AskedCutOff {
  /** Local time: `15:00`. */
  readonly time: string
  readonly zone: string
  readonly calendar: CalendarName
  readonly lead_minutes?: number
  readonly arrival_days?: number
}

/** The names that rooms above this one know. */
interface Known {
  /** The account that the route names. */
  readonly account: Account | undefined
  /** The canonical name of a network of this payout type; undefined when there is none. */
  networkName(payout_type: string, name: string): string | undefined
  /** Why payouts of this type cannot go to this country; undefined when they can. */
  countryFault(payout_type: string, code: string): string | undefined
}

export const MAX_PRIORITY = 1000
export const DEFAULT_LEAD_MINUTES = 30
export const MAX_ARRIVAL_DAYS = 30

/**
 * The timetable of a route, null for none.
 * @throws Refusal (400) for an unknown time zone, and for a cut-off that is also taken away
 */
export function judgeCutOff(asked: AskedCutOff | undefined, no_cut_off = false): Timetable | null {
  if (asked === undefined) return null
  const both = 'A route has a cut-off or none: send one of cut_off and no_cut_off.'
  refuseIfAny(no_cut_off ? [invalidField('no_cut_off', both)] : [])
  const { time: cut_off, zone, calendar, lead_minutes, arrival_days } = asked
  const message = `There is no time zone ${zone}; one is Europe/Berlin.`
  refuseIfAny(isZone(zone) ? [] : [invalidField('cut_off.zone', message)])
  return {
    ...{ calendar, cut_off, zone },
    lead_minutes: lead_minutes ?? DEFAULT_LEAD_MINUTES,
    arrival_days: arrival_days ?? null,
  }
}

/**
 * The conditions of a route.
 * @throws Refusal (400) with a problem for each mistake
 */
export function judgeConditions(asked: AskedConditions, known: Known): RouteConditions {
  const { type = null, currency = null, country = null, account_id = null } = asked
  const { min_amount, max_amount } = asked
  const network = networkAsked(asked, known)
  refuseIfAny([
    ...(type === TRANSFER
      ? [invalidField('type', `A ${TRANSFER} payout is a transfer here and needs no route.`)]
      : []),
    ...('problem' in network ? [network.problem] : []),
    ...currencyProblems('currency', currency),
    ...countryProblems(country, type ?? 'local', known),
    ...accountProblems(known.account),
    ...amountProblems(asked),
  ])
  const exact = (amount: number | undefined) => (amount === undefined ? null : BigInt(amount))
  return {
    ...{ account_id, payout_type: type, currency, country },
    network: 'name' in network ? network.name : null,
    min_amount: exact(min_amount),
    max_amount: exact(max_amount),
  }
}

/**
 * The rail of a route, one of `rails`.
 * @throws Refusal (400) for an unknown rail, and for the simulator
 */
export function judgeRail(rail: string, rails: readonly string[]): Route['rail'] {
  const name = rail.toLowerCase()
  const message =
    name === SIMULATOR
      ? 'The simulator takes the payouts of sandbox accounts, and of no live account.'
      : `There is no rail ${rail}; the rails are ${rails.join(', ')}${hintOrStop(name, rails)}`
  refuseIfAny(rails.includes(name) ? [] : [invalidField('rail', message)])
  return name
}

function amountProblems({ currency, min_amount, max_amount }: AskedConditions): readonly Problem[] {
  if (min_amount === undefined && max_amount === undefined) return []
  if (currency === undefined) {
    return [invalidField('currency', 'An amount needs the currency that it is in.')]
  }
  if (min_amount === undefined || max_amount === undefined || min_amount <= max_amount) return []
  return [invalidField('min_amount', 'It is more than max_amount.')]
}

/** The canonical network name. The network must belong to the type and carry the currency. */
function networkAsked({ network: written, type, currency }: AskedConditions, known: Known) {
  if (written === undefined) return { name: null }
  const wrong = (message: string) => ({ problem: invalidField('network', message) })
  if (type === undefined) return wrong('A network needs the type that it belongs to.')
  const name = known.networkName(type, written)
  const networks = networksOf(type)
  if (name === undefined) {
    const hint = hintOrStop(
      written,
      networks.map(network => network.name),
    )
    return wrong(`There is no network ${written} of type ${type}${hint}`)
  }
  const currencies = networks
    .filter(network => network.name === name)
    .flatMap(network => network.currencies)
  if (currency === undefined || currencies.includes(currency)) return { name }
  return wrong(`Network ${name} carries ${currencies.join(', ')} and no ${currency}.`)
}

interface NetworkOfType {
  readonly name: string
  readonly currencies: readonly string[]
}

function networksOf(payout_type: string): readonly NetworkOfType[] {
  type OneCurrency = { readonly name: string; readonly currency: string }
  const withList = ({ name, currency }: OneCurrency) => ({ name, currencies: [currency] })
  switch (payout_type) {
    case 'local':
      return NETWORKS.map(withList)
    case 'local_payment_network':
      return PAYMENT_NETWORKS.map(withList)
    case 'wallet':
      return CHAINS.map(({ type: name, currencies }) => ({ name, currencies }))
    default:
      return []
  }
}

function countryProblems(code: string | null, type: string, known: Known): readonly Problem[] {
  const fault = code === null ? undefined : known.countryFault(type, code)
  if (fault === undefined || code === null) return []
  return [
    invalidField('country', COUNTRIES.has(code) ? fault : `${fault}${didYouMean(code, COUNTRIES)}`),
  ]
}

function accountProblems(account: Account | undefined): readonly Problem[] {
  if (account?.sandbox !== true) return []
  const { account_id } = account
  const why = 'the simulator takes its payouts, whatever the routes'
  const message = `Account ${account_id} is a sandbox: ${why}.`
  return [invalidField('account_id', message)]
}
