// The rules of limits: which payouts a limit counts, with which amount, and when it refuses one.
// The state has the sums of earlier payouts, and each decision of a batch adds its own. Pure.
import type { PriceSources } from '../../prices/price.ts'
import { convertAtMid } from '../../prices/rate/rules.ts'
import { type Problem, Refusal, refusal } from '../../values/errors.ts'
import type { Instant } from '../../values/instant.ts'
import {
  counterName,
  KIND_MEMBERS,
  type KnownPayee,
  type Limit,
  type LimitKind,
  type LimitState,
  limitsOf,
  type Payment,
  payeeName,
  type Sum,
  type Use,
} from './limit.ts'
import { leavesAt, newUntil, stepAt, windowFrom } from './window.ts'
import { kindWords, quantity, windowName, windowWords } from './words.ts'

/** The times and the rates by which limits judge a payout. */
interface Judging {
  /** The time by the account's clock. Windows move by it. */
  readonly now: Instant
  /** The time by the database's clock. Rates age by it. */
  readonly rates_now: Instant
  readonly pricing: PriceSources
}

/** Whether the limit counts this payout, made at `now`. */
export function counts(limit: LimitKind, payment: Payment, now: Instant): boolean {
  const { account_id, key_id, rail, network, new_for_hours } = limit
  return (
    (account_id === null || account_id === payment.account_id) &&
    (key_id === null || key_id === payment.key_id) &&
    (rail === null || rail === payment.rail) &&
    (network === null || payment.networks.includes(network)) &&
    (new_for_hours === null || isNew(new_for_hours, payment, now))
  )
}

function isNew(hours: number, { known_since }: Payment, now: Instant): boolean {
  return known_since === null || now < newUntil(hours, known_since)
}

/** The `subject` of the counter that the payout belongs to. */
export function subjectOf(
  { each }: Pick<LimitKind, 'each'>,
  { key_id, payee }: Pick<Payment, 'key_id' | 'payee'>,
): string {
  if (each === 'account') return ''
  return each === 'key' ? key_id : payee
}

/**
 * The payout's share of the limit: 1, or its amount in the limit's currency at mid, rounded up.
 * Without a fresh rate, refuses the payout with `rate_unavailable` or `rate_stale`.
 */
