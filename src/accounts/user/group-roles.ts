// Which roles the groups of a person at the provider of log-ins give, by the operator's list. Pure.
import { ACCOUNT_ROLES, type AccountRole, type UserRole } from './user.ts'

/** A group gives a role in the installation, or on an account. */
export type GroupRole =
  | { readonly group: string; readonly role: Exclude<UserRole, 'member'> }
  | { readonly group: string; readonly account_id: string; readonly role: AccountRole }

export interface RolesOfGroups {
  readonly role: UserRole
  readonly accounts: readonly { readonly account_id: string; readonly role: AccountRole }[]
}

/** Reads `GROUP=operator; GROUP=acc_7k2m9x4q:maker`; undefined for other text. */
export function readGroupRoles(text: string): GroupRole[] | undefined {
  const parts = text
    .split(';')
    .map(part => part.trim())
    .filter(part => part !== '')
  const read = parts.map(readGroupRole)
  return read.every(one => one !== undefined) ? read : undefined
}

function readGroupRole(part: string): GroupRole | undefined {
  const [, group = '', account_id, given = ''] =
    /^(.*?)\s*=\s*(?:(acc_[0-9a-hjkmnp-tv-z]{8}):)?([a-z]+)$/.exec(part) ?? []
  if (group === '') return undefined
  if (account_id === undefined) {
    return given === 'operator' || given === 'auditor' ? { group, role: given } : undefined
  }
  const role = ACCOUNT_ROLES.find(one => one === given)
  return role && { group, account_id, role }
}

/** Undefined when no group gives a role. */
export function rolesOfGroups(
  groups: readonly string[],
  given: readonly GroupRole[],
): RolesOfGroups | undefined {
  const own = given.filter(({ group }) => groups.includes(group))
  if (own.length === 0) return undefined
  const inInstallation = own.flatMap(one => ('account_id' in one ? [] : [one.role]))
  const role = inInstallation.includes('operator') ? 'operator' : (inInstallation[0] ?? 'member')
  const accounts = own.flatMap(one =>
    'account_id' in one ? [{ account_id: one.account_id, role: one.role }] : [],
  )
  const names = new Map(accounts.map(one => [`${one.account_id} ${one.role}`, one]))
  return { role, accounts: [...names.values()] }
}

/** Names for a new user, the best first: what the provider calls the person, then with numbers. */
export function namesFrom(called: string): string[] {
  const plain = called
    .split('@', 1)
    .join()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9._-]/g, '')
    .replace(/^[^a-z]+/, '')
    .slice(0, 36)
  const base = plain.length < 2 ? 'person' : plain
  return [base, ...Array.from({ length: 98 }, (_, i) => `${base}-${i + 2}`)]
}
