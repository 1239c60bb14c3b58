// Decides who may run a command or do what by the API, and which names users may have. Pure.
import type { Read } from '../../values/text/csv.ts'
import { didYouMean } from '../../values/text/nearest.ts'
import type { AccountRole, Person, RoleOnAccount, User, UserRole } from './user.ts'

/** Who runs a command: the name, and whether it is only the system's log-in name. */
interface Caller {
  readonly user: string
  readonly user_is_login: boolean
}

/**
 * The role of a command's caller. Without users in the installation, everybody with access to the
 * database is an operator. With users, the caller must name a user who is not disabled.
 */
export function readCaller(users: readonly User[], caller: Caller): Read<UserRole> {
  if (users.length === 0) return { value: 'operator' }
  if (caller.user_is_login || caller.user === '') {
    return { messages: ['say who you are: set CORRIDOR_USER to your name as a user'] }
  }
  const user = users.find(({ name }) => name === caller.user)
  if (user === undefined) {
    const names = users.map(({ name }) => name)
    const hint = didYouMean(caller.user, names)
    return { messages: [`there is no user "${caller.user}"${hint}; CORRIDOR_USER names you`] }
  }
  if (user.disabled_at === null) return { value: user.role }
  return { messages: [`user ${user.name} is disabled: ${user.disabled_reason}`] }
}

/** The commands that members may run. Each asks for a role on the account. */
const MEMBER_COMMANDS: readonly string[] = ['payout', 'beneficiary'].flatMap(subject =>
  ['approval', 'approve', 'reject'].map(act => `${subject} ${act}`),
)

/** Why a user of this role may not run the command; undefined when the user may. */
export function refuseCommand(user: string, role: UserRole, command: string): string | undefined {
  if (role !== 'member' || MEMBER_COMMANDS.includes(command)) return undefined
  return `${user} is a member, who works for accounts by the API; operators and auditors run this`
}

/** Why a user of this role cannot be the first user; undefined when the user can. */
export function refuseFirst(users: readonly User[], role: UserRole): string | undefined {
  if (users.length > 0 || role === 'operator') return undefined
  return 'the first user is an operator: from then on commands take users alone'
}

/** The purpose for which a call needs a role on the account. */
export type AccountNeed = 'read' | 'write' | 'operator' | 'approve' | 'own'

/** The roles for each need. No role on an account has the rights of a key of scope `operator`. */
const ROLES_FOR: Readonly<Record<AccountNeed, readonly AccountRole[]>> = {
  read: ['viewer', 'maker', 'approver', 'owner'],
  write: ['maker'],
  approve: ['approver'],
  own: ['owner'],
  operator: [],
}

export function rolesAllow(roles: readonly AccountRole[], needed: AccountNeed): boolean {
  return ROLES_FOR[needed].some(role => roles.includes(role))
}

/**
 * The roles among these that an owner of an account may not give. Owners give the roles that they
 * have. Who may pay and approve gives `viewer` alone: anybody else could be the second person of
 * an approval under another name.
 */
export function notGivenBy(
  owner: readonly AccountRole[],
  roles: readonly AccountRole[],
): AccountRole[] {
  const isBoth = owner.includes('maker') && owner.includes('approver')
  return roles.filter(role => role !== 'viewer' && (isBoth || !owner.includes(role)))
}

/** Whether a user of this role may read, or change, the whole installation's data. */
export function mayRunInstallation(role: UserRole, needed: 'read' | 'write'): boolean {
  return role === 'operator' || (role === 'auditor' && needed === 'read')
}

/** The users who are not disabled, by name, with their roles by account. */
export function indexPeople(
  users: readonly User[],
  roles: readonly RoleOnAccount[],
): ReadonlyMap<string, Person> {
  const byUser = Map.groupBy(roles, ({ user_name }) => user_name)
  const enabled = users.filter(({ disabled_at }) => disabled_at === null)
  return new Map(
    enabled.map(({ name, role }) => {
      const byAccount = Map.groupBy(byUser.get(name) ?? [], ({ account_id }) => account_id)
      const ofAccounts = Array.from(
        byAccount,
        ([account_id, given]) => [account_id, given.map(one => one.role)] as const,
      )
      return [name, { user: name, role, roles: new Map(ofAccounts) }]
    }),
  )
}
