// Formats an amount for a message to people: `EUR 9.50`. Pure.
import { findCurrency } from './currency.ts'
import { formatMajor } from './decimal.ts'

/** The amount in major units; in minor units for an unknown currency. */
export function moneyWords(amount: bigint, currency: string): string {
  const exponent = findCurrency(currency)?.exponent
  return `${currency} ${exponent === undefined ? amount : formatMajor(amount, exponent)}`
}
