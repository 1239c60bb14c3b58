// Who may run a command or call the API, and for what; and which names users may have. Pure.
import type { Read } from '../text/csv.ts'
import { didYouMean } from '../text/nearest.ts'
import type { AccountRole, Person, RoleOnAccount, User, UserRole } from './user.ts'

const NAME = /^[a-z][a-z0-9._-]{1,39}$/

/** The name of a user, or what is wrong with it. */
export function readUserName(text: string): Read<string> {
  if (NAME.test(text)) return { value: text }
  const rule =
    'a name has 2 to 40 small letters, digits, ".", "_" and "-", and begins with a letter'
  return { messages: [`"${text}" is no name of a user: ${rule}`] }
}

/** Who runs a command: the name, and whether it is only the system's log-in name. */
interface Caller {
  readonly user: string
  readonly user_is_login: boolean
}

/**
 * The role of the caller. In an installation without users, anyone with access to the database is
 * an operator. With users, only a named user who is not disabled has a role.
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

/** The commands of people who work for accounts. Each command checks their roles on the account. */
const COMMANDS_OF_MEMBERS: readonly string[] = [
  'payout approval',
  'payout approve',
  'payout reject',
]

/** Why a person of this role may not run the command; undefined when they may. */
export function refuseCommand(user: string, role: UserRole, command: string): string | undefined {
  if (role !== 'member' || COMMANDS_OF_MEMBERS.includes(command)) return undefined
  return `${user} is a member, who works for accounts by the API; operators and auditors run this`
}

/** Why this cannot be the first user; undefined when it can. */
export function refuseFirst(users: readonly User[], role: UserRole): string | undefined {
  if (users.length > 0 || role === 'operator') return undefined
  return 'the first user is an operator: from then on commands take users alone'
}

/** What a person needs a role on the account for. */
export type AccountNeed = 'read' | 'write' | 'operator' | 'approve'

/** Makers and approvers read too. No role on an account allows what operators do. */
const ROLES_FOR: Readonly<Record<AccountNeed, readonly AccountRole[]>> = {
  read: ['viewer', 'maker', 'approver'],
  write: ['maker'],
  approve: ['approver'],
  operator: [],
}

/** Whether these roles on an account allow a person to do this. */
export function rolesAllow(roles: readonly AccountRole[], needed: AccountNeed): boolean {
  return ROLES_FOR[needed].some(role => roles.includes(role))
}

/** Whether a person may read, or change, what belongs to the whole installation. */
export function mayRunInstallation(role: UserRole, needed: 'read' | 'write'): boolean {
  return role === 'operator' || (role === 'auditor' && needed === 'read')
}

/** The people who may work now, by name; disabled users are left out. */
export function indexPeople(
  users: readonly User[],
  roles: readonly RoleOnAccount[],
): ReadonlyMap<string, Person> {
  const byUser = Map.groupBy(roles, ({ user_name }) => user_name)
  const working = users.filter(({ disabled_at }) => disabled_at === null)
  return new Map(
    working.map(({ name, role }) => {
      const byAccount = Map.groupBy(byUser.get(name) ?? [], ({ account_id }) => account_id)
      const ofAccounts = Array.from(
        byAccount,
        ([account_id, given]) => [account_id, given.map(one => one.role)] as const,
      )
      return [name, { user: name, role, roles: new Map(ofAccounts) }]
    }),
  )
}
