// Users as operators see them.
import { listAccountRoles, listUsers } from '../accounts/user/store.ts'
import { ACCOUNT_ROLES, type RoleOnAccount, USER_ROLES, type User } from '../accounts/user/user.ts'
import { Closed, Literals, Text, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { checkEmail } from '../parties/beneficiary/contact.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal, refuseIfAny } from '../values/errors.ts'
import { knownAmong } from './operator-write.ts'
import { AccountId } from './request.ts'

export const UserName = Type.String({
  pattern: '^[a-z][a-z0-9._-]{1,39}$',
  description: 'What the person logs in as, and what the audit log says.',
  examples: ['bob'],
})

export const UserPath = Type.Object({ name: UserName })
export const AccountRole = Literals(ACCOUNT_ROLES, {
  description: 'What the user may do for the account.',
})
export const Role = Literals(USER_ROLES, {
  description: 'What the user may do with the installation.',
})
export const Email = Text(320, { description: 'Of the person; nobody logs in by it.' })

/** Refuses (400) what is no e-mail address. */
export function checkUserEmail(email: string | undefined): void {
  refuseIfAny(checkEmail(email, 'email'))
}

/** Refuses (400) an e-mail address that another user has. Throws every other error on. */
export function refuseSecondEmail(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'users_email_once') throw error
  throw refusal('invalid_field', 'Another user has this e-mail address.', 'email')
}

const timeOrNull = (description: string) => textOrNull({ format: 'date-time', description })

const USER = {
  name: Type.String(),
  full_name: Type.String(),
  email: Type.String({
    description: 'Shown to operators and owners, who write to the person; empty for none.',
  }),
  role: Role,
  accounts: Type.Array(Closed({ account_id: AccountId, role: AccountRole }), {
    description: 'What the user may do for accounts.',
  }),
  created_at: Type.String({ format: 'date-time' }),
  disabled_at: timeOrNull('Null while the user is enabled.'),
  disabled_reason: Type.String(),
}
export const UserResponse = Closed(USER, { title: 'User' })
export const OperatorUser = Closed(
  {
    ...USER,
    last_seen_at: timeOrNull(
      'When a session of the user was last used, to the minute; null if none was.',
    ),
    second_factor_at: timeOrNull('When the user enrolled a second factor; null without one.'),
  },
  { title: 'OperatorUser' },
)

export type UserWithRoles = User & {
  readonly accounts: readonly Omit<RoleOnAccount, 'user_name'>[]
}

export async function listWithRoles(sql: Sql): Promise<UserWithRoles[]> {
  const given = Map.groupBy(await listAccountRoles(sql), ({ user_name }) => user_name)
  return (await listUsers(sql)).map(user => ({
    ...user,
    accounts: (given.get(user.name) ?? []).map(({ account_id, role }) => ({ account_id, role })),
  }))
}

/** Refuses (404) an unknown name. A disabled user is found, too. */
export async function userNamed(sql: Sql, name: string): Promise<UserWithRoles> {
  return knownAmong('user', name, await listWithRoles(sql), user => user.name)
}
