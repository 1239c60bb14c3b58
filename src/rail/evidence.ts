// What a rail said of an attempt, as it was received, and when two words are the same. Pure.
import type { Instant } from '../instant.ts'
import { hashJson } from '../seal.ts'

/** One word of a rail; '' is "not said". */
export interface NewEvidence {
  readonly account_id: string
  readonly payout_id: string
  /** The number of the attempt that it is about. */
  readonly attempt: number
  readonly rail: string
  /** Where it stands, such as the digest of a file, and the place in it. */
  readonly source: string
  readonly position: string
  /** What it is about, and what it says, in the sender's own codes. */
  readonly level: string
  readonly code: string
  readonly reasons: readonly string[]
  readonly message: string
  /** Minor units. */
  readonly amount: bigint | null
  readonly currency: string
  /** The sender's own reference. */
  readonly reference: string
  /** As the sender wrote it: nothing is ordered by it. */
  readonly said_at: string
  /** The rest, as JSON. */
  readonly detail: unknown
}

export interface Evidence extends NewEvidence {
  /** Counted from 1 in the attempt, in the order in which they came in. */
  readonly number: number
  readonly received_at: Instant
}

/**
 * The same word said again has the same digest, in whatever file or answer it comes: it says the
 * same code with the same reasons, reference and amount of the same attempt.
 */
export function sameness(evidence: NewEvidence): string {
  const { level, code, reasons, reference, amount, currency } = evidence
  return hashJson([level, code, reasons.toSorted(), reference, amount?.toString() ?? '', currency])
}
