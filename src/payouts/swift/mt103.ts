// Makes the text of an MT103, FIN's single customer credit transfer, from the facts of a payout by
// SWIFT. Field formats: SWIFT Standards MT, Category 1, MT 103, in its notation (16x: up to 16
// characters of the X set, 3!a: exactly three capitals, 15d: up to 15 digits with a comma).
import { ownNames } from '../../parties/beneficiary/bank-code.ts'
import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import { type Instant, shortDate } from '../../values/instant.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import {
  type Decimal,
  divideHalfUp,
  formatDecimal,
  formatMajor,
  pow10,
} from '../../values/money/decimal.ts'
import { isSwiftText, swiftLines, swiftText } from '../../values/text/swift-text.ts'
import { senderReferenceOf } from './uetr.ts'

/**
 * Used when the operator has set no BIC. The 0 in the eighth place marks a test and training
 * address, and XX is no country (ISO 3166-1, user-assigned): the network delivers nothing from it
 * or to it.
 */
export const TEST_BIC = 'CORRXXX0XXX'

type Bank = NonNullable<BeneficiaryDetails['destination_details']['bank']>

/** The content of the message. Amounts are in minor units. */
export interface Mt103Facts {
  readonly payout_id: string
  /** `uetrOf(payout_id)`. */
  readonly uetr: string
  /** Its day in UTC is the value date. */
  readonly created_at: Instant
  /** The instructed amount: the payout's. */
  readonly amount: bigint
  readonly currency: string
  /** The amount that banks settle. */
  readonly destination_amount: bigint
  readonly destination_currency: string
  readonly payout_to_destination: Decimal
  /** `shared`, `ours`, or '' for the default, shared. */
  readonly charge_type: string
  /** The account, '' for none, and the lines of name and address. */
  readonly ordering_customer: { readonly account: string; readonly lines: readonly string[] }
  readonly beneficiary_details: Pick<BeneficiaryDetails, 'name' | 'address' | 'destination_details'>
  readonly transaction_description: string
  /** '' for none. */
  readonly creditor_reference: string
  /** '' for none. */
  readonly reference_id: string
  /** The BICs of the installation and of the receiving bank; '' for `TEST_BIC`. */
  readonly sender_bic: string
  readonly receiver_bic: string
}

/** A member of the payout that no MT103 can carry. */
export interface Mt103Fault {
  readonly member:
    | 'currency'
    | 'amount'
    | 'destination_currency'
    | 'destination_amount'
    | 'rate'
    | 'account'
  /** For people. */
  readonly message: string
}

/**
 * Why no MT103 can be written; empty when one can. Fields 32A and 33B carry 14 digits and currency
 * codes of three letters, field 36 eleven digits, field 59 an account of 34 characters of the X
 * set. A shortened value would be another amount or another account.
 */
export function mt103Faults(facts: Mt103Facts): Mt103Fault[] {
  const faults: Mt103Fault[] = []
  const sides = [
    ['currency', facts.currency, 'amount', facts.amount],
    [
      'destination_currency',
      facts.destination_currency,
      'destination_amount',
      facts.destination_amount,
    ],
  ] as const
  for (const [currency, code, member, amount] of sides) {
    if (!/^[A-Z]{3}$/.test(code)) {
      faults.push({ member: currency, message: `SWIFT carries no ${code}.` })
    } else if (amountText(amount, code) === undefined) {
      faults.push({ member, message: `SWIFT carries amounts of at most ${AMOUNT_DIGITS} digits.` })
    }
  }
  if (isConverted(facts) && rateText(facts.payout_to_destination) === undefined) {
    faults.push({ member: 'rate', message: 'SWIFT carries no rate of this size.' })
  }
  if (accountOf(bankOf(facts)) === undefined) {
    const message =
      "A SWIFT account number has at most 34 characters of A-Z a-z 0-9 / - ? : ( ) . , ' + and " +
      'spaces; it does not begin with / and has no // in it.'
    faults.push({ member: 'account', message })
  }
  return faults
}

/**
 * The message for the network: blocks 1 to 4, with lines that end in CR LF; '' when there are
 * `mt103Faults`. Texts are transliterated to the X set and shortened to the length of their fields.
 */
