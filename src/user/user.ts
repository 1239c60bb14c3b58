// A user: a person who runs the installation, by name.
import type { Instant } from '../instant.ts'

/** An operator reads and changes everything; an auditor reads everything and changes nothing. */
export const USER_ROLES = ['operator', 'auditor'] as const
export type UserRole = (typeof USER_ROLES)[number]

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
