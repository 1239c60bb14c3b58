// Evidence: what a rail has said of an attempt, as it was received, and the digest that finds a
// repeat. Pure.
import { hashJson } from '../values/digest.ts'
import type { Instant } from '../values/instant.ts'

/** One row of evidence; '' is "not given". */
export interface NewEvidence {
  readonly account_id: string
  readonly payout_id: string
  readonly attempt: number
  readonly rail: string
  /** Where the row comes from, such as a file's digest, and the place in that source. */
  readonly source: string
  readonly position: string
  /** The subject of the row, such as `payment` or `step 2`. */
  readonly level: string
  /** In the sender's own codes. */
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
 * The digest that finds a repeat of evidence about one attempt, in any file or answer: over the
 * level, code, reasons, reference, amount and currency.
 */
export function evidenceDigest(evidence: NewEvidence): string {
  const { level, code, reasons, reference, amount, currency } = evidence
  return hashJson([level, code, reasons.toSorted(), reference, amount?.toString() ?? '', currency])
}