export function mt103Of(facts: Mt103Facts): string {
  if (mt103Faults(facts).length > 0) return ''
  const text = fieldsOf(facts).map(([tag, ...lines]) => `:${tag}:${lines.join('\r\n')}\r\n`)
  return [
    // Application F (FIN), service 01, then session and sequence, which the interface numbers.
    `{1:F01${terminal(facts.sender_bic, 'A')}0000000000}`,
    // Input, message type, receiver, priority normal.
    `{2:I103${terminal(facts.receiver_bic, 'X')}N}`,
    `{3:{121:${facts.uetr}}}`,
    `{4:\r\n${text.join('')}-}`,
  ].join('')
}

/** An MT103 as a member of `confirmation_documents`: the URL holds the whole message. */
export function mt103Document(payout_id: string, mt103: string) {
  const content = Buffer.from(mt103, 'ascii').toString('base64')
  return {
    type: 'mt103',
    file_name: `mt103-${senderReferenceOf(payout_id)}.txt`,
    url: `data:text/plain;charset=us-ascii;base64,${content}`,
  }
}

/** A logical terminal: the BIC with an A in the ninth place for a sender, an X for a receiver. */
function terminal(bic: string, letter: 'A' | 'X'): string {
  const full_bic = bic === '' ? TEST_BIC : bic
  return `${full_bic.slice(0, 8)}${letter}${full_bic.slice(8).padEnd(3, 'X')}`
}

/** A tag and its lines, at least one. */
type Field = readonly [tag: string, ...lines: string[]]

/**
 * The fields in the order of the standard. Rule C1: the message has 36 exactly when the currencies
 * of 32A and 33B differ. Rule C2: 33B is mandatory between countries of the EEA, so it is always
 * sent. Rule C14 (71F, 71G): nothing is deducted from the instructed amount here, and with shared
 * charges the first bank sends no 71F.
 */
function fieldsOf(facts: Mt103Facts): Field[] {
  const { currency, destination_currency, charge_type } = facts
  const settled = amountText(facts.destination_amount, destination_currency)
  const instructed = amountText(facts.amount, currency)
  return [
    ['20', senderReferenceOf(facts.payout_id)],
    // A credit transfer without a SWIFT service level.
    ['23B', 'CRED'],
    ['32A', `${shortDate(facts.created_at)}${destination_currency}${settled}`],
    ['33B', `${currency}${instructed}`],
    ...(isConverted(facts) ? [['36', `${rateText(facts.payout_to_destination)}`] as const] : []),
    ['50K', ...orderingCustomer(facts.ordering_customer)],
    ...accountWithInstitution(bankOf(facts)),
    ['59', ...beneficiary(facts)],
    ...remittance(facts),
    ['71A', charge_type === 'ours' ? 'OUR' : 'SHA'],
  ]
}

const AMOUNT_DIGITS = 14

/** 15d: a comma, even if no decimals follow, and as many decimals as the currency has. */
function amountText(amount: bigint, currency: string): string | undefined {
  const text = withComma(formatMajor(amount, currencyExponent(currency)))
  return text.length <= AMOUNT_DIGITS + 1 ? text : undefined
}

const RATE_DIGITS = 11

/**
 * 12d: as many decimals as fit, rounded once; undefined when the rate is too large or too small.
 */
function rateText({ digits, scale }: Decimal): string | undefined {
  for (let places = Math.min(scale, RATE_DIGITS - 1); places >= 0; places--) {
    const rounded = divideHalfUp(digits * pow10(places), pow10(scale))
    if (rounded === 0n) return undefined
    const text = withComma(formatDecimal({ digits: rounded, scale: places }))
    if (text.length <= RATE_DIGITS + 1) return text
  }
  return undefined
}

function withComma(decimal: string): string {
  return decimal.includes('.') ? decimal.replace('.', ',') : `${decimal},`
}

function isConverted({ currency, destination_currency }: Mt103Facts): boolean {
  return currency !== destination_currency
}

/** The standard's word for an unknown but mandatory name. */
const NOT_PROVIDED = 'NOTPROVIDED'

/** 50K: [/34x] 4*35x. */
function orderingCustomer({ account, lines }: Mt103Facts['ordering_customer']): string[] {
  const account_text = swiftText(account).replace(/^\/+/, '').slice(0, 34).trimEnd()
  const party = lines.flatMap(line => swiftLines(line, 4)).slice(0, 4)
  return [
    ...(account_text === '' ? [] : [`/${account_text}`]),
    ...(party.length > 0 ? party : [NOT_PROVIDED]),
  ]
}

