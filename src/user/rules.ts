// Who may run a command, and what a user is called. Pure.
import type { Read } from '../csv.ts'
import { didYouMean } from '../nearest.ts'
import type { User, UserRole } from './user.ts'

const NAME = /^[a-z][a-z0-9._-]{1,39}$/

/** The name of a user, or what is wrong with it. */
export function readUserName(text: string): Read<string> {
  if (NAME.test(text)) return { value: text }
  const rule =
    'a name has 2 to 40 small letters, digits, ".", "_" and "-", and begins with a letter'
  return { messages: [`"${text}" is no name of a user: ${rule}`] }
}

/** Who runs a command: the name, and whether it is the system's log-in alone. */
export interface Caller {
  readonly user: string
  readonly user_is_login: boolean
}

/**
 * The role of the caller. An installation without users takes whoever has its database for an
 * operator; one that has users takes a user who is named and not disabled, and nobody else.
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

/** What keeps the first user from being made so; undefined when nothing does. */
export function refuseFirst(users: readonly User[], role: UserRole): string | undefined {
  if (users.length > 0 || role === 'operator') return undefined
  return 'the first user is an operator: from then on commands take users alone'
}
