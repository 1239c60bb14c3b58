// What a search finds.
import type { Instant } from '../values/instant.ts'

/** The kinds of objects that are found. */
export const FOUND_OBJECTS = ['payout', 'beneficiary', 'entity', 'payout_batch'] as const
export type FoundKind = (typeof FOUND_OBJECTS)[number]

/** What the text was found as, the most exact first. */
export const MATCHES = [
  'id',
  'quote',
  'uetr',
  'reference_id',
  'bank_reference',
  'account_number',
  'account_ending',
  'email',
  'amount',
  'name',
] as const
export type Match = (typeof MATCHES)[number]

export interface Hit {
  readonly id: string
  readonly matched: Match
}

export interface FoundObject extends Hit {
  readonly object: FoundKind
  /** Of the payee or the entity; '' for a batch. */
  readonly name: string
  /** What a payout pays, in minor units of `currency`; null for other objects. */
  readonly amount: bigint | null
  readonly currency: string
  readonly status: string
  readonly reference_id: string
  readonly created_at: Instant
}

export interface Found {
  /** The most exact first. */
  readonly results: readonly FoundObject[]
  /** Whether more objects match. */
  readonly has_more: boolean
  /** By what only the newest payouts of the account were compared, not all of them. */
  readonly newest_only: readonly Match[]
}
