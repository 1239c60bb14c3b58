// Sets, ends and lists pricing policies: spreads, validity of quotes, age of rates and the pivot.

import { databaseNow, type Sql, type TransactionSql } from '../db/connect.ts'
import { invalidField, refusal, refuseIfAny } from '../errors.ts'
import type { Instant } from '../instant.ts'
import { findSlip } from '../price/policy/guard.ts'
import { readEffective } from '../price/policy/load.ts'
import {
  DEFAULTS,
  INSTALLATION,
  indexPolicies,
  inForce,
  type NewPolicy,
  ownInForce,
  POLICY_NAMES,
  type Policies,
  type PolicyName,
  rowsOf,
  SANDBOX_DEFAULTS,
  type Scope,
} from '../price/policy/rules.ts'
import { deletePolicy, insertPolicies, listPolicies, lockPolicies } from '../price/policy/store.ts'
import type { Read } from '../text/csv.ts'
import { accountNamed } from './accounts.ts'

interface AskedPolicies {
  readonly scope: Scope
  readonly values: Partial<Record<PolicyName, string>>
  /** The instant from which the policies are in force, as text; by default now. */
  readonly from?: string
  /** Whether a person has seen the likely slips and confirms them. */
  readonly force: boolean
}

/**
 * Sets policies; returns the new rows, the policies before, and the time. Refuses likely slips
 * (422).
 */
export async function setPolicies(sql: Sql, { scope, values, from, force }: AskedPolicies) {
  if (scope.account_id !== null) await accountNamed(sql, scope.account_id)
  return changePolicies(sql, async (tx, policies, now) => {
    const effective_from = from === undefined ? now : readFrom(from, now)
    const rows = POLICY_NAMES.flatMap((name): NewPolicy[] => {
      const value = values[name]
      return value === undefined ? [] : [{ ...scope, name, value, effective_from }]
    })
    if (!force) refuseSlips(policies, rows)
    return { made: await insertPolicies(tx, rows), policies, now }
  })
}

/**
 * Ends the row of a policy in force, by a new row; deletes a row that waits. Returns the row and
 * what was made. Refuses (404) an unknown row, and (409) one that another has followed.
 */
export function endPolicy(sql: Sql, policy_id: number, from?: string) {
  return changePolicies(sql, async (tx, policies, now) => {
    const row = rowsOf(policies).find(policy => policy.policy_id === policy_id)
    if (row === undefined) throw refusal('not_found', `no row ${policy_id}`)
    if (row.effective_from > now) {
      await deletePolicy(tx, policy_id)
      return { row, made: [], policies, now }
    }
    if (ownInForce(policies, row.name, row, now) !== row || row.value === null) {
      const message = `row ${policy_id} is not in force: another has followed it`
      throw refusal('invalid_transition', message)
    }
    const effective_from = from === undefined ? now : readFrom(from, now)
    const made = await insertPolicies(tx, [{ ...row, value: null, effective_from }])
    return { row, made, policies, now }
  })
}

/**
 * The policies in force and those that wait, and the defaults of policies that nobody has set for
 * the installation.
 */
export async function listPricing(sql: Sql) {
  const rows = await listPolicies(sql)
  const now = await databaseNow(sql)
  const policies = indexPolicies(rows)
  const shown = rows.flatMap(row => {
    if (row.effective_from > now) return [{ ...row, state: 'waits' }]
    const isInForce = ownInForce(policies, row.name, row, now) === row && row.value !== null
    return isInForce ? [{ ...row, state: 'in force' }] : []
  })
  const names = POLICY_NAMES.filter(
    name => inForce(policies, name, INSTALLATION, now) === undefined,
  )
  const defaults = names.map(name => {
    return { name, value: DEFAULTS[name], sandbox_value: SANDBOX_DEFAULTS[name] }
  })
  return { defaults, rows: shown }
}

function readFrom(text: string, now: Instant): Instant {
  const read: Read<Instant> = readEffective(text, now)
  const { messages = [] } = read
  refuseIfAny(messages.map(message => invalidField('from', message)))
  return read.value ?? now
}

/** Changes policies under a lock. */
function changePolicies<T>(
  sql: Sql,
  work: (tx: TransactionSql, policies: Policies, now: Instant) => Promise<T>,
): Promise<T> {
  return sql.begin(async tx => {
    await lockPolicies(tx)
    const policies = indexPolicies(await listPolicies(tx))
    return work(tx, policies, await databaseNow(tx))
  })
}

function refuseSlips(policies: Policies, rows: readonly NewPolicy[]): void {
  const slips = rows.flatMap(row => {
    const present = inForce(policies, row.name, row, row.effective_from)
    return findSlip(row.name, row.value ?? '', present) ?? []
  })
  if (slips.length > 0) throw refusal('likely_slip', slips.join('; '))
}
