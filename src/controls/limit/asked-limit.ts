// Judges a limit that an operator asks for. It refuses unknown names, since a limit with an unknown
// name would count no payout. Callers pass the known names. Pure.
import { isZone } from '../../values/calendar/rules.ts'
import { invalidField, type Problem, Refusal } from '../../values/errors.ts'
import { currencyProblems } from '../../values/money/problem.ts'
import { hintOrStop } from '../../values/text/nearest.ts'
import { type Asked, keyProblems } from '../approval/asked-rule.ts'
import type { Limit, LimitKind, Window } from './limit.ts'

/** A limit as an operator asks for it. The amount is in minor units of the currency. */
export type AskedLimit = Asked<LimitKind & { readonly amount: number; readonly count: number }>

/** The names that higher rooms know. */
interface Known {
  /** The names of all rails, including the simulator. */
  readonly rails: readonly string[]
  /** The account of each key. */
  readonly keys: ReadonlyMap<string, string>
  /** The canonical name of a network; undefined when there is none. */
  networkName(name: string): string | undefined
}

/** In hours: a year. */
export const MAX_NEW_FOR = 8_760

type Judged<T> = { readonly value: T } | { readonly problems: readonly Problem[] }

const problem = (member: string, message: string) => ({ problems: [invalidField(member, message)] })

/**
 * The limit's kind and cap. Callers have found the account.
 * @throws Refusal (400) with a problem for each mistake
 */
export function judgeLimit(asked: AskedLimit, known: Known): LimitKind & Pick<Limit, 'cap'> {
  const [payments, measure, window] = [
    judgePayments(asked, known),
    judgeMeasure(asked),
    judgeWindow(asked),
  ]
  if ('value' in payments && 'value' in measure && 'value' in window) {
    return { ...payments.value, ...measure.value, ...window.value }
  }
  const all = [payments, measure, window]
  throw new Refusal(all.flatMap(judged => ('problems' in judged ? judged.problems : [])))
}

function judgePayments(asked: AskedLimit, { rails, keys, networkName }: Known) {
  const { account_id, key_id = null, each = 'account', new_for_hours = null } = asked
  const rail = asked.rail?.toLowerCase() ?? null
  const network = asked.network === undefined ? null : networkName(asked.network)
  const problems = [...keyProblems(asked, keys)]
  if (key_id !== null && each === 'key') {
    problems.push(invalidField('each', 'A limit of one key counts that key; send one of the two.'))
  }
  if (rail !== null && !rails.includes(rail)) {
    const names = `the rails are ${rails.join(', ')}${hintOrStop(rail, rails)}`
    problems.push(invalidField('rail', `There is no rail ${asked.rail}; ${names}`))
  }
  if (network === undefined) {
    problems.push(invalidField('network', `There is no network ${asked.network}.`))
  }
  if (problems.length > 0) return { problems }
  const of_key = key_id === null ? null : (keys.get(key_id) ?? null)
  const conditions = { account_id: account_id ?? of_key, key_id, rail, new_for_hours }
  return { value: { ...conditions, network: network ?? null, each } }
}

/** An amount in a currency, or a number of payouts. */
function judgeMeasure({
  amount,
  currency,
  count,
  per,
}: AskedLimit): Judged<Pick<Limit, 'cap' | 'currency'>> {
  if ((amount === undefined) === (count === undefined)) {
    return problem('amount', 'Say what is limited: an amount with its currency, or a count.')
  }
  if (amount !== undefined) {
    if (currency === undefined) {
      return problem('currency', 'An amount is of a currency, such as USD: name it.')
    }
    const problems = currencyProblems('currency', currency)
    return problems.length > 0 ? { problems } : { value: { cap: BigInt(amount), currency } }
  }
  if (currency !== undefined) return problem('currency', 'A count of payouts has no currency.')
  if (per === 'payout') return problem('count', 'A single payout is one payout: send an amount.')
  return { value: { cap: BigInt(count ?? 0), currency: null } }
}

function judgeWindow({ per, zone, hours }: AskedLimit): Judged<Window> {
  if (per === undefined ? hours === undefined : (per === 'hours') !== (hours !== undefined)) {
    const windows = 'a payout, a day of a zone, or a number of hours'
    return problem('per', `Say for how long the limit counts: ${windows}.`)
  }
  if (zone !== undefined && per !== 'day') return problem('zone', 'Only a day has a zone.')
  if (hours !== undefined) return { value: { per: 'hours', zone: null, hours } }
  if (per === 'payout') return { value: { per, zone: null, hours: null } }
  if (zone !== undefined && isZone(zone)) return { value: { per: 'day', zone, hours: null } }
  const fault = zone === undefined ? 'A day needs its zone' : `There is no time zone ${zone}`
  return problem('zone', `${fault}, such as Europe/Berlin.`)
}
