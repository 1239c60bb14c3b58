// Formats amounts for people: `EUR 9.50`, `1,234.50`. Pure.
import { findCurrency } from './currency.ts'
import { formatMajor } from './decimal.ts'

/** The amount in major units; in minor units for an unknown currency. */
export function moneyWords(amount: bigint, currency: string): string {
  const exponent = findCurrency(currency)?.exponent
  return `${currency} ${exponent === undefined ? amount : formatMajor(amount, exponent)}`
}

/** `-1,234.50` from minor units; minor units for an unknown currency. */
export function groupedMajor(amount: bigint, currency: string): string {
  const exponent = findCurrency(currency)?.exponent
  if (exponent === undefined) return String(amount)
  const [whole = '', part] = formatMajor(amount, exponent).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return part === undefined ? grouped : `${grouped}.${part}`
}
