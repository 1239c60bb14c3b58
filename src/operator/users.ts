// Makes, lists and changes users. An operator changes any user by a command, and only other users
// by the API.
import type { Sql } from '../db/connect.ts'
import { invalidField, refusal, refuseIfAny } from '../errors.ts'
import { newToken } from '../secret.ts'
import { hashToken } from '../user/session.ts'
import { endSessions, insertLink } from '../user/session-store.ts'
import {
  deleteAccountRole,
  insertAccountRole,
  insertUser,
  listAccountRoles,
  listUsers,
  updateDisabled,
  updateRole,
} from '../user/store.ts'
import { type RoleOnAccount, SERVICE, type User, type UserRole } from '../user/user.ts'
import { accountNamed } from './accounts.ts'
import { knownAmong } from './deed.ts'

export type UserWithRoles = User & {
  readonly accounts: readonly Omit<RoleOnAccount, 'user_name'>[]
}

/** All users by name, including disabled ones. */
export async function listWithRoles(sql: Sql): Promise<UserWithRoles[]> {
  const given = Map.groupBy(await listAccountRoles(sql), ({ user_name }) => user_name)
  return (await listUsers(sql)).map(user => ({
    ...user,
    accounts: (given.get(user.name) ?? []).map(({ account_id, role }) => ({ account_id, role })),
  }))
}

/** A user, disabled or not. Refuses (404) an unknown name. */
export async function userNamed(sql: Sql, name: string): Promise<UserWithRoles> {
  return knownAmong('user', name, await listWithRoles(sql), user => user.name)
}

/**
 * Makes a user without roles on accounts. Refuses (400) a name that was ever given, and that of the
 * service.
 */
export async function makeUser(
  sql: Sql,
  user: Pick<User, 'name' | 'full_name' | 'role'>,
): Promise<UserWithRoles> {
  if (user.name === SERVICE) {
    refuseIfAny([invalidField('name', `${SERVICE} is the name of the service, and of no user.`)])
  }
  if (!(await insertUser(sql, user))) {
    const message = `There is a user ${user.name}, and names are given once.`
    refuseIfAny([invalidField('name', message)])
  }
  return userNamed(sql, user.name)
}

/** Gives a user another role in the installation. Refuses (409) to leave no operator. */
export function giveRole(sql: Sql, name: string, role: UserRole): Promise<UserWithRoles> {
  return changeUser(sql, name, () => updateRole(sql, name, role))
}

/** Gives a user a role on an account. Refuses (404) an unknown account. */
export function giveAccountRole(sql: Sql, given: RoleOnAccount): Promise<UserWithRoles> {
  return changeUser(sql, given.user_name, async () => {
    await accountNamed(sql, given.account_id)
    await insertAccountRole(sql, given)
  })
}

/** Takes a role on an account from a user. Refuses (400) a role that the user does not have. */
export function takeAccountRole(sql: Sql, given: RoleOnAccount): Promise<UserWithRoles> {
  const { user_name, account_id, role } = given
  return changeUser(sql, user_name, async () => {
    await accountNamed(sql, account_id)
    if (await deleteAccountRole(sql, given)) return
    refuseIfAny([invalidField('role', `${user_name} has no role ${role} on ${account_id}.`)])
  })
}

/**
 * Disables a user for a reason, and ends the user's sessions; '' enables the user. Refuses (409) to
 * leave no operator.
 */
export function disableUser(sql: Sql, name: string, reason: string): Promise<UserWithRoles> {
  return changeUser(sql, name, () => updateDisabled(sql, name, reason))
}

/**
 * Makes the token of a link by which a user sets a password and logs in. It ends the user's earlier
 * links. The database has only the token's hash. Refuses (409) a disabled user.
 */
export async function makeLoginLink(sql: Sql, name: string) {
  await userNamed(sql, name)
  const token = newToken('login')
  const made = await sql.begin(tx => insertLink(tx, name, hashToken(token) as Buffer))
  if (made === undefined) throw refusal('invalid_transition', `User ${name} is disabled.`)
  return { token, expires_at: made.expires_at }
}

/** Ends the sessions of a user, and returns their number. */
export async function logOutUser(sql: Sql, name: string): Promise<number> {
  await userNamed(sql, name)
  return endSessions(sql, name)
}

/** Changes a user by `write`; returns the user after. Refuses (404) an unknown name. */
async function changeUser(
  sql: Sql,
  name: string,
  write: () => Promise<unknown>,
): Promise<UserWithRoles> {
  await userNamed(sql, name)
  await write().catch(refuseLastOperator)
  return userNamed(sql, name)
}

function refuseLastOperator(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'one_operator_left') throw error
  throw refusal('invalid_transition', 'This is the last operator: make another one first.')
}
