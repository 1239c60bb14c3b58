// A user is a person who runs the installation, or works for accounts in it.
import type { Instant } from '../../values/instant.ts'
import type { ApiKey } from '../rules.ts'

/**
 * An operator reads and changes everything. An auditor reads everything and changes nothing. A
 * member has only roles on accounts.
 */
export const USER_ROLES = ['operator', 'auditor', 'member'] as const
export type UserRole = (typeof USER_ROLES)[number]

/**
 * The rights on an account: to read it, to make payouts, to approve other people's payouts, to
 * invite people and make keys.
 */
export const ACCOUNT_ROLES = ['viewer', 'maker', 'approver', 'owner'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** The name behind the closings by the service. No person has this name. */
export const SERVICE = 'corridor'

export interface User {
  /** The name that the person gives to commands, and that the audit log shows. */
  readonly name: string
  readonly full_name: string
  /** '' for none. It proves nothing: nobody logs in by it. */
  readonly email: string
  readonly role: UserRole
  readonly created_at: Instant
  /** Null while the user may work. */
  readonly disabled_at: Instant | null
  /** '' while the user may work. */
  readonly disabled_reason: string
}

export interface RoleOnAccount {
  readonly user_name: string
  readonly account_id: string
  readonly role: AccountRole
}

/** A key with which programs act in a person's name. */
export interface UserKey extends Pick<ApiKey, 'key_id' | 'secret_hash' | 'made_by' | 'revoked'> {
  readonly user_name: string
}

/** A person who calls the API in their own name, with the roles they have now. */
export interface Person {
  readonly user: string
  readonly role: UserRole
  /** The roles on accounts, by the account's id. */
  readonly roles: ReadonlyMap<string, readonly AccountRole[]>
}