/** 59: [/34x] 4*35x: account, name in one or two lines, street, town and country. */
function beneficiary({ beneficiary_details, ...facts }: Mt103Facts): string[] {
  const { name, address } = beneficiary_details
  const account = accountOf(bankOf({ beneficiary_details, ...facts }))
  const town = [address.postal_code, address.city, address.state].filter(Boolean).join(' ')
  const country = swiftText(address.country ?? '')
  // A long line is cut, so the town leaves room for the country.
  const room = country === '' ? 35 : 34 - country.length
  const last = [...swiftLines(town, 1, room), country].filter(Boolean).join(' ')
  const street = [address.line1, address.line2].filter(Boolean).join(', ')
  const named = swiftLines(name, street === '' && last === '' ? 4 : 2)
  const lines = named.length > 0 ? named : [NOT_PROVIDED]
  const middle = swiftLines(street, 4 - lines.length - (last === '' ? 0 : 1))
  return [`/${account}`, ...lines, ...middle, ...(last === '' ? [] : [last])]
}

function bankOf({ beneficiary_details }: Pick<Mt103Facts, 'beneficiary_details'>): Bank {
  return beneficiary_details.destination_details.bank ?? {}
}

/** The account exactly as stored, or undefined when 59 cannot carry it. */
function accountOf({ iban, account_number }: Bank): string | undefined {
  const account = (iban ?? account_number ?? '').trim()
  const fits = account.length >= 1 && account.length <= 34 && isSwiftText(account)
  return fits && !/^\/|\/\//.test(account) ? account : undefined
}

/**
 * 57A, [/1!a][/34x] 4!a2!a2!c[3!c]: the bank by its BIC. Without a BIC 57D, [/1!a][/34x] 4*35x, by
 * clearing code and name, or 57C, /34x, by the code alone. Without any of these the message has no
 * field 57, and the receiver finds the bank by the IBAN.
 */
function accountWithInstitution(bank: Bank): Field[] {
  const { bank_codes = {}, bank_name = '', country = '' } = bank
  const codes = ownNames(bank_codes, 'fedwire_code')
  const { swift_code: bic = '' } = codes
  if (/^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(bic)) return [['57A', bic]]
  const code = clearingCode(codes, country)
  const party = code === undefined ? [] : [`//${code}`]
  const name = swiftLines(bank_name, 3)
  if (name.length > 0) return [['57D', ...party, ...name, ...swiftLines(country, 1)]]
  return code === undefined ? [] : [['57C', `//${code}`]]
}

/**
 * How 57D and 57C name a bank of a national clearing system: two letters and the code. Canada's
 * code is its routing number: 0, institution, branch.
 */
const CLEARING_CODES: readonly (readonly [
  name: string,
  countries: string,
  form: RegExp,
  system: string,
])[] = [
  ['aba', '', /^\d{9}$/, 'FW'],
  ['routing_number', 'US AS GU MP PR UM VI', /^\d{9}$/, 'FW'],
  ['routing_number', 'CA', /^0\d{8}$/, 'CC'],
  ['sort_code', '', /^\d{6}$/, 'SC'],
  ['bsb', '', /^\d{6}$/, 'AU'],
  ['cnaps', '', /^\d{12}$/, 'CN'],
  ['ifsc', '', /^[A-Z]{4}0[A-Z0-9]{6}$/, 'IN'],
  ['bank_code', 'HK', /^\d{3}$/, 'HK'],
  ['branch_code', 'ZA', /^\d{6}$/, 'ZA'],
]

function clearingCode(codes: Readonly<Record<string, string>>, country: string) {
  for (const [name, countries, form, system] of CLEARING_CODES) {
    const code = codes[name]
    const serves = countries === '' || countries.split(' ').includes(country)
    if (code !== undefined && serves && form.test(code)) return `${system}${code}`
  }
  const { institution_number = '', transit_number = '' } = codes
  const canadian = `0${institution_number}${transit_number}`
  return /^0\d{8}$/.test(canadian) ? `CC${canadian}` : undefined
}

const ROC = '/ROC/'

/**
 * 70, 4*35x: a creditor reference stands alone, so that the creditor's bank reads it. Otherwise the
 * caller's reference has its own line (code ROC), and the description follows.
 */
function remittance(facts: Mt103Facts): Field[] {
  const { reference_id, transaction_description, creditor_reference } = facts
  if (creditor_reference !== '') return [['70', creditor_reference]]
  const [reference] = swiftLines(reference_id, 1, 35 - ROC.length)
  const described = swiftLines(transaction_description, reference === undefined ? 4 : 3)
  const lines = reference === undefined ? described : [`${ROC}${reference}`, ...described]
  return lines.length === 0 ? [] : [['70', ...lines]]
}
