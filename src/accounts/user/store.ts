// The SQL statements of users, their roles on accounts, and their keys.
import type { Sql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { RoleOnAccount, User, UserKey, UserRole } from './user.ts'

/** All users, disabled ones too, by name. */
export async function listUsers(sql: Tag): Promise<User[]> {
  return sql<User[]>`
    select name, full_name, email, role, created_at, disabled_at, disabled_reason
    from users order by name`
}

type NewUser = Pick<User, 'name' | 'full_name' | 'role'> & Partial<Pick<User, 'email'>>

/** Adds a user; false when a user has this name, even a disabled one. */
export async function insertUser(
  sql: Tag,
  { name, full_name, role, email = '' }: NewUser,
): Promise<boolean> {
  const { count } = await sql`
    insert into users (name, full_name, role, email)
    values (${name}, ${full_name}, ${role}, ${email})
    on conflict (name) do nothing`
  return count === 1
}

/** Changes the role. PostgreSQL refuses to leave no operator. */
export async function updateRole(sql: Tag, name: string, role: UserRole): Promise<void> {
  await sql`update users set role = ${role} where name = ${name}`
}

/** Changes the e-mail address. PostgreSQL refuses one that another user has. */
export async function updateEmail(sql: Sql, name: string, email: string): Promise<void> {
  await sql`update users set email = ${email} where name = ${name}`
}

/**
 * Disables a user for a reason; '' enables the user. PostgreSQL refuses to disable the last
 * operator.
 */
export async function updateDisabled(sql: Sql, name: string, reason: string): Promise<void> {
  await sql`
    update users set disabled_reason = ${reason}, disabled_at = case when ${reason} = '' then null
      else coalesce(disabled_at, clock_timestamp()) end
    where name = ${name}`
}

/** All roles on accounts, of disabled users too, by user and account. */
export async function listAccountRoles(sql: Tag): Promise<RoleOnAccount[]> {
  return sql<RoleOnAccount[]>`
    select user_name, account_id, role from account_roles order by user_name, account_id, role`
}

/** Gives a user a role on an account; false when they already have it. */
export async function insertAccountRole(sql: Tag, { user_name, account_id, role }: RoleOnAccount) {
  const { count } = await sql`
    insert into account_roles (user_name, account_id, role)
    values (${user_name}, ${account_id}, ${role}) on conflict do nothing`
  return count === 1
}

/** Removes a user's role on an account; false when they do not have it. */
export async function deleteAccountRole(sql: Tag, { user_name, account_id, role }: RoleOnAccount) {
  const { count } = await sql`
    delete from account_roles
    where user_name = ${user_name} and account_id = ${account_id} and role = ${role}`
  return count === 1
}

/** Every key of every user, revoked keys too. Authentication keeps them in memory. */
export async function listUserKeys(sql: Tag): Promise<UserKey[]> {
  return sql<UserKey[]>`
    select key_id, user_name, secret_hash, made_by, revoked_at is not null as revoked
    from user_keys order by key_id`
}

export interface UserKeyListing {
  readonly key_id: string
  readonly user_name: string
  readonly name: string
  readonly created_at: Instant
  readonly revoked_at: Instant | null
}

/** The keys of a user, or with null of all users, without the hashes of their secrets. */
export async function listKeysOfUser(sql: Sql, user_name: string | null) {
  return sql<UserKeyListing[]>`
    select key_id, user_name, name, created_at, revoked_at from user_keys
    where ${user_name}::text is null or user_name = ${user_name} order by user_name, key_id`
}

export async function insertUserKey(
  sql: Sql,
  key: Omit<UserKey, 'revoked' | 'made_by'> & { readonly name: string },
): Promise<void> {
  await sql`
    insert into user_keys (key_id, user_name, secret_hash, name)
    values (${key.key_id}, ${key.user_name}, ${Buffer.from(key.secret_hash)}, ${key.name})`
}

/** Revokes a key; undefined when there is no such key or it is already revoked. */
export async function markUserKeyRevoked(sql: Sql, key_id: string) {
  const [key] = await sql<Pick<UserKeyListing, 'key_id' | 'user_name' | 'name'>[]>`
    update user_keys set revoked_at = clock_timestamp()
    where key_id = ${key_id} and revoked_at is null returning key_id, user_name, name`
  return key
}
