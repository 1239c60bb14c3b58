// Knows which IBANs there are: the countries of the SWIFT IBAN registry, the form of each one's
// account numbers, and the check digits. It must not know whether an account exists, nor the check
// digits that a country hides inside its account numbers: the registry states none.

/**
 * Country, and the form of what follows country and check digits: n digits, a capital letters, c
 * either. Source: SWIFT IBAN registry (ISO 13616-2), release 103 of September 2026, all 89 entries.
 */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['AD', '8n12c'],
  ['AE', '19n'],
  ['AL', '8n16c'],
  ['AT', '16n'],
  ['AZ', '4a20c'],
  ['BA', '16n'],
  ['BE', '12n'],
  ['BG', '4a6n8c'],
  ['BH', '4a14c'],
  ['BI', '23n'],
  ['BR', '8c15n1a1c'],
  ['BY', '4c4n16c'],
  ['CH', '5n12c'],
  ['CR', '18n'],
  ['CY', '8n16c'],
  ['CZ', '20n'],
  ['DE', '18n'],
  ['DJ', '23n'],
  ['DK', '14n'],
  ['DO', '4c20n'],
  ['EE', '16n'],
  ['EG', '25n'],
  ['ES', '20n'],
  ['FI', '14n'],
  ['FK', '2a12n'],
  ['FO', '14n'],
  ['FR', '10n11c2n'],
  ['GB', '4a14n'],
  ['GE', '2a16n'],
  ['GI', '4a15c'],
  ['GL', '14n'],
  ['GR', '7n16c'],
  ['GT', '24c'],
  ['HN', '4a20n'],
  ['HR', '17n'],
  ['HU', '24n'],
  ['IE', '4a14n'],
  ['IL', '19n'],
  ['IQ', '4a15n'],
  ['IS', '22n'],
  ['IT', '1a10n12c'],
  ['JO', '4a4n18c'],
  ['KW', '4a22c'],
  ['KZ', '3n13c'],
  ['LB', '4n20c'],
  ['LC', '4a24c'],
  ['LI', '5n12c'],
  ['LT', '16n'],
  ['LU', '3n13c'],
  ['LV', '4a13c'],
  ['LY', '21n'],
  ['MC', '10n11c2n'],
  ['MD', '20c'],
  ['ME', '18n'],
  ['MK', '3n10c2n'],
  ['MN', '16n'],
  ['MR', '23n'],
  ['MT', '4a5n18c'],
  ['MU', '4a19n3a'],
  ['NI', '4a20n'],
  ['NL', '4a10n'],
  ['NO', '11n'],
  ['OM', '3n16c'],
  ['PK', '4a16c'],
  ['PL', '24n'],
  ['PS', '4a21c'],
  ['PT', '21n'],
  ['QA', '4a21c'],
  ['RO', '4a16c'],
  ['RS', '18n'],
  ['RU', '14n15c'],
  ['SA', '2n18c'],
  ['SC', '4a20n3a'],
  ['SD', '14n'],
  ['SE', '20n'],
  ['SI', '15n'],
  ['SK', '20n'],
  ['SM', '1a10n12c'],
  ['SO', '19n'],
  ['ST', '21n'],
  ['SV', '4a20n'],
  ['TL', '19n'],
  ['TN', '20n'],
  ['TR', '6n16c'],
  ['UA', '6n19c'],
  ['VA', '18n'],
  ['VG', '4a16n'],
  ['XK', '16n'],
  ['YE', '4a4n18c'],
])

/** Countries of ISO 3166-1 whose accounts have the IBANs of another, as the registry says. */
const IN_IBANS_OF: ReadonlyMap<string, string> = new Map([
  ['AX', 'FI'],
  ...['GG', 'IM', 'JE'].map(code => [code, 'GB'] as const),
  ...['BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'].map(
    code => [code, 'FR'] as const,
  ),
])

const CLASSES = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' } as const
const PARTS = /(\d+)([nac])/g

interface Form {
  readonly length: number
  readonly pattern: RegExp
}

const PARSED: ReadonlyMap<string, Form> = new Map(
  Array.from(FORMS, ([country, form]) => {
    const parts = Array.from(form.matchAll(PARTS), ([, count, letter]) => ({
      count: Number(count),
      characters: CLASSES[letter as keyof typeof CLASSES],
    }))
    const length = parts.reduce((sum, { count }) => sum + count, 4)
    const account = parts.map(({ count, characters }) => `${characters}{${count}}`).join('')
    return [country, { length, pattern: new RegExp(`^[A-Z]{2}[0-9]{2}${account}$`) }]
  }),
)

/** The countries that have IBANs of their own, by code. */
export const IBAN_COUNTRIES: readonly string[] = [...FORMS.keys()]

/** Whether accounts of a country have IBANs, which the country may share with others. */
export function isIbanCountry(country: string): boolean {
  return FORMS.has(ibanCountry(country))
}

/** The form of the IBANs of a country that has them, for programs. */
export function ibanPattern(country: string): string {
  const form = PARSED.get(country)
  if (form === undefined) throw new Error(`${country} has no IBANs`)
  return form.pattern.source.replace('[A-Z]{2}', country)
}

/** An IBAN of the right form and check digits, whose account is made up of ones. */
export function exampleIban(country: string): string {
  const form = FORMS.get(country) ?? ''
  const account = Array.from(form.matchAll(PARTS), ([, count, letter]) =>
    (letter === 'a' ? 'A' : '1').repeat(Number(count)),
  ).join('')
  const digits = String(98n - remainder(`${country}00${account}`)).padStart(2, '0')
  return `${country}${digits}${account}`
}

/** What is wrong with an IBAN in electronic form, for people; undefined when nothing is. */
export function ibanFault(iban: string): string | undefined {
  const country = iban.slice(0, 2)
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]+$/.test(iban)) {
    return 'An IBAN has a country code, two check digits, then letters and digits.'
  }
  const form = PARSED.get(country)
  if (form === undefined) {
    return `${country} has no IBANs in the SWIFT registry; account_number takes other numbers.`
  }
  if (iban.length !== form.length) {
    return `An IBAN of ${country} has ${form.length} characters, this one ${iban.length}.`
  }
  if (!form.pattern.test(iban)) {
    return `An IBAN of ${country} has letters and digits in other places.`
  }
  return hasCheckDigits(iban) ? undefined : 'The check digits of this IBAN are wrong.'
}

/** The country with whose code the IBANs of this country (ISO 3166-1) would begin. */
export function ibanCountry(country: string): string {
  return IN_IBANS_OF.get(country) ?? country
}

/** Whether accounts of this country (ISO 3166-1) have IBANs that begin like this one. */
export function ibanServes(iban: string, country: string): boolean {
  return iban.slice(0, 2) === ibanCountry(country)
}

/**
 * ISO 13616-1: letters count 10 to 35, the first four characters go last, and the whole is 1
 * modulo 97. Check digits are made as 98 minus a remainder, so that 00, 01 and 99 never are.
 */
function hasCheckDigits(iban: string): boolean {
  return remainder(iban) === 1n && !['00', '01', '99'].includes(iban.slice(2, 4))
}

function remainder(iban: string): bigint {
  const moved = iban.slice(4) + iban.slice(0, 4)
  return BigInt(moved.replace(/[A-Z]/g, letter => String(letter.charCodeAt(0) - 55))) % 97n
}
