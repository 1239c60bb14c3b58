// Converts a payout to a payment of a bank's file. Pure.
import { ownNames } from '../../parties/beneficiary/bank-code.ts'
import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import type { Carried } from '../../rails/carriage.ts'
import type { RailAnswer } from '../../rails/rail.ts'
import type {
  BankAccount,
  BankProfile,
  Creditor,
  FileItem,
  PostalAddress,
} from '../../values/bank-format/bank-format.ts'

/** The members of a payment in a file, without its ids and amount. */
export type Payment = Omit<FileItem, 'end_to_end_id' | 'uetr' | 'amount' | 'currency'>

type Bank = NonNullable<BeneficiaryDetails['destination_details']['bank']>

/** The payment of a payout to this bank; undefined when it goes to no bank account. */
export function paymentOf(payout: Carried, profile: BankProfile): Payment | undefined {
  const { beneficiary_details: details, answers } = payout
  const { type, bank } = details.destination_details
  if (type !== 'bank' || bank === undefined) return undefined
  const address = newest(answers, answer => answer.beneficiary_details?.address)
  const creditor: Creditor = {
    name: details.name,
    kind: details.type === 'business' ? 'company' : 'person',
    address: addressOf(address ?? details.address, bank.country ?? ''),
    ...accountOf(bank, payout.fund_transfer_network),
    bank_name: bank.bank_name ?? '',
    account_type: accountTypeOf(bank),
  }
  return {
    charge_bearer: bearerOf(payout, profile),
    creditor,
    remittance:
      newest(answers, answer => answer.transaction_description) ??
      payout.particulars.transaction_description,
    creditor_reference: payout.particulars.creditor_reference,
    ultimate_debtor: payout.particulars.ultimate_debtor,
    purpose: purposeCode(newest(answers, answer => answer.purpose) ?? payout.particulars.purpose),
  }
}

/** ISO's external purpose codes, by the word for a purpose. */
const PURPOSES: Readonly<Record<string, string>> = {
  ...{ supplier_payment: 'SUPP', supplier: 'SUPP', salary: 'SALA', payroll: 'SALA', wages: 'SALA' },
  ...{ bonus: 'BONU', pension: 'PENS', rent: 'RENT', tax: 'TAXS', dividend: 'DIVD', loan: 'LOAN' },
  ...{ goods: 'GDDS', services: 'SCVE', treasury: 'TREA', intercompany: 'INTC', insurance: 'INSU' },
}

/**
 * The code of a purpose, which is free text; '' for a text that is neither a code nor a known word.
 */
export function purposeCode(purpose: string): string {
  if (/^[A-Z]{4}$/.test(purpose)) return purpose
  const word = purpose
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return Object.hasOwn(PURPOSES, word) ? (PURPOSES[word] ?? '') : ''
}

/** A member of the newest answer that has it. An empty text does not count. */
function newest<T>(answers: readonly RailAnswer[], member: (answer: RailAnswer) => T | undefined) {
  return answers.map(member).findLast(value => value !== undefined && value !== '')
}

function addressOf(address: BeneficiaryDetails['address'], country: string): PostalAddress {
  const { line1 = '', line2 = '', city = '', state = '', postal_code = '' } = address
  return {
    street: [line1, line2].filter(line => line !== '').join(', '),
    town: city,
    postcode: postal_code,
    state,
    country: address.country || country,
  }
}

function accountOf(bank: Bank, network: string): BankAccount {
  const { iban = '', account_number = '', country, bank_codes = {} } = bank
  const codes = ownNames(bank_codes, network === 'ach' ? 'ach_code' : 'fedwire_code')
  return {
    iban,
    account: account_number,
    bic: codes.swift_code ?? '',
    clearing_code: clearingCodeOf(codes, country),
  }
}

/** ISO's external codes of clearing systems, by the name of the bank code. */
const CLEARING: Readonly<Record<string, string>> = {
  aba: 'USABA',
  sort_code: 'GBDSC',
  bsb: 'AUBSB',
  ifsc: 'INFSC',
  cnaps: 'CNAPS',
}

/** For bank codes whose meaning depends on the country: ISO's code, and the parts of the member. */
const CLEARING_IN: Readonly<Record<string, readonly [code: string, ...parts: string[]]>> = {
  US: ['USABA', 'routing_number'],
  HK: ['HKNCC', 'bank_code'],
  JP: ['JPZGN', 'bank_code', 'branch_code'],
  SG: ['SGIBG', 'bank_code', 'branch_code'],
  TW: ['TWNCC', 'bank_code', 'branch_code'],
  ZA: ['ZANCC', 'branch_code'],
}

function clearingCodeOf(bank_codes: Readonly<Record<string, string>>, country = 'US'): string {
  for (const [name, code] of Object.entries(CLEARING)) {
    const member = bank_codes[name]
    if (member !== undefined) return code + member
  }
  const { transit_number, institution_number } = bank_codes
  // Payments Canada: 0, institution, branch.
  if (transit_number !== undefined && institution_number !== undefined) {
    return `CACPA0${institution_number}${transit_number}`
  }
  const [code = '', ...parts] = CLEARING_IN[country] ?? []
  const values = parts.map(part => bank_codes[part])
  const is_complete = values.length > 0 && values.every(value => value !== undefined)
  return is_complete ? code + values.join('') : ''
}

function accountTypeOf({ account_type }: Bank): Creditor['account_type'] {
  const written = account_type?.toLowerCase()
  return written === 'checking' || written === 'savings' ? written : ''
}

const SEPA_NETWORKS: readonly string[] = ['sepa', 'sepa_instant']

/** Why files to this bank do not go by the network that the payout names; [] when they do. */
export function networkFaults({ fund_transfer_network: network }: Carried, profile: BankProfile) {
  if (network === '' || SEPA_NETWORKS.includes(network) || !isSepa(profile)) return []
  return [`the payout names network ${network}, and this bank gets SEPA files`]
}

/**
 * SEPA schemes allow one charge bearer, SLEV: each side pays its own bank, as with shared charges.
 * A payer who asks to pay all charges does not get that from SEPA, unless the payout names it.
 */
function bearerOf({ charge_type, fund_transfer_network: network }: Carried, profile: BankProfile) {
  const is_named = SEPA_NETWORKS.includes(network)
  if (is_named || (isSepa(profile) && charge_type !== 'ours')) return 'SLEV'
  return charge_type === 'ours' ? 'DEBT' : 'SHAR'
}

function isSepa({ iso20022 }: BankProfile): boolean {
  return iso20022?.service_level === 'SEPA'
}
