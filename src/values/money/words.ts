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

/** The amounts of a text: `USD 50000.00` as `USD 50,000.00`, and `2500.00` as `2,500.00`. */
export function groupedNumbers(text: string): string {
  const whole = /(?<=\b[A-Z]{3,4} |^)\d+(?![\d-])/g
  return text.replace(whole, digits => digits.replace(/\B(?=(\d{3})+$)/g, ','))
}
