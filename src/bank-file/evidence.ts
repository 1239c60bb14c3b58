// What a bank has said about one payment, as it was kept, and how to tell a new booking from one
// that the bank reports again. Pure.
import type { BankSays } from '../bank-format/bank-format.ts'
import type { Instant } from '../instant.ts'

/** One thing that the bank has said, in the order of receipt. */
export interface Evidence
  extends Pick<
    BankSays,
    'level' | 'code' | 'reasons' | 'text' | 'amount' | 'currency' | 'is_credit' | 'said_at'
  > {
  /** The bank's own reference, then the statement of a booking: `T-1 camt.053 17 2026-…`. */
  readonly reference: string
  readonly received_at: Instant
}

/**
 * The bookings of one payment in one direction. A notification (camt.054) and a statement
 * (camt.053) report the same booking under different ids. So there are as many bookings as one kind
 * of message reports.
 */
export class Bookings {
  readonly #of_kind = new Map<string, Set<string>>()

  /** Adds a booking; returns whether it is a new one. */
  add(evidence: Evidence): boolean {
    const before = this.count
    const { kind, id } = bookingOf(evidence)
    this.#of_kind.getOrInsertComputed(kind, () => new Set()).add(id)
    return this.count > before
  }

  get count(): number {
    return Math.max(0, ...Array.from(this.#of_kind.values(), ids => ids.size))
  }
}

/** Whether there are more debits than credits, whatever their amounts. */
export function isBooked(said: readonly Evidence[]): boolean {
  const [debits, credits] = [new Bookings(), new Bookings()]
  for (const evidence of said) {
    const { level, is_credit } = evidence
    if (level === 'return' || (level === 'booking' && is_credit === true)) credits.add(evidence)
    else if (level === 'booking') debits.add(evidence)
  }
  return debits.count > credits.count
}

/** The bank's own reference of a booking, '' for none, and the kind of message that reports it. */
export function namesOf(reference: string): { readonly own: string; readonly kind: string } {
  const [, own = '', kind = ''] = /^(.*?) ?(?:(camt\.05\d)(?: .*)?)?$/.exec(reference) ?? []
  return { own, kind }
}

function bookingOf({ reference, said_at, amount }: Evidence) {
  const { own, kind } = namesOf(reference)
  // A booking without a reference is identified by its statement, day and amount.
  return { kind, id: own === '' ? `${reference} ${said_at} ${amount}` : own }
}
