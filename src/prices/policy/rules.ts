// Pricing policies: spread, validity of quotes, how far ahead a price holds, age of rates and
// pivot. A row has a scope and a first instant, and the rules find the row in force. Pure.
import type { Instant } from '../../values/instant.ts'

/** The names in the order of lists. */
export const POLICY_NAMES = [
  'spread_bps',
  'quote_validity_s',
  'schedule_s',
  'max_age_s',
  'pivot',
] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

type Values = Readonly<Record<PolicyName, string>>

/**
 * The values without a row. `calendar`: the calendar of a rate's source decides its age. A live
 * account has no price ahead until its operator sets one.
 */
export const DEFAULTS: Values = {
  spread_bps: '0',
  quote_validity_s: '1800',
  schedule_s: '0',
  max_age_s: 'calendar',
  pivot: 'EUR',
}

/** The values without a row for sandboxes. */
export const SANDBOX_DEFAULTS: Values = { ...DEFAULTS, schedule_s: '604800' }

/** The account and pair of a row; null is every account, and every pair. */
export interface Scope {
  readonly account_id: string | null
  readonly from_currency: string | null
  readonly to_currency: string | null
}

/** The scope of all accounts and pairs. */
export const INSTALLATION: Scope = { account_id: null, from_currency: null, to_currency: null }

export interface NewPolicy extends Scope {
  readonly name: PolicyName
  /** Null ends the value of this scope. */
  readonly value: string | null
  readonly effective_from: Instant
}

export interface Policy extends NewPolicy {
  readonly policy_id: number
}

/** The rows by name and scope, newest first; a name without rows is absent. */
export type Policies = ReadonlyMap<PolicyName, ReadonlyMap<string, readonly Policy[]>>

export function indexPolicies(rows: readonly Policy[]): Policies {
  const sorted = rows.toSorted(
    (a, b) => compare(b.effective_from, a.effective_from) || b.policy_id - a.policy_id,
  )
  const named = Map.groupBy(sorted, row => row.name)
  return new Map(Array.from(named, ([name, all]) => [name, Map.groupBy(all, keyOf)]))
}

/** The rows of all names and scopes, in no order. */
export function rowsOf(policies: Policies): Policy[] {
  return [...policies.values()].flatMap(scopes => [...scopes.values()].flat())
}

/**
 * The row in force for an account and pair: the newest row of the most specific scope with a value;
 * undefined without one. A scope of a pair comes before a scope of an account. So the spread of an
 * expensive pair holds for every account without a spread of its own for the pair.
 */
export function inForce(policies: Policies, name: PolicyName, priced: Scope, at: Instant) {
  if (!policies.has(name)) return undefined
  for (const scope of scopesOf(priced)) {
    const row = ownInForce(policies, name, scope, at)
    if (row !== undefined && row.value !== null) return row
  }
  return undefined
}

/** The newest row in force of exactly this scope, also when its value is null. */
export function ownInForce(policies: Policies, name: PolicyName, scope: Scope, at: Instant) {
  const rows = policies.get(name)?.get(keyOf(scope))
  return rows?.find(row => row.effective_from <= at)
}

/** The value in force as text, or the default. */
export function valueInForce(
  policies: Policies,
  name: PolicyName,
  priced: Scope,
  at: Instant,
  defaults: Values = DEFAULTS,
): string {
  return inForce(policies, name, priced, at)?.value ?? defaults[name]
}

/** The scopes that cover this one, the most specific first. */
function scopesOf(scope: Scope): readonly Scope[] {
  const { account_id } = scope
  return [scope, { ...scope, account_id: null }, { ...INSTALLATION, account_id }, INSTALLATION]
}

function keyOf({ account_id, from_currency, to_currency }: Scope): string {
  return `${account_id ?? ''} ${from_currency ?? ''} ${to_currency ?? ''}`
}

/** Compares instants as text. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A scope in words: `account acc_1, pair USD/HKD`, or `the installation`. */
export function describeScope({ account_id, from_currency, to_currency }: Scope): string {
  const account = account_id === null ? [] : [`account ${account_id}`]
  const pair = from_currency === null ? [] : [`pair ${from_currency}/${to_currency}`]
  return [...account, ...pair].join(', ') || 'the installation'
}

/** `spread_bps for pair USD/HKD: 50 from now on; until then 25, for the installation`. */
export function describeChange(policies: Policies, row: Policy, now: Instant): string {
  const before = inForce(policies, row.name, row, row.effective_from)
  const rows = rowsOf(policies)
  const after = inForce(indexPolicies([...rows, row]), row.name, row, row.effective_from)
  const when = row.effective_from > now ? `from ${row.effective_from}` : 'from now on'
  const until = `until then ${valueWords(row, before)}`
  return `${row.name} for ${describeScope(row)}: ${valueWords(row, after)} ${when}; ${until}`
}

/** A value in force for the row, and the scope it was set for if that differs from the row's. */
function valueWords(row: Policy, source: Policy | undefined): string {
  if (source === undefined) {
    const [value, of_sandboxes] = [DEFAULTS[row.name], SANDBOX_DEFAULTS[row.name]]
    const sandbox_words = value === of_sandboxes ? '' : ` (${of_sandboxes} of sandboxes)`
    return `${value}, the default${sandbox_words}`
  }
  const same = describeScope(source) === describeScope(row)
  return same ? `${source.value}` : `${source.value}, as set for ${describeScope(source)}`
}
