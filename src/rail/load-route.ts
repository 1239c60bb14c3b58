// Reads a route from an operator's text, and checks that every name is known and that the route can
// fit a payout. Callers pass the known payout types, networks and accounts. Pure.
import type { Account } from '../account/rules.ts'
import { CALENDAR_NAMES, type Timetable } from '../calendar/calendar.ts'
import { isZone, MAX_LEAD_MINUTES } from '../calendar/rules.ts'
import { CURRENCIES } from '../money/currency.ts'
import { MAX_AMOUNT, parseMajor } from '../money/decimal.ts'
import { CHAINS } from '../network/chain.ts'
import { COUNTRIES } from '../network/country.ts'
import { NETWORKS } from '../network/local.ts'
import { PAYMENT_NETWORKS } from '../network/payment.ts'
import type { Read } from '../text/csv.ts'
import { didYouMean } from '../text/nearest.ts'
import { SIMULATOR } from './rail.ts'
import { type AmountRange, type Route, type RouteConditions, TRANSFER } from './rules.ts'

/** The conditions of a route as text; an absent condition is "any". */
export interface RouteCells {
  readonly type?: string
  readonly network?: string
  readonly currency?: string
  readonly country?: string
  readonly account?: string
  /** In major units of the currency. */
  readonly minAmount?: string
  readonly maxAmount?: string
}

/** The names that rooms above this one know. */
interface RouteVocabulary {
  readonly payout_types: readonly string[]
  /** The account that the route names. */
  readonly account: Account | undefined
  /** The canonical name of a network of this payout type; undefined when there is none. */
  networkName(payout_type: string, name: string): string | undefined
  /** Why payouts of this type cannot go to this country; undefined when they can. */
  countryFault(payout_type: string, code: string): string | undefined
}

export const MAX_PRIORITY = 1000

/** A timetable as text. */
export interface TimetableCells {
  readonly calendar?: string
  /** False is `--no-cut-off`. */
  readonly cutOff?: string | false
  readonly zone?: string
  readonly lead?: string
  readonly arrivesAfter?: string
}

export const DEFAULT_LEAD = '30'
export const MAX_ARRIVAL_DAYS = 30

/** The timetable of a route, null for none, or all of its problems. */
export function readTimetable(cells: TimetableCells): Read<Timetable | null> {
  const { calendar, cutOff, zone, lead, arrivesAfter } = cells
  if (cutOff === undefined || cutOff === false) {
    const others = [calendar, zone, lead, arrivesAfter].some(cell => cell !== undefined)
    if (!others) return { value: null }
    return { messages: ['--calendar, --zone, --lead and --arrives-after need a --cut-off'] }
  }
  const messages: string[] = []
  const name = CALENDAR_NAMES.find(known => known === calendar?.toLowerCase())
  if (name === undefined) {
    const given = calendar === undefined ? 'a cut-off needs a calendar' : `no calendar ${calendar}`
    messages.push(`${given}; the calendars are ${CALENDAR_NAMES.join(', ')}`)
  }
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(cutOff)) {
    messages.push(`--cut-off "${cutOff}" is no local time such as 15:00`)
  }
  if (zone === undefined || !isZone(zone)) {
    const given = zone === undefined ? 'a cut-off needs a --zone' : `unknown time zone ${zone}`
    messages.push(`${given}, such as Europe/Berlin`)
  }
  const lead_minutes = readCount('--lead', lead ?? DEFAULT_LEAD, 1, MAX_LEAD_MINUTES, messages)
  const arrival_days =
    arrivesAfter === undefined
      ? null
      : readCount('--arrives-after', arrivesAfter, 0, MAX_ARRIVAL_DAYS, messages)
  if (messages.length > 0 || name === undefined || zone === undefined) return { messages }
  return { value: { calendar: name, cut_off: cutOff, zone, lead_minutes, arrival_days } }
}

function readCount(
  option: string,
  text: string,
  least: number,
  most: number,
  messages: string[],
): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : -1
  if (count < least || count > most) {
    messages.push(`${option} "${text}" is not a whole number from ${least} to ${most}`)
  }
  return count
}

/** The conditions of a route, or all of their problems. */
export function readConditions(
  cells: RouteCells,
  vocabulary: RouteVocabulary,
): Read<RouteConditions> {
  const payout_type = cells.type?.toLowerCase() ?? null
  const currency = cells.currency?.toUpperCase() ?? null
  const country = cells.country?.toUpperCase() ?? null
  const account_id = cells.account ?? null
  const types = vocabulary.payout_types.filter(type => type !== TRANSFER)
  const type = checkType(payout_type, types)
  const network: Read<string | null> =
    type.length > 0
      ? { value: null }
      : readNetwork(cells.network, payout_type, currency, vocabulary)
  const messages = [
    ...type,
    ...(network.messages ?? []),
    ...checkCurrency(currency),
    ...checkCountry(country, payout_type ?? 'local', vocabulary),
    ...checkAccount(vocabulary.account),
  ]
  if (messages.length > 0) return { messages }
  const range = readRange(cells, currency)
  if (range.messages !== undefined) return { messages: range.messages }
  const named = { account_id, payout_type, network: network.value ?? null, currency, country }
  return { value: { ...named, ...range.value } }
}

