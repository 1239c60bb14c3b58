// The SQL statements of identities: who a user is at a provider of log-ins.
import type { TransactionSql } from '../../sql/connect.ts'
import type { AccountRole } from './user.ts'

export interface Identity {
  readonly issuer: string
  readonly subject: string
}

export async function findIdentity(tx: TransactionSql, { issuer, subject }: Identity) {
  const [row] = await tx<{ user_name: string }[]>`
    select user_name from user_identities where issuer = ${issuer} and subject = ${subject}`
  return row?.user_name
}

/** False when the identity is another user's by now. */
export async function insertIdentity(
  tx: TransactionSql,
  { issuer, subject }: Identity,
  user_name: string,
): Promise<boolean> {
  const { count } = await tx`
    insert into user_identities (issuer, subject, user_name)
    values (${issuer}, ${subject}, ${user_name}) on conflict do nothing`
  return count === 1
}

export async function isEmailFree(tx: TransactionSql, email: string): Promise<boolean> {
  const rows = await tx`
    select from users where email <> '' and lower(email) = lower(${email}) limit 1`
  return rows.length === 0
}

export async function findRoles(tx: TransactionSql, user_name: string) {
  const [user] = await tx<{ role: string }[]>`select role from users where name = ${user_name}`
  const accounts = await tx<{ account_id: string; role: AccountRole }[]>`
    select account_id, role from account_roles where user_name = ${user_name}`
  return { role: user?.role, accounts }
}
