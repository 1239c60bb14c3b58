// The evidence of one payment, and how to tell a new booking from a repeated report of it. Pure.
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import type { Instant } from '../../values/instant.ts'

/** One row of evidence: a line of a bank's file about the payment. */
export interface Evidence
  extends Pick<
    BankLine,
    'level' | 'code' | 'reasons' | 'text' | 'amount' | 'currency' | 'is_credit' | 'said_at'
  > {
  /** The bank's own reference, and for a booking its bank statement: `T-1 camt.053 17 2026-…`. */
  readonly reference: string
  readonly received_at: Instant
}

/**
 * Counts the bookings of one payment in one direction. A notification (camt.054) and a statement
 * (camt.053) report one booking under different ids. So only the kind of message with the most
 * bookings counts.
 */
export class Bookings {
  readonly #ids_by_kind = new Map<string, Set<string>>()

  /** Adds a report of a booking; returns whether the booking is new. */
  add(evidence: Evidence): boolean {
    const before = this.count
    const { kind, id } = bookingOf(evidence)
    this.#ids_by_kind.getOrInsertComputed(kind, () => new Set()).add(id)
    return this.count > before
  }

  get count(): number {
    return Math.max(0, ...Array.from(this.#ids_by_kind.values(), ids => ids.size))
  }
}

/** Whether the payment has more debits than credits. Amounts do not count. */
export function isBooked(evidence: readonly Evidence[]): boolean {
  const [debits, credits] = [new Bookings(), new Bookings()]
  for (const row of evidence) {
    const { level, is_credit } = row
    if (level === 'return') credits.add(row)
    else if (level === 'booking' && is_credit !== true) debits.add(row)
  }
  return debits.count > credits.count
}

/** The parts of a reference: the bank's own, '' for none, and the kind of message. */
export function parseReference(reference: string): { readonly own: string; readonly kind: string } {
  const [, own = '', kind = ''] = /^(.*?) ?(?:(camt\.05\d)(?: .*)?)?$/.exec(reference) ?? []
  return { own, kind }
}

function bookingOf({ reference, said_at, amount }: Evidence) {
  const { own, kind } = parseReference(reference)
  // Its bank statement, day and amount identify a booking without a reference of its own.
  return { kind, id: own === '' ? `${reference} ${said_at} ${amount}` : own }
}
