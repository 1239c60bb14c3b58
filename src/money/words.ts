// An amount as people read it in a message: `EUR 9.50`. Pure.
import { findCurrency } from './currency.ts'
import { formatMajor } from './decimal.ts'

/** Shows minor units when the currency is unknown. */
export function moneyWords(amount: bigint, currency: string): string {
  const exponent = findCurrency(currency)?.exponent
  return `${currency} ${exponent === undefined ? amount : formatMajor(amount, exponent)}`
}