export function amountOf(
  { limit_id, currency }: Pick<Limit, 'limit_id' | 'currency'>,
  payment: Pick<Payment, 'amount' | 'currency'>,
  { pricing, rates_now }: Pick<Judging, 'pricing' | 'rates_now'>,
): bigint {
  if (currency === null) return 1n
  try {
    return convertAtMid(pricing, payment.amount, payment.currency, currency, rates_now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [problem] = error.problems
    if (problem === undefined) throw error
    const message = `Limit ${limit_id} counts in ${currency}, and cannot: ${problem.message}`
    throw refusal(problem.reason, message, 'amount')
  }
}

/**
 * The payout's uses, one for each limit with a window. When limits have no room, it refuses with
 * one problem for each of them. `rememberUses` adds the uses to the state later.
 */
export function judgeLimits(state: LimitState, payment: Payment, judging: Judging): Use[] {
  const problems: Problem[] = []
  const uses: Use[] = []
  for (const limit of limitsOf(state.limits, payment.account_id)) {
    if (!counts(limit, payment, judging.now)) continue
    const amount = amountOf(limit, payment, judging)
    const { account_id } = payment
    const counter = { account_id, limit_id: limit.limit_id, subject: subjectOf(limit, payment) }
    const sums = countedSums(state, limit, counterName(counter), judging.now)
    const used = totalOf(sums)
    if (used + amount > limit.cap) {
      const frees_at = earlier(freesAt(limit, sums, amount), knownAt(limit, payment))
      problems.push(problemOf(limit, used, amount, frees_at))
    } else if (limit.per !== 'payout') {
      uses.push({ ...counter, starts_at: stepAt(limit, judging.now), amount })
    }
  }
  if (problems.length > 0) throw new Refusal(problems)
  return uses
}

/**
 * When the payee stops being new to the limit; null for a payee that the account does not know, or
 * for a limit without `new_for_hours`.
 */
function knownAt({ new_for_hours }: Limit, { known_since }: Payment): Instant | null {
  return new_for_hours === null || known_since === null
    ? null
    : newUntil(new_for_hours, known_since)
}

/** The earlier of two times; null means "never". */
export function earlier(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** The counter's sums within the window at `now`, oldest first. */
function countedSums(state: LimitState, limit: Limit, name: string, now: Instant): readonly Sum[] {
  const from = windowFrom(limit, now)
  return (state.sums.get(name) ?? []).filter(({ starts_at }) => starts_at >= from)
}

export function totalOf(sums: readonly Sum[]): bigint {
  return sums.reduce((total, { used }) => total + used, 0n)
}

/**
 * When the limit has room for this amount, if the account makes no other payout meanwhile; null for
 * never. Steps leave the window one by one, the oldest first.
 */
export function freesAt(limit: Limit, sums: readonly Sum[], amount: bigint): Instant | null {
  let used = totalOf(sums)
  for (const sum of sums) {
    used -= sum.used
    if (used + amount <= limit.cap) return leavesAt(limit, sum.starts_at)
  }
  return null
}

/** Adds a payout's uses to the state, for the batch's next payouts and for the store. */
export function rememberUses(state: LimitState, uses: readonly Use[], now: Instant): void {
  for (const use of uses) {
    const { account_id, limit_id } = use
    const limit = limitsOf(state.limits, account_id).find(one => one.limit_id === limit_id)
    if (limit === undefined) throw new Error(`a payout counts for ${limit_id}, which is no limit`)
    const sum = addUse(state, use)
    sum.reached = totalOf(countedSums(state, limit, counterName(use), now))
    sum.cap = limit.cap
  }
}

/** Makes a payee known to the next payouts of the batch. */
export function rememberPayee({ payees }: LimitState, new_payee: KnownPayee | null): void {
  if (new_payee !== null) payees.set(payeeName(new_payee), new_payee.known_since)
}

/** Adds earlier payouts to a new limit. Their sum may exceed its cap. */
export function addEarlierUses(state: LimitState, uses: readonly Use[]): void {
  for (const use of uses) addUse(state, use)
}

function addUse(state: LimitState, use: Use): Sum {
  const { account_id, limit_id, subject, starts_at, amount } = use
  const name = counterName(use)
  const sums = state.sums.getOrInsert(name, [])
  let sum = sums.find(one => one.starts_at === starts_at)
  if (sum === undefined) {
    sum = { account_id, limit_id, subject, starts_at, used: 0n, reached: null, cap: null }
    sums.push(sum)
    sums.sort((one, other) => (one.starts_at < other.starts_at ? -1 : 1))
  }
  sum.used += amount
  state.changed.add(sum)
  return sum
}

/** Whether two limits count the same payouts in the same unit and window. */
export function isSameKind(one: LimitKind, other: LimitKind): boolean {
  return KIND_MEMBERS.every(member => one[member] === other[member])
}

/** A problem. Its message ends in figures as `name=value`, for programs. */
function problemOf(limit: Limit, used: bigint, asked: bigint, frees_at: Instant | null): Problem {
  const { limit_id, cap, currency } = limit
  const shown = (amount: bigint) => quantity(currency, amount)
  const when = frees_at === null ? 'Waiting does not help.' : `There is room for it at ${frees_at}.`
  const figures = Object.entries({
    limit: limit_id,
    window: windowName(limit),
    cap,
    used,
    asked,
    currency: currency ?? 'none',
    frees_at: frees_at ?? 'null',
  })
  const so_far = limit.per === 'payout' ? '' : `${shown(used)} used, `
  const message =
    `The limit of ${kindWords(limit)} is ${shown(cap)} ${windowWords(limit)}: ${so_far}` +
    `${shown(asked)} asked. ${when} ` +
    `In minor units: ${figures.map(([name, value]) => `${name}=${value}`).join(' ')}`
  const remarks = currency === null ? '' : 'amount'
  return { reason: 'limit_exceeded', message, remarks }
}
