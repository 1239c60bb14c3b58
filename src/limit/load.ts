// Reads an operator's text into a limit. It refuses unknown names, since a limit with an unknown
// name would count no payout. Callers pass the known names. Pure.
import { keyProblem } from '../approval/load.ts'
import { isZone } from '../calendar/rules.ts'
import { readMajor } from '../money/read.ts'
import type { Read } from '../text/csv.ts'
import { didYouMean } from '../text/nearest.ts'
import { EACH, type Each, type Limit, type LimitKind, type Window } from './limit.ts'
import { MAX_HOURS } from './window.ts'

/** A limit as an operator writes it. An absent condition allows any value. */
export interface LimitCells {
  readonly account?: string
  readonly key?: string
  readonly each?: string
  readonly rail?: string
  readonly network?: string
  readonly newFor?: string
  /** In major units of the currency. */
  readonly amount?: string
  readonly currency?: string
  readonly count?: string
  readonly per?: string
  readonly zone?: string
  readonly hours?: string
}

/** The names that higher rooms know. */
interface LimitVocabulary {
  /** The names of all rails, including the simulator. */
  readonly rails: readonly string[]
  /** The account of each key. */
  readonly keys: ReadonlyMap<string, string>
  /** The canonical name of a network; undefined when there is none. */
  networkName(name: string): string | undefined
}

/** In hours: a year. */
export const MAX_NEW_FOR = 8_760

/** The limit's kind and cap, or a message for each mistake. Callers have found the account. */
export function readLimit(
  cells: LimitCells,
  vocabulary: LimitVocabulary,
): Read<LimitKind & Pick<Limit, 'cap'>> {
  const payments = readPayments(cells, vocabulary)
  const measure = readMeasure(cells)
  const window = readWindow(cells)
  if (payments.value && measure.value && window.value) {
    return { value: { ...payments.value, ...measure.value, ...window.value } }
  }
  return { messages: [payments, measure, window].flatMap(({ messages = [] }) => messages) }
}

function readPayments(
  cells: LimitCells,
  { rails, keys, networkName }: LimitVocabulary,
): Read<Omit<LimitKind, keyof Window | 'currency'>> {
  const messages: string[] = []
  const each = cells.each?.toLowerCase() ?? 'account'
  if (!EACH.some(known => known === each)) {
    messages.push(`--each "${cells.each}" is none of ${EACH.join(', ')}${didYouMean(each, EACH)}`)
  }
  const key_id = cells.key ?? null
  const key_account = key_id === null ? undefined : keys.get(key_id)
  const problem = keyProblem(cells, keys)
  if (problem !== undefined) messages.push(problem)
  if (key_id !== null && each === 'key') messages.push('say --key or --each key, not both')
  const rail = cells.rail?.toLowerCase() ?? null
  if (rail !== null && !rails.includes(rail)) {
    const names = `the rails are ${rails.join(', ')}${didYouMean(rail, rails)}`
    messages.push(`unknown rail ${cells.rail}; ${names}`)
  }
  const network = cells.network === undefined ? null : networkName(cells.network)
  if (network === undefined) messages.push(`unknown network ${cells.network}`)
  const hours = cells.newFor
  const new_for_hours = hours === undefined ? null : /^\d{1,4}$/.test(hours) ? Number(hours) : 0
  if (new_for_hours !== null && (new_for_hours < 1 || new_for_hours > MAX_NEW_FOR)) {
    messages.push(`--new-for "${hours}" is not a whole number of hours from 1 to ${MAX_NEW_FOR}`)
  }
  if (messages.length > 0) return { messages }
  const account_id = cells.account ?? key_account ?? null
  const conditions = { account_id, key_id, rail, network: network ?? null, new_for_hours }
  return { value: { ...conditions, each: each as Each } }
}

/** An amount in a currency, or a number of payouts. */
function readMeasure(cells: LimitCells): Read<Pick<Limit, 'cap' | 'currency'>> {
  const { amount, currency, count } = cells
  if ((amount === undefined) === (count === undefined)) {
    return { messages: ['say what is limited: --amount with its --currency, or --count'] }
  }
  if (count === undefined) {
    const read = readMajor('--amount', amount ?? '', currency, 0n)
    if (read.messages !== undefined) return read
    return { value: { cap: read.value.amount, currency: read.value.currency } }
  }
  if (currency !== undefined) return { messages: ['--count has no --currency'] }
  if (cells.per?.toLowerCase() === 'payout')
    return { messages: ['a single payout is one payout: say --amount'] }
  if (/^\d{1,15}$/.test(count)) return { value: { cap: BigInt(count), currency: null } }
  return { messages: [`--count "${count}" is not a whole number of payouts`] }
}

function readWindow({ zone, hours, ...cells }: LimitCells): Read<Window> {
  const per = cells.per?.toLowerCase()
  if ((per === undefined) === (hours === undefined)) {
    return { messages: ['say for how long: --per payout, --per day with its --zone, or --hours'] }
  }
  if (zone !== undefined && per !== 'day') {
    return { messages: [`--zone "${zone}" goes with --per day alone`] }
  }
  if (hours !== undefined) {
    const number = /^\d{1,3}$/.test(hours) ? Number(hours) : 0
    const is_valid = number >= 1 && number <= MAX_HOURS
    if (is_valid) return { value: { per: 'hours', zone: null, hours: number } }
    return { messages: [`--hours "${hours}" is not a whole number from 1 to ${MAX_HOURS}`] }
  }
  if (per === 'payout') return { value: { per, zone: null, hours: null } }
  if (per !== 'day') return { messages: [`--per "${cells.per}" is neither payout nor day`] }
  if (zone !== undefined && isZone(zone)) return { value: { per, zone, hours: null } }
  const given = zone === undefined ? 'a day needs a --zone' : `unknown time zone ${zone}`
  return { messages: [`${given}, such as Europe/Berlin`] }
}
