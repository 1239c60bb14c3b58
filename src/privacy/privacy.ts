// A party, whose personal data is stored, and the records of its erasure.
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'

export type PartyKind = 'beneficiary' | 'entity'

export function partyKind(id: string): PartyKind | undefined {
  if (id.startsWith('bnf_')) return 'beneficiary'
  return id.startsWith('ent_') ? 'entity' : undefined
}

/** How long data is kept, and the person who has set it; '' for the default. */
export interface Retention {
  readonly years: number
  /** How many days events stay in the database; null means for ever. */
  readonly event_days: number | null
  /** How many days the bytes of banks' files stay; null means for ever. */
  readonly inbox_days: number | null
  readonly set_by: string
  readonly reason: string
}

export interface ErasedRow {
  readonly table_name: string
  readonly key: string
  /** In hex, before and after; null for rows whose newest event carries their digest. */
  readonly was: string | null
  readonly becomes: string | null
}

export interface Erasure {
  readonly account_id: string
  readonly party_id: string
  readonly erased_at: Instant
  readonly erased_by: string
  readonly reason: string
}

export type Party = Key

export interface Obstacle {
  readonly rule: string
  readonly message: string
  /** When the rule allows the erasure; null if people must first do what the message says. */
  readonly until: Instant | null
}