/** The range of amounts, which needs a currency, or all of its problems. */
function readRange(
  { minAmount, maxAmount }: RouteCells,
  currency: string | null,
): Read<AmountRange> {
  if (minAmount === undefined && maxAmount === undefined) {
    return { value: { min_amount: null, max_amount: null } }
  }
  if (currency === null) return { messages: ['an amount needs the currency that it is in'] }
  const { exponent } = CURRENCIES.get(currency) ?? { exponent: 0 }
  const messages: string[] = []
  const read = (option: string, text: string | undefined): bigint | null => {
    if (text === undefined) return null
    const amount = parseMajor(text, exponent)
    if (amount !== undefined && amount >= 1n && amount <= MAX_AMOUNT) return amount
    const shape = `digits, and at most ${exponent} after a point`
    messages.push(`--${option} "${text}" is not an amount in ${currency}: ${shape}`)
    return null
  }
  const min_amount = read('min-amount', minAmount)
  const max_amount = read('max-amount', maxAmount)
  if (min_amount !== null && max_amount !== null && min_amount > max_amount) {
    messages.push(`--min-amount ${minAmount} is more than --max-amount ${maxAmount}`)
  }
  return messages.length > 0 ? { messages } : { value: { min_amount, max_amount } }
}

/** The rail of a route, one of `rails`, and its priority, 0 by default; or all problems. */
export function readTarget(
  rail: string,
  priority: string | undefined,
  rails: readonly string[],
): Read<Pick<Route, 'rail' | 'priority'>> {
  const name = rail.toLowerCase()
  const messages: string[] = []
  if (name === SIMULATOR) {
    messages.push('the simulator takes the payouts of sandbox accounts, and of no live account')
  } else if (!rails.includes(name)) {
    const hint = `the rails are ${rails.join(', ')}${didYouMean(name, rails)}`
    messages.push(`unknown rail ${rail}; ${hint}`)
  }
  const number = Number(priority ?? '0')
  if (!/^-?\d{1,4}$/.test(priority ?? '0') || Math.abs(number) > MAX_PRIORITY) {
    messages.push(`priority "${priority}" is not a whole number from -${MAX_PRIORITY} to 1000`)
  }
  return messages.length > 0 ? { messages } : { value: { rail: name, priority: number } }
}

function checkType(payout_type: string | null, types: readonly string[]): string[] {
  if (payout_type === null || types.includes(payout_type)) return []
  if (payout_type === TRANSFER) {
    return [`a ${TRANSFER} payout is a transfer inside the installation and needs no route`]
  }
  const hint = didYouMean(payout_type, types)
  return [`unknown type ${payout_type}; the types are ${types.join(', ')}${hint}`]
}

/** The canonical network name. The network must belong to the type and carry the currency. */
function readNetwork(
  written: string | undefined,
  payout_type: string | null,
  currency: string | null,
  vocabulary: RouteVocabulary,
): Read<string | null> {
  if (written === undefined) return { value: null }
  if (payout_type === null) return { messages: ['a network needs the type it belongs to'] }
  const name = vocabulary.networkName(payout_type, written)
  if (name === undefined) {
    const names = networksOf(payout_type).map(network => network.name)
    return {
      messages: [`unknown network ${written} of type ${payout_type}${didYouMean(written, names)}`],
    }
  }
  const carried = networksOf(payout_type).filter(network => network.name === name)
  const currencies = carried.flatMap(network => network.currencies)
  if (currency === null || currencies.includes(currency)) return { value: name }
  return { messages: [`network ${name} carries ${currencies.join(', ')} and no ${currency}`] }
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

function checkCurrency(code: string | null): string[] {
  if (code === null || CURRENCIES.has(code)) return []
  return [`unknown currency ${code}${didYouMean(code, CURRENCIES.keys())}`]
}

function checkCountry(
  code: string | null,
  payout_type: string,
  vocabulary: RouteVocabulary,
): string[] {
  const fault = code === null ? undefined : vocabulary.countryFault(payout_type, code)
  if (fault === undefined || code === null) return []
  return [COUNTRIES.has(code) ? fault : `${fault}${didYouMean(code, COUNTRIES)}`]
}

function checkAccount(account: Account | undefined): string[] {
  if (account?.sandbox !== true) return []
  const { account_id } = account
  return [
    `account ${account_id} is a sandbox: the simulator takes its payouts, whatever the routes`,
  ]
}
