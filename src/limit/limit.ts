// The nouns of limits: the limit, the payment that it judges, and what it has counted so far.
import { type Key, nameOf } from '../id.ts'
import type { Instant } from '../instant.ts'

/**
 * What a limit counts separately: all payouts of an account, those of each key, or those to each
 * payee.
 */
export const EACH = ['account', 'key', 'payee'] as const
export type Each = (typeof EACH)[number]

/** The time whose payouts count together. */
export const PERS = ['payout', 'day', 'hours'] as const
type Per = (typeof PERS)[number]

/** The window of a limit: a single payout, a day of a time zone, or the last hours. */
export interface Window {
  readonly per: Per
  /** The time zone of a day, else null. */
  readonly zone: string | null
  /** How many hours, else null. */
  readonly hours: number | null
}

/** What a limit counts. */
export interface LimitKind extends Window {
  /** Null: the payouts of every account, each account separately. */
  readonly account_id: string | null
  /** The key that made the payouts; null is any. */
  readonly key_id: string | null
  /** The rail that the payouts go to first; null is any. */
  readonly rail: string | null
  /** The local network, payment network or chain; null is any. */
  readonly network: string | null
  /**
   * Counts only payouts to payees that the account has known for fewer hours than this; null is
   * any.
   */
  readonly new_for_hours: number | null
  readonly each: Each
  /** The currency in which it counts amounts; null: it counts payouts. */
  readonly currency: string | null
}

export const KIND_MEMBERS = [
  'account_id',
  'key_id',
  'rail',
  'network',
  'new_for_hours',
  'each',
  'currency',
  'per',
  'zone',
  'hours',
] as const satisfies readonly (keyof LimitKind)[]

export interface Limit extends LimitKind {
  readonly limit_id: string
  /** The most that it lets through, in minor units of the currency, or payouts. */
  readonly cap: bigint
}

/** The limits of each account; '' has those of every account. */
export type Limits = ReadonlyMap<string, readonly Limit[]>

const NONE: readonly Limit[] = []

/** The limits that count payouts of this account. */
export function limitsOf(limits: Limits, account_id: string): readonly Limit[] {
  const [all = NONE, own = NONE] = [limits.get(''), limits.get(account_id)]
  return own.length === 0 ? all : [...all, ...own]
}

export function indexLimits(limits: readonly Limit[]): Limits {
  return Map.groupBy(limits, ({ account_id }) => account_id ?? '')
}

/** A payout as limits judge it; '' is "not set". */
export interface Payment {
  readonly account_id: string
  /** The key that asks for the payout; '' for an import. */
  readonly key_id: string
  readonly rail: string
  readonly network: string
  /** Where the money goes: see payee.ts. */
  readonly payee: string
  /** Since when the account has known the payee; null: it does not, or no limit asks. */
  readonly known_since: Instant | null
  readonly currency: string
  /** The payout amount, in minor units of the currency, without fees. */
  readonly amount: bigint
}

/**
 * What is counted together: a limit of an account, and the key or payee if the limit separates
 * them.
 */
interface Counter {
  readonly account_id: string
  readonly limit_id: string
  /** '' for a limit that counts all payouts of the account together. */
  readonly subject: string
}

/** A counter, and the beginning of its window. */
export interface Wanted extends Counter {
  readonly since: Instant
}

/** What a payout counts for a limit. */
export interface Use extends Counter {
  /** The beginning of the step that the payout is counted in. */
  readonly starts_at: Instant
  readonly amount: bigint
}

/** What one payout counts for one limit. */
export interface PayoutUse extends Use {
  readonly payout_id: string
}

/** The sum of a counter in one step of time. */
export interface Sum extends Counter {
  readonly starts_at: Instant
  used: bigint
  /** The sum of the window with the last payout that was let through, and the cap at that time. */
  reached: bigint | null
  cap: bigint | null
}

/** A payee of an account that has a limit for new payees. */
export interface KnownPayee {
  readonly account_id: string
  readonly payee: string
  readonly known_since: Instant
}

/** What a payout counts for its limits, when all have room for it. */
export interface Counted {
  readonly uses: readonly Use[]
  /** The payee, if the account has a limit for new payees and has not paid this one before. */
  readonly new_payee: KnownPayee | null
}

/** What the limits of a batch have counted, read under the locks of its books. */
export interface LimitState {
  readonly limits: Limits
  /** The sums of each counter that its window reaches back to, in order, by `counterName`. */
  readonly sums: Map<string, Sum[]>
  /** Sums to be stored. */
  readonly changed: Set<Sum>
  /** The payees that were paid before, by `account_id/payee`; decisions add their own. */
  readonly payees: Map<string, Instant>
}

export function counterName({ account_id, limit_id, subject }: Counter): string {
  return `${nameOf({ account_id, id: limit_id } satisfies Key)}/${subject}`
}

export function payeeName({ account_id, payee }: Pick<KnownPayee, 'account_id' | 'payee'>): string {
  return nameOf({ account_id, id: payee })
}

/** Whether a limit of the account needs to know payees. */
export function asksForPayees(limits: Limits, account_id: string): boolean {
  return limitsOf(limits, account_id).some(({ new_for_hours }) => new_for_hours !== null)
}

export function emptyState(limits: Limits = new Map()): LimitState {
  return { limits, sums: new Map(), changed: new Set(), payees: new Map() }
}

/** A state of its own, for decisions that are not stored. */
export function copyState({ limits, sums, payees }: LimitState): LimitState {
  const copied = Array.from(sums, ([name, all]) => [name, all.map(sum => ({ ...sum }))] as const)
  return { limits, sums: new Map(copied), changed: new Set(), payees: new Map(payees) }
}
