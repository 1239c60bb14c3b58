// IBANs: the countries of the SWIFT IBAN registry, the form of their account numbers, and the check
// digits. ibantools has the tables and the arithmetic. National check digits inside account numbers
// are not checked: the registry has none.
import { composeIBAN, countrySpecs } from 'ibantools'

/**
 * The forms of account numbers in which ibantools 4.5.4 differs from the SWIFT IBAN registry (ISO
 * 13616-2, release 103 of September 2026). The library refuses valid accounts of BR, BY, DO, PK and
 * PS, accepts invalid ones of GE, IE, PK, PS, TR and VG, and writes the others in another form.
 */
const CORRECTED: ReadonlyMap<string, string> = new Map([
  ['AE', '[0-9]{19}'],
  ['BR', '[A-Z0-9]{8}[0-9]{15}[A-Z]{1}[A-Z0-9]{1}'],
  ['BY', '[A-Z0-9]{4}[0-9]{4}[A-Z0-9]{16}'],
  ['DO', '[A-Z0-9]{4}[0-9]{20}'],
  ['EG', '[0-9]{25}'],
  ['GE', '[A-Z]{2}[0-9]{16}'],
  ['IE', '[A-Z]{4}[0-9]{14}'],
  ['MD', '[A-Z0-9]{20}'],
  ['PK', '[A-Z]{4}[A-Z0-9]{16}'],
  ['PS', '[A-Z]{4}[A-Z0-9]{21}'],
  ['TR', '[0-9]{6}[A-Z0-9]{16}'],
  ['VA', '[0-9]{18}'],
  ['VG', '[A-Z]{4}[0-9]{16}'],
  ['YE', '[A-Z]{4}[0-9]{4}[A-Z0-9]{18}'],
])

/** Countries of the registry that the library does not mark as such. */
const UNMARKED = ['BI', 'DJ', 'FK', 'HN']

/** Countries of ISO 3166-1 whose accounts have another country's IBANs, by the registry. */
const IN_IBANS_OF: ReadonlyMap<string, string> = new Map([
  ['AX', 'FI'],
  ...['GG', 'IM', 'JE'].map(code => [code, 'GB'] as const),
  ...['BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'].map(
    code => [code, 'FR'] as const,
  ),
])

// The library reads the table that it exports, so this corrects the table in place.
for (const [country, account] of CORRECTED) {
  countrySpecs[country] = { ...countrySpecs[country], bban_regexp: `^${account}$` }
}

interface Form {
  readonly length: number
  /** The form after country and check digits. */
  readonly account: RegExp
}

const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries(countrySpecs)
    .filter(([country, { IBANRegistry }]) => {
      return (IBANRegistry === true || UNMARKED.includes(country)) && !IN_IBANS_OF.has(country)
    })
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([country, { chars = 0, bban_regexp = '' }]) => {
      return [country, { length: chars, account: new RegExp(bban_regexp) }]
    }),
)

/** The codes of the countries that have IBANs of their own. */
export const IBAN_COUNTRIES: readonly string[] = [...FORMS.keys()]

/** Whether accounts of a country have IBANs, of this or another country. */
export function isIbanCountry(country: string): boolean {
  return FORMS.has(ibanCountry(country))
}

/** The regular expression of the IBANs of a country that has them. */
export function ibanPattern(country: string): string {
  return formOf(country).account.source.replace('^', `^${country}[0-9]{2}`)
}

/** A valid IBAN whose account number has only ones. */
export function exampleIban(country: string): string {
  const parts = formOf(country).account.source.matchAll(/\[([^\]]+)\]\{(\d+)\}/g)
  const account = Array.from(parts, ([, characters, count]) =>
    (characters === 'A-Z' ? 'A' : '1').repeat(Number(count)),
  ).join('')
  return composeIBAN({ countryCode: country, bban: account }) ?? ''
}

/** A valid IBAN that differs from this valid one in the last digit of the account. */
export function otherIban(iban: string): string {
  const bban = otherNumber(iban.slice(4))
  return composeIBAN({ countryCode: iban.slice(0, 2), bban }) ?? ''
}

/** The text with another last digit. A text without a digit gets one. */
export function otherNumber(text: string): string {
  const other = text.replace(/\d(?=\D*$)/, digit => (digit === '0' ? '1' : '0'))
  return other === text ? `1${text}` : other
}

function formOf(country: string): Form {
  const form = FORMS.get(country)
  if (form === undefined) throw new Error(`${country} has no IBANs`)
  return form
}

/** The fault of an IBAN in electronic form; undefined for none. */
export function ibanFault(iban: string): string | undefined {
  const country = iban.slice(0, 2)
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]+$/.test(iban)) {
    return 'An IBAN has a country code, two check digits, then letters and digits.'
  }
  const form = FORMS.get(country)
  if (form === undefined) {
    return `${country} has no IBANs in the SWIFT registry; send the number as account_number.`
  }
  if (iban.length !== form.length) {
    return `An IBAN of ${country} has ${form.length} characters, this one ${iban.length}.`
  }
  if (!form.account.test(iban.slice(4))) {
    return `In an IBAN of ${country} letters and digits have other places than in this one.`
  }
  // ISO 13616-1 defines one pair of check digits, although up to three pairs pass modulo 97.
  const expected = composeIBAN({ countryCode: country, bban: iban.slice(4) })
  return iban === expected ? undefined : 'The check digits of this IBAN are wrong.'
}

/** The country code with which IBANs of this country (ISO 3166-1) begin. */
export function ibanCountry(country: string): string {
  return IN_IBANS_OF.get(country) ?? country
}

/** Whether an account in this country (ISO 3166-1) can have this IBAN. */
export function ibanServes(iban: string, country: string): boolean {
  return iban.slice(0, 2) === ibanCountry(country)
}
