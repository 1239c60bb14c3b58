// The statements of users.
import type { Sql } from '../db/connect.ts'
import type { User, UserRole } from './user.ts'

/** All users, disabled ones too, by name. */
export async function listUsers(sql: Sql): Promise<User[]> {
  return sql<User[]>`
    select name, full_name, role, created_at, disabled_at, disabled_reason from users order by name`
}

/** Adds a user; false when there is one of this name, who may be disabled. */
export async function insertUser(
  sql: Sql,
  { name, full_name, role }: Pick<User, 'name' | 'full_name' | 'role'>,
): Promise<boolean> {
  const { count } = await sql`
    insert into users (name, full_name, role) values (${name}, ${full_name}, ${role})
    on conflict (name) do nothing`
  return count === 1
}

/** The database keeps an operator: it refuses to give the last one another role. */
export async function updateRole(sql: Sql, name: string, role: UserRole): Promise<void> {
  await sql`update users set role = ${role} where name = ${name}`
}

/** Disables a user for a reason, or enables one with ''. The last operator stays. */
export async function updateDisabled(sql: Sql, name: string, reason: string): Promise<void> {
  await sql`
    update users set disabled_reason = ${reason}, disabled_at = case when ${reason} = '' then null
      else coalesce(disabled_at, clock_timestamp()) end
    where name = ${name}`
}
