// Pricing policy: spread, validity of quotes, age of rates and pivot, as rows for a scope from an
// instant on, and which of them is in force. Pure.
import type { Instant } from '../../instant.ts'

/** In the order in which they are shown. */
export const POLICY_NAMES = ['spread_bps', 'quote_validity_s', 'max_age_s', 'pivot'] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

/** Where nobody has said anything. `calendar`: a rate is as old as its source's days allow. */
export const DEFAULTS: Readonly<Record<PolicyName, string>> = {
  spread_bps: '0',
  quote_validity_s: '1800',
  max_age_s: 'calendar',
  pivot: 'EUR',
}

/** For whom a row speaks; null is everybody, and every pair. */
export interface Scope {
  readonly account_id: string | null
  readonly from_currency: string | null
  readonly to_currency: string | null
}

export interface NewPolicy extends Scope {
  readonly name: PolicyName
  /** Null: this scope says nothing of it any more. */
  readonly value: string | null
  readonly effective_from: Instant
}

export interface Policy extends NewPolicy {
  readonly policy_id: number
}

/** By name and scope, the row that counts last first. A name that nobody has set is not there. */
export type Policies = ReadonlyMap<PolicyName, ReadonlyMap<string, readonly Policy[]>>

export function indexPolicies(rows: readonly Policy[]): Policies {
  const sorted = rows.toSorted(
    (a, b) => compare(b.effective_from, a.effective_from) || b.policy_id - a.policy_id,
  )
  const named = Map.groupBy(sorted, row => row.name)
  return new Map(Array.from(named, ([name, all]) => [name, Map.groupBy(all, keyOf)]))
}

/** Of all names and scopes, in no order. */
export function rowsOf(policies: Policies): Policy[] {
  return [...policies.values()].flatMap(scopes => [...scopes.values()].flat())
}

/** What is priced: an account and the pair that is converted, null where any will do. */
export type Priced = Scope

/**
 * The row that decides: of the scopes that say something at this instant the most specific one, and
 * of its rows the newest in force. A pair goes before an account, so that the margin of a pair that
 * is dear to trade holds for everybody until an account has one of its own for it. Undefined where
 * nobody has said anything.
 */
export function inForce(
  policies: Policies,
  name: PolicyName,
  priced: Priced,
  at: Instant,
): Policy | undefined {
  if (!policies.has(name)) return undefined
  for (const scope of scopesOf(priced)) {
    const row = ownInForce(policies, name, scope, at)
    if (row !== undefined && row.value !== null) return row
  }
  return undefined
}

/** The newest row in force of this scope alone. */
export function ownInForce(
  policies: Policies,
  name: PolicyName,
  scope: Scope,
  at: Instant,
): Policy | undefined {
  const rows = policies.get(name)?.get(keyOf(scope))
  return rows?.find(row => row.effective_from <= at)
}

/** The value in force as text, by default where nobody has said anything. */
export function valueInForce(
  policies: Policies,
  name: PolicyName,
  priced: Priced,
  at: Instant,
): string {
  return inForce(policies, name, priced, at)?.value ?? DEFAULTS[name]
}

const EVERYBODY = { account_id: null }
const ANY_PAIR = { from_currency: null, to_currency: null }

/** The most specific first. */
function scopesOf({ account_id, from_currency, to_currency }: Priced): readonly Scope[] {
  const pair = { from_currency, to_currency }
  return [
    { account_id, ...pair },
    { ...EVERYBODY, ...pair },
    { account_id, ...ANY_PAIR },
    { ...EVERYBODY, ...ANY_PAIR },
  ]
}

function keyOf({ account_id, from_currency, to_currency }: Scope): string {
  return `${account_id ?? ''} ${from_currency ?? ''} ${to_currency ?? ''}`
}

/** Instants are compared as text. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** `account acc_1, pair USD/HKD`, or `the installation`. */
export function describeScope({ account_id, from_currency, to_currency }: Scope): string {
  const account = account_id === null ? [] : [`account ${account_id}`]
  const pair = from_currency === null ? [] : [`pair ${from_currency}/${to_currency}`]
  return [...account, ...pair].join(', ') || 'the installation'
}
