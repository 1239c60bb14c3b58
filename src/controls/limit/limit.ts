// The nouns of limits: a limit, the payout that it judges, and the sums of its earlier payouts.
import { type Key, nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'

/** Which payouts a limit adds up: all of an account, all of one key, or all to one payee. */
export const EACH = ['account', 'key', 'payee'] as const
export type Each = (typeof EACH)[number]

/** Over which time a limit adds payouts up: a single payout, a day or a number of hours. */
export const PERS = ['payout', 'day', 'hours'] as const

/** The window of a limit: a single payout, a day of a time zone, or the last hours. */
export interface Window {
  readonly per: (typeof PERS)[number]
  /** The time zone of a day; null for other windows. */
  readonly zone: string | null
  /** Null unless the window has hours. */
  readonly hours: number | null
}

/** Which payouts a limit counts, over which time and in which unit. */
export interface LimitKind extends Window {
  /** Null: every account's payouts, each account separately. */
  readonly account_id: string | null
  /** The key that makes the payouts; null is any. */
  readonly key_id: string | null
  /** The first rail of the payouts; null is any. */
  readonly rail: string | null
  /** The local network, payment network or chain; null is any. */
  readonly network: string | null
  /** The payee is new: the account has known it for fewer hours than this. Null is any payee. */
  readonly new_for_hours: number | null
  readonly each: Each
  /** The limit adds up amounts in this currency; null: it counts payouts. */
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
  /** The highest sum of a window: minor units of the currency, or a number of payouts. */
  readonly cap: bigint
}

/** Limits by account id; '' has the limits of every account. */
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

/** A payout as limits judge it; '' means "not set". */
export interface Payment {
  readonly account_id: string
  /** The key that makes the payout; '' for an import. */
  readonly key_id: string
  readonly rail: string
  /** The networks over which the payout may go. */
  readonly networks: readonly string[]
  /** The payee's hash, from `payeeOf`. */
  readonly payee: string
  /**
   * Since when the account knows the payee. Null: it does not, or it has no limit on new payees.
   */
  readonly known_since: Instant | null
  readonly currency: string
  /** The payout amount, in minor units of the currency, without fees. */
  readonly amount: bigint
}

/** A limit has one counter for each account, or for each key or payee of the account. */
interface Counter {
  readonly account_id: string
  readonly limit_id: string
  /** The key or the payee; '' for a limit that counts all payouts of the account together. */
  readonly subject: string
}

/** A counter, and the beginning of its window. */
export interface CounterSince extends Counter {
  readonly since: Instant
  /** Steps that begin later are dated ahead, by a wrong clock; undefined: none is. */
  readonly until?: Instant
}

export interface Use extends Counter {
  /** The beginning of the step that contains the payout. */
  readonly starts_at: Instant
  /** Minor units of the limit's currency; 1 for a limit that counts payouts. */
  readonly amount: bigint
}

export interface PayoutUse extends Use {
  readonly payout_id: string
}

export interface Sum extends Counter {
  readonly starts_at: Instant
  used: bigint
  /** The window's sum after the step's last payout; null if the limit is newer than that payout. */
  reached: bigint | null
  /** The limit's cap at that payout. */
  cap: bigint | null
}

/** A payee that an account with a limit for new payees has paid. */
export interface KnownPayee {
  readonly account_id: string
  readonly payee: string
  readonly known_since: Instant
}

/** The uses of a payout for which every limit has room. */
export interface LimitUses {
  readonly uses: readonly Use[]
  /** The payee, if the account has a limit for new payees and pays this one for the first time. */
  readonly new_payee: KnownPayee | null
}

/** The sums and payees of a batch's accounts, read under the locks of its books. */
export interface LimitState {
  readonly limits: Limits
  /** Each counter's sums within its window, oldest first, by `counterName`. */
  readonly sums: Map<string, Sum[]>
  /** The changed sums, which the store writes. */
  readonly changed: Set<Sum>
  /** When each account first paid each payee, by `payeeName`. The batch adds its own payees. */
  readonly payees: Map<string, Instant>
}

export function counterName({ account_id, limit_id, subject }: Counter): string {
  return `${nameOf({ account_id, id: limit_id } satisfies Key)}/${subject}`
}

export function payeeName({ account_id, payee }: Pick<KnownPayee, 'account_id' | 'payee'>): string {
  return nameOf({ account_id, id: payee })
}

export function asksForPayees(limits: Limits, account_id: string): boolean {
  return limitsOf(limits, account_id).some(({ new_for_hours }) => new_for_hours !== null)
}

export function emptyState(limits: Limits = new Map()): LimitState {
  return { limits, sums: new Map(), changed: new Set(), payees: new Map() }
}

/** A copy, for decisions that the store does not write. */
export function copyState({ limits, sums, payees }: LimitState): LimitState {
  const copied = Array.from(sums, ([name, all]) => [name, all.map(sum => ({ ...sum }))] as const)
  return { limits, sums: new Map(copied), changed: new Set(), payees: new Map(payees) }
}
