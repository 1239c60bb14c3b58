// The codes of banks and branches: the BIC, and national codes by the names of their members. A
// code has one name of ours and perhaps names of other payment services, which are taken as sent.
import { extractBIC, isValidBIC } from 'ibantools'
import { didYouMean } from '../../values/text/nearest.ts'

interface CodeForm {
  /** The form of the code in its standard. */
  readonly pattern: RegExp
  readonly title: string
  /** A further check, such as of check digits, once the pattern matches. */
  readonly holds?: (code: string) => boolean
}

const digits = (count: number, title: string): CodeForm => ({
  pattern: new RegExp(`^[0-9]{${count}}$`),
  title: `${title} has ${count} digits`,
})

/** ISO 9362, in the letters that its registrar SWIFT issues; XK is its user-assigned Kosovo. */
const BIC: CodeForm = {
  pattern: /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/,
  title: 'A BIC has 4 letters, a country code, 2 and perhaps 3 more letters or digits',
  holds: isValidBIC,
}

/** The American Bankers Association's numbers: its first two digits, its weights 3, 7, 1. */
const ABA: CodeForm = {
  pattern: /^(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)[0-9]{7}$/,
  title: 'An ABA routing number has 9 digits, the last of which checks the others',
  holds: code => weighted(code) % 10 === 0 && code !== '000000000',
}

/** Banco de México: weights 3, 7, 1, and a last digit that makes the sum a multiple of 10. */
const CLABE: CodeForm = {
  pattern: /^[0-9]{18}$/,
  title: 'A CLABE has 18 digits, the last of which checks the others',
  holds: code => (weighted(code.slice(0, 17)) + Number(code[17])) % 10 === 0,
}

const BY_NAME: ReadonlyMap<string, CodeForm> = new Map([
  ['swift_code', BIC],
  ['aba', ABA],
  ['clabe', CLABE],
  // Sort codes (Pay.UK) and BSB numbers (AusPayNet) are also written 60-16-13 and 062-000.
  ['sort_code', digits(6, 'A sort code')],
  ['bsb', digits(6, 'A BSB number')],
  ['cnaps', digits(12, 'A CNAPS code')],
  // Payments Canada: a branch and its institution.
  ['transit_number', digits(5, 'A transit number')],
  ['institution_number', digits(3, 'An institution number')],
  // Reserve Bank of India: bank, a zero for later use, branch.
  [
    'ifsc',
    {
      pattern: /^[A-Z]{4}0[A-Z0-9]{6}$/,
      title: 'An IFSC has 4 letters, a zero, and 6 letters or digits',
    },
  ],
  // The root of the institution's CNPJ, which may have letters since July 2026 (RFB, IN 2229/2024).
  ['ispb', { pattern: /^[A-Z0-9]{8}$/, title: 'An ISPB has 8 letters or digits' }],
])

/** American territories, whose banks have routing numbers of the United States. */
export const AMERICAN_TERRITORIES = ['AS', 'GU', 'MP', 'PR', 'UM', 'VI']

/**
 * Names whose codes differ by country. In other countries their codes are free text. Sources:
 * HKICL, the Association of Banks in Singapore, Zengin-Net, Banco Central do Brasil (COMPE), FISC,
 * KFTC, Bank of Thailand, LankaPay, PASA; Payments Canada for 0, institution and branch.
 */
const BY_COUNTRY: ReadonlyMap<string, ReadonlyMap<string, CodeForm>> = new Map([
  [
    'bank_code',
    new Map([
      ['BR', digits(3, 'A bank code of Brazil')],
      ['HK', digits(3, 'A bank code of Hong Kong')],
      ['JP', digits(4, 'A bank code of Japan')],
      ['KR', digits(3, 'A bank code of South Korea')],
      ['LK', digits(4, 'A bank code of Sri Lanka')],
      ['SG', digits(4, 'A bank code of Singapore')],
      ['TH', digits(3, 'A bank code of Thailand')],
      ['TW', digits(3, 'A bank code of Taiwan')],
    ]),
  ],
  [
    'branch_code',
    new Map([
      ['HK', digits(3, 'A branch code of Hong Kong')],
      ['JP', digits(3, 'A branch code of Japan')],
      ['LK', digits(3, 'A branch code of Sri Lanka')],
      ['SG', digits(3, 'A branch code of Singapore')],
      ['TW', digits(4, 'A branch code of Taiwan')],
      ['ZA', digits(6, 'A branch code of South Africa')],
    ]),
  ],
  [
    'routing_number',
    new Map([
      // Without a country, the name means the code of the United States.
      ...['', 'US', ...AMERICAN_TERRITORIES].map(country => [country, ABA] as const),
      ['CA', { pattern: /^0[0-9]{8}$/, title: 'A routing number of Canada has a 0 and 8 digits' }],
    ]),
  ],
])

