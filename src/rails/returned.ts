// Judges money that came back: whether it is the whole payment, less the charges of a return. Pure.
import { currencyExponent } from '../values/money/currency.ts'

interface Money {
  /** Minor units. */
  readonly amount: bigint
  readonly currency: string
}

/**
 * The most that the charges of a return take: five percent of the payment, and never more than a
 * hundred units of its currency. The operator bears them, so a part of a large payment must not
 * pass as charges.
 */
const MOST_PERCENT = 5n
const MOST_UNITS = 100n

/**
 * Whether this returns the whole payment, so that the account gets back all that it paid. A payee
 * may send back a part; money of another currency cannot be compared. Both are for a person.
 */
export function isWholeReturn(returned: Money, paid: Money): boolean {
  if (returned.currency !== paid.currency) return false
  const lacking = paid.amount - returned.amount
  const most = MOST_UNITS * 10n ** BigInt(currencyExponent(paid.currency))
  return lacking <= most && lacking * 100n <= paid.amount * MOST_PERCENT
}
