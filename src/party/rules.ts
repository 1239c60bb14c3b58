// Checks members that beneficiaries and entities share against their standards. Knows neither of
// the two. Undefined and '' mean "not set", which is no problem.
import { invalidField, type Problem } from '../errors.ts'
import { isCountry } from './country.ts'

/** A day in the form of ISO 8601, YYYY-MM-DD. */
export function checkDate(value: string | undefined, remarks: string): Problem[] {
  if (value === undefined || value === '') return []
  const date = /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00Z`) : undefined
  const real = date !== undefined && !Number.isNaN(date.getTime())
  if (real && date.toISOString().startsWith(value)) return []
  return [invalidField(remarks, 'A date is written YYYY-MM-DD.')]
}

/**
 * A "valid e-mail address" of the HTML standard, with letters and digits of all scripts (RFC 6531)
 * and at most 64 characters before the @ (RFC 5321, 4.5.3.1.1).
 */
export function checkEmail(value: string | undefined, remarks: string): Problem[] {
  if (value === undefined || value === '' || EMAIL.test(value)) return []
  return [invalidField(remarks, 'Not an e-mail address.')]
}

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const EMAIL = new RegExp(
  `^[\\p{L}\\p{M}\\p{N}.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})*$`,
  'u',
)

/** A country code of ISO 3166-1. */
export function checkCountry(code: string | undefined, remarks: string): Problem[] {
  if (code === undefined || isCountry(code)) return []
  return [invalidField(remarks, `${remarks} is not an ISO 3166-1 alpha-2 country code.`)]
}
