// The members of a beneficiary that a destination may need. Each has its path in
// `beneficiary_details`, a description for people, a pattern for programs, and an example.
import { bankCodeForm } from '../../parties/beneficiary/bank-code.ts'
import { exampleIban, ibanPattern } from '../../parties/beneficiary/iban.ts'
import type { NumberForm } from './bank.ts'

/** A member and its path in `beneficiary_details`. */
export interface Field {
  readonly path: string
  /** An ECMA-262 pattern of the value without spaces and dashes. */
  readonly pattern: string
  readonly description: string
  readonly example: string
}

const DESTINATION = 'destination_details'
export const BANK = `${DESTINATION}.bank`
export const WALLET = `${DESTINATION}.wallet`
export const KEY = `${DESTINATION}.local_payment_network`

export const field = (
  path: string,
  pattern: string,
  description: string,
  example: string,
): Field => ({ path, pattern, description, example })

const TEXT = '\\S'

/** A member with one allowed value. */
export function constant(path: string, value: string, description: string): Field {
  return field(path, `^${value}$`, description, value)
}

export const NAME = field('name', TEXT, 'Who is paid.', 'Harbour Trading Ltd')
/** The name that a bank gets when it cannot read the other one. */
export const SECOND_NAME = field(
  'name_local',
  TEXT,
  'Another name of the payee, which a bank gets if it cannot read `name`: many read Latin ' +
    'letters alone, and SEPA carries 70 characters.',
  'Harbour Trading',
)
export const PARTY = field(
  'type',
  '^(individual|business)$',
  'Whether the payee is an individual or a business.',
  'business',
)

export function destinationType(type: string): Field {
  return constant(`${DESTINATION}.type`, type, 'Where the money goes.')
}

/** An IBAN of this country; of any country for '' or when `is_only_country` is false. */
export function ibanField(country: string, is_only_country: boolean): Field {
  const is_known = country !== '' && is_only_country
  const pattern = is_known ? ibanPattern(country) : '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  const of_country = is_known ? ` of ${country}` : ''
  const description = `An IBAN${of_country}, with its check digits.`
  return field(`${BANK}.iban`, pattern, description, exampleIban(country || 'DE'))
}

export function numberField({ pattern, title, example }: NumberForm): Field {
  return field(`${BANK}.account_number`, pattern.source, `${title}.`, example)
}

/** A bank code, or the name of the bank. */
export function codeField(name: string, country: string): Field {
  if (name === 'bank_name') return BANK_NAME
  const path = `${BANK}.bank_codes.${name}`
  const example = exampleCode(name, country)
  const known = bankCodeForm(name, country)
  if (known === undefined) return field(path, TEXT, 'A code of the bank.', example)
  return field(path, known.pattern.source, `${known.title}.`, example)
}

export const BANK_NAME = field(`${BANK}.bank_name`, TEXT, 'The name of the bank.', 'Harbour Bank')
export const BANK_CURRENCY = (currency: string) =>
  field(
    `${BANK}.currency`,
    '^[A-Z]{3,4}$',
    'The currency that arrives, when it is not that of the payout.',
    currency || 'HKD',
  )

/** The pattern lists no countries, because territories are allowed as well. */
export function countryField(country: string): Field {
  const pattern = '^[A-Z]{2}$'
  return field(`${BANK}.country`, pattern, 'The country of the account.', country || 'HK')
}

/** A member of the beneficiary outside `destination_details`. */
export function partyField(path: string, country: string): Field {
  switch (path) {
    case 'address.city':
      return field(path, TEXT, 'The town of the beneficiary.', 'Springfield')
    case 'address.country':
      return field(path, '^[A-Z]{2}$', 'The country of the beneficiary.', country || 'HK')
    default:
      return field(path, TEXT, 'The tax number of the beneficiary.', '52998224725')
  }
}

export const STREET = field('address.line1', TEXT, 'Street and number.', '1 Harbour Street')
export const POSTAL_CODE = field('address.postal_code', TEXT, 'Postal code.', '10115')

const CODE_EXAMPLES: Readonly<Record<string, string>> = {
  aba: '021000021',
  bsb: '062000',
  cnaps: '102100099996',
  ifsc: 'HDFC0000001',
  institution_number: '003',
  ispb: '60701190',
  routing_number: '021000021',
  'routing_number CA': '000300022',
  sort_code: '601613',
  transit_number: '00022',
  bank_code: '014',
  'bank_code JP': '0005',
  'bank_code LK': '7010',
  'bank_code SG': '7171',
  branch_code: '001',
  'branch_code ZA': '632005',
}

/** A code of the right form. A BIC is one that no bank has. */
function exampleCode(name: string, country: string): string {
  if (name === 'swift_code' || name === 'bic') return `BANK${country || 'DE'}22`
  return CODE_EXAMPLES[`${name} ${country}`] ?? CODE_EXAMPLES[name] ?? '1'
}
