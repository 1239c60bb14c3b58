// A user: a person who runs the installation, or works for accounts of it, by name.
import type { Instant } from '../instant.ts'

/**
 * An operator reads and changes everything; an auditor reads everything and changes nothing; a
 * member has nothing but roles on accounts.
 */
export const USER_ROLES = ['operator', 'auditor', 'member'] as const
export type UserRole = (typeof USER_ROLES)[number]

/** What a person may do for an account: read it, make payouts, approve the payouts of others. */
export const ACCOUNT_ROLES = ['viewer', 'maker', 'approver'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

export interface User {
  /** What the person calls themselves to commands, and what the audit log says. */
  readonly name: string
  readonly full_name: string
  readonly role: UserRole
  readonly created_at: Instant
  /** Null while the user may work. */
  readonly disabled_at: Instant | null
  /** '' while the user may work. */
  readonly disabled_reason: string
}

/** A role of a user on an account. */
export interface RoleOnAccount {
  readonly user_name: string
  readonly account_id: string
  readonly role: AccountRole
}

/** A key by which programs act in a person's name. */
export interface UserKey {
  readonly key_id: string
  readonly user_name: string
  /** 32 bytes. */
  readonly secret_hash: Uint8Array
  readonly revoked: boolean
}

/** Somebody who calls the API in their own name, as what they are at this moment. */
export interface Person {
  readonly user: string
  readonly role: UserRole
  /** By the id of the account. */
  readonly roles: ReadonlyMap<string, readonly AccountRole[]>
}