/** Further names of a code. A bank of the United States may have one number for each network. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['bic', 'swift_code'],
  ['bic_code', 'swift_code'],
  ['aba_code', 'aba'],
  ['fedwire_code', 'aba'],
  ['ach_code', 'aba'],
  ['ifsc_code', 'ifsc'],
  ['bsb_code', 'bsb'],
])

/** Every name that a member of `bank_codes` may have. */
export const BANK_CODE_NAMES: readonly string[] = [
  ...new Set([...BY_NAME.keys(), ...BY_COUNTRY.keys(), ...OTHER_NAMES.keys()]),
].sort()

/** The names of the BIC, ours first. */
export const BIC_NAMES = ['swift_code', 'bic', 'bic_code'] as const

/**
 * The codes by our names. A code may have several names. Then `first` wins, then our name, then the
 * order of OTHER_NAMES.
 */
export function ownNames(
  codes: Readonly<Record<string, string>>,
  first = '',
): Readonly<Record<string, string>> {
  const own: Record<string, string> = {}
  const add = (name: string) => {
    const code = codes[name]
    if (code !== undefined) own[OTHER_NAMES.get(name) ?? name] ??= code
  }
  add(first)
  for (const name of IN_ORDER) add(name)
  return own
}

const IN_ORDER = [...BY_NAME.keys(), ...BY_COUNTRY.keys(), ...OTHER_NAMES.keys()]

/** The message that there is no code of this name; undefined when there is one. */
export function bankCodeNameFault(name: string): string | undefined {
  if (BANK_CODE_NAMES.includes(name)) return undefined
  const hint = didYouMean(name, BANK_CODE_NAMES)
  return `Not a known bank code${hint || `; known ones are ${BANK_CODE_NAMES.join(', ')}.`}`
}

/** The form of codes with this name; undefined where the country has no published form. */
export function bankCodeForm(name: string, country = ''): CodeForm | undefined {
  const own = OTHER_NAMES.get(name) ?? name
  return BY_NAME.get(own) ?? BY_COUNTRY.get(own)?.get(country)
}

/** The fault of a code with this name; undefined for none. */
export function bankCodeFault(name: string, value: string, country?: string): string | undefined {
  const form = bankCodeForm(name, country)
  if (form === undefined) return undefined
  const code = bankCode(name, value, country)
  const is_valid = form.pattern.test(code) && (form.holds?.(code) ?? true)
  return is_valid ? undefined : `${form.title}; this value is not valid.`
}

/**
 * Whether this is a BIC for tests: its eighth character, the last of the location, is 0. Source:
 * ISO 9362 and SWIFT's test and training BICs.
 */
export function isTestBic(value: string): boolean {
  return bankCode('bic', value)[7] === '0'
}

/** The country in a BIC; undefined for an invalid BIC. */
export function bicCountry(value: string): string | undefined {
  if (bankCodeFault('bic', value) !== undefined) return undefined
  return extractBIC(bankCode('bic', value)).countryCode
}

/** The code in its standard form: capitals, without spaces and dashes. Without a form, as sent. */
export function bankCode(name: string, value: string, country?: string): string {
  if (bankCodeForm(name, country) === undefined) return value
  return electronicForm(value).replace(/(?<=\d)-(?=\d)/g, '')
}

/**
 * The electronic form of a code that people have copied: without white space and invisible
 * characters, in capitals. Only ASCII letters change: turning ı into I would make an invalid code
 * valid.
 */
export function electronicForm(text: string): string {
  return text
    .replace(/[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[a-z]+/g, letters => letters.toUpperCase())
}

/** The sum of each digit times its weight: 3, 7, 1, 3, 7, … */
function weighted(code: string): number {
  const products = Array.from(code, (digit, i) => Number(digit) * ([3, 7, 1][i % 3] ?? 0))
  return products.reduce((sum, product) => sum + product, 0)
}
