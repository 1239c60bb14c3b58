// The words for the members of the API: labels of fields, countries, currencies. Also a refusal's
// sentence without the names of members. Pure.
import { findCurrency } from '../values/money/currency.ts'
import { countryName } from '../values/network/country.ts'
import { words } from './show.ts'

/** By the last name of a path, or its last two names. */
const LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    aba: 'ABA routing number',
    account_number: 'Account number',
    'address.city': 'Town',
    'address.country': 'Country of the address',
    'address.line1': 'Street and number',
    'address.line2': 'Second line of the address',
    'address.postal_code': 'Postal code',
    'address.state': 'State or region',
    amount: 'Amount',
    'bank.country': 'Country of the account',
    'bank.currency': 'Currency of the account',
    bank_name: 'Name of the bank',
    bic: 'SWIFT code (BIC)',
    bic_code: 'SWIFT code (BIC)',
    branch_name: 'Name of the branch',
    bsb: 'BSB number',
    cnaps: 'CNAPS code',
    creditor_reference: 'Reference on the invoice',
    'destination_details.type': 'Where the money goes',
    deposit_address: 'Address',
    deposit_key: 'Key',
    deposit_key_type: 'Kind of the key',
    email: 'E-mail address',
    execute_at: 'Day and time of the payment',
    firc_required: 'Remittance certificate needed',
    holding_currency: 'Currency of the balance',
    iban: 'IBAN',
    ifsc: 'IFSC',
    ispb: 'ISPB',
    'local_payment_network.type': 'Network',
    name: 'Name',
    name_local: 'Name in Latin letters, or a shorter one',
    national_identification_number: 'Number of passport or identity card',
    'national_identification_number.number': 'Number of passport or identity card',
    'national_identification_number.type': 'Kind of identity document',
    ownership_percentage: 'Share of the business in percent',
    purpose_code: 'Purpose for the central bank',
    purpose_of_use: 'What it is paid for',
    reference_id: 'Your reference',
    swift_code: 'SWIFT code (BIC)',
    tax_id: 'Tax number',
    transaction_description: 'Description',
    type: 'Kind',
    vertical: 'Line of business',
    'wallet.currency': 'Token',
    'wallet.type': 'Chain',
  }),
)

/** `destination_details.bank.bank_codes.sort_code` is “Sort code”. */
export function labelOf(path: string): string {
  const names = path
    .replace(/\[\d+\]/g, '')
    .replace(/\b[a-z]+_address\./, 'address.')
    .split('.')
  const last = names.at(-1) ?? path
  const known = LABELS.get(names.slice(-2).join('.')) ?? LABELS.get(last)
  if (known !== undefined) return known
  const text = words(last)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A sentence of the API with labels for names of members, and names for codes of countries. */
export function inWords(message: string): string {
  return message
    .replace(/^[a-z]+(?:[._][a-z0-9_]+)*: /, '')
    .replace(/`/g, '')
    .replace(/(?<=\b(?:of|in|is) )[A-Z]{2}(?=[ ,.;:])/g, countryName)
    .replace(
      /^([a-z0-9_]+)(?: \(or [^)]*\))? is required\b/,
      (_, name: string) => `${labelOf(name)} is required`,
    )
    .replace(/\b[a-z]+(?:[._][a-z0-9]+)*_[a-z0-9]+\b/g, name =>
      labelOf(name).replace(/^[A-Z](?![A-Z])/, first => first.toLowerCase()),
    )
}

/** `Germany (DE)` */
export function countryWords(code: string): string {
  return code === '' ? '' : `${countryName(code)} (${code})`
}

/** `EUR – Euro` */
export function currencyWords(code: string): string {
  const name = findCurrency(code)?.name
  return name === undefined ? code : `${code} – ${name}`
}
