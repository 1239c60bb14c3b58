// Judges money that came back: whether it is the whole payment, less the charges of a return. Pure.

interface Money {
  /** Minor units. */
  readonly amount: bigint
  readonly currency: string
}

/** The most that the charges of a return take, in percent of the payment. */
const MOST_CHARGED = 5n

/**
 * Whether this returns the whole payment, so that the account gets back all that it paid. A payee
 * may send back a part; money of another currency cannot be compared. Both are for a person.
 */
export function isWholeReturn(returned: Money, paid: Money): boolean {
  if (returned.currency !== paid.currency) return false
  return returned.amount * 100n >= paid.amount * (100n - MOST_CHARGED)
}
