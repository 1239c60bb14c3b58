// What a rail said about an attempt, as it was received, and when two statements are the same.
// Pure.
import type { Instant } from '../instant.ts'
import { hashJson } from '../seal.ts'

/** One statement of a rail; '' is "not said". */
export interface NewEvidence {
  readonly account_id: string
  readonly payout_id: string
  readonly attempt: number
  readonly rail: string
  /** Where the statement stands, such as the digest of a file and the place in it. */
  readonly source: string
  readonly position: string
  /** What the statement is about, and what it says, in the sender's own codes. */
  readonly level: string
  readonly code: string
  readonly reasons: readonly string[]
  readonly message: string
  /** Minor units. */
  readonly amount: bigint | null
  readonly currency: string
  /** The sender's own reference. */
  readonly reference: string
  /** The time as the sender wrote it. Nothing is ordered by it. */
  readonly said_at: string
  /** The other members, as JSON. */
  readonly detail: unknown
}

export interface Evidence extends NewEvidence {
  /** Counted from 1 in the attempt, in the order of receipt. */
  readonly number: number
  readonly received_at: Instant
}

/**
 * The digest by which a statement about an attempt is found again, in whatever file or answer it
 * comes. It covers the level, code, reasons, reference, amount and currency.
 */
export function sameness(evidence: NewEvidence): string {
  const { level, code, reasons, reference, amount, currency } = evidence
  return hashJson([level, code, reasons.toSorted(), reference, amount?.toString() ?? '', currency])
}
