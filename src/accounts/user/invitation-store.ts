// The SQL statements of invitations, by which an account's owner lets people in.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'
import { INVITATION_DAYS } from './session.ts'
import type { AccountRole } from './user.ts'

export interface Invitation {
  readonly invitation_id: string
  readonly account_id: string
  /** Whom it is for, in the owner's words; '' for none. */
  readonly email: string
  readonly roles: readonly AccountRole[]
  readonly invited_by: string
  readonly created_at: Instant
  readonly expires_at: Instant
  /** When it was accepted or revoked. */
  readonly ended_at: Instant | null
  readonly accepted_by: string | null
}

type NewInvitation = Pick<
  Invitation,
  'invitation_id' | 'account_id' | 'email' | 'roles' | 'invited_by'
>

export async function insertInvitation(
  sql: Sql,
  { invitation_id, account_id, email, roles, invited_by }: NewInvitation,
  secret_hash: Buffer,
): Promise<Invitation> {
  const [made] = await sql<Invitation[]>`
    insert into invitations (invitation_id, secret_hash, account_id, email, roles, invited_by,
      expires_at)
    values (${invitation_id}, ${secret_hash}, ${account_id}, ${email}, ${roles as AccountRole[]},
      ${invited_by}, clock_timestamp() + make_interval(days => ${INVITATION_DAYS}))
    returning invitation_id, account_id, email, roles, invited_by, created_at, expires_at,
      ended_at, accepted_by`
  return made as Invitation
}

/** The invitations of an account, newest first. */
export async function listInvitations(
  sql: Sql,
  account_id: string,
  most: number,
): Promise<Invitation[]> {
  return sql<Invitation[]>`
    select invitation_id, account_id, email, roles, invited_by, created_at, expires_at, ended_at,
      accepted_by
    from invitations where account_id = ${account_id} order by invitation_id desc limit ${most}`
}

/** How many invitations of the account can be accepted. */
export async function countOpenInvitations(sql: Sql, account_id: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from invitations
    where account_id = ${account_id} and ended_at is null and expires_at > clock_timestamp()`
  return row?.count ?? 0
}

/** Ends an invitation of the account; undefined when there is none, or it is over. */
export async function revokeInvitation(sql: Sql, account_id: string, invitation_id: string) {
  const [revoked] = await sql<Invitation[]>`
    update invitations set ended_at = clock_timestamp()
    where account_id = ${account_id} and invitation_id = ${invitation_id} and ended_at is null
    returning invitation_id, account_id, email, roles, invited_by, created_at, expires_at,
      ended_at, accepted_by`
  return revoked
}

/** An invitation that can be accepted, by its token: its owner may still give the roles. */
export async function findInvitation(sql: Sql, secret_hash: Buffer) {
  const [found] = await sql<Pick<Invitation, 'account_id' | 'email' | 'roles' | 'invited_by'>[]>`
    select account_id, email, roles, invited_by from invitations
    where secret_hash = ${secret_hash} and ended_at is null and expires_at > clock_timestamp()
      and may_give(invited_by, account_id, roles)`
  return found
}

/** Accepts an invitation for a user. Of two requests at once, only one gets true. */
export async function acceptInvitation(
  tx: TransactionSql,
  secret_hash: Buffer,
  user_name: string,
): Promise<boolean> {
  const { count } = await tx`
    update invitations set ended_at = clock_timestamp(), accepted_by = ${user_name}
    where secret_hash = ${secret_hash} and ended_at is null and expires_at > clock_timestamp()
      and may_give(invited_by, account_id, roles)`
  return count === 1
}
