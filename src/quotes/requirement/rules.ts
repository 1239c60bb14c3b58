// Checks that a destination has the members that its payout type, currency, country and network
// require. The beneficiary room checks each member against its standard. Pure.
import { bankCodeFault, ownNames } from '../../parties/beneficiary/bank-code.ts'
import { destinationCountry, namedCountries } from '../../parties/beneficiary/country.ts'
import { canonicalDestination } from '../../parties/beneficiary/destination.ts'
import type { BeneficiaryRequest, DestinationDetails } from '../../parties/beneficiary/request.ts'
import { taxNumberFault } from '../../parties/beneficiary/tax-number.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { bankFault, findChain, tokenFault } from '../../values/network/chain.ts'
import { isCbu, isNuban } from '../../values/network/check-digit.ts'
import { carriageFault, findNetwork } from '../../values/network/local.ts'
import { paymentNetworkFault } from '../../values/network/payment.ts'
import { type Alternative, alternativesOf, type Need, type Subject } from './alternatives.ts'
import { BANK, type Field, KEY, WALLET } from './fields.ts'

/** A problem, with the path of its member in `beneficiary_details`. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** The facts of a payout that decide the needs of its destination. */
export interface Payment extends Omit<Subject, 'country'> {
  /** The account's country. When absent, it follows from the destination. */
  readonly country?: string
}

type Details = Pick<BeneficiaryRequest, 'destination_details' | 'address' | 'tax_id'>

/**
 * The problems of a destination for this payment. It leaves three problems to other checks: a
 * destination of another type than the payout's, both an IBAN and a number, and neither of them.
 */
export function destinationFaults(sent: Details, payment: Payment): Fault[] {
  const details = byOwnNames(sent)
  const { destination_details } = details
  const { type, bank, wallet, local_payment_network } = destination_details
  switch (payment.type) {
    case 'swift':
    case 'local':
      return type === 'bank' && bank !== undefined ? bankFaults(details, payment) : []
    case 'wallet': {
      if (wallet === undefined || findChain(wallet.type ?? '') === undefined) return []
      const fault = tokenFault(payment.currency, wallet.type ?? '')
      return fault === undefined ? [] : [{ path: `${WALLET}.currency`, message: fault }]
    }
    case 'local_payment_network': {
      const network = local_payment_network?.type
      if (network === undefined || paymentNetworkFault('', network) !== undefined) return []
      const fault = paymentNetworkFault(payment.currency, network)
      if (fault !== undefined) return [{ path: `${KEY}.type`, message: fault }]
      const canonical = canonicalDestination(destination_details)
      const keyed = { ...details, destination_details: canonical }
      return keyFaults(keyed, { ...payment, country: '', network })
    }
    default:
      return []
  }
}

/** The details with each bank code also under our name, which the table requires. */
function byOwnNames(details: Details): Details {
  const { bank, ...others } = details.destination_details
  if (bank?.bank_codes === undefined) return details
  const bank_codes = { ...bank.bank_codes, ...ownNames(bank.bank_codes) }
  return { ...details, destination_details: { ...others, bank: { ...bank, bank_codes } } }
}

/**
 * The problem of a key that fits no network of this name in the destination currency. Networks of
 * several currencies may share a name.
 */
function keyFaults(details: Details, subject: Subject): Fault[] {
  const alternatives = alternativesOf(subject).map(alternative =>
    alternative.needs.filter(({ field }) => field.path === DEPOSIT_KEY),
  )
  if (alternatives.some(needs => needs.every(n => needFaults(n, details, '').length === 0)))
    return []
  const message = 'Not a key of this network in the currency that arrives.'
  return [{ path: DEPOSIT_KEY, message }]
}

function bankFaults(details: Details, payment: Payment): Fault[] {
  const { destination_details } = details
  // For a SWIFT payout, payout/swift checks both currencies.
  const token = payment.type === 'local' ? bankFault(payment.currency) : undefined
  if (token !== undefined) return [{ path: `${BANK}.currency`, message: token }]
  const { iban, account_number } = destination_details.bank ?? {}
  const country = payment.country ?? destinationCountry(destination_details)
  const has_one_account = (iban === undefined) !== (account_number === undefined)
  if (country === '' && payment.type === 'local') {
    // The missing account number or IBAN might show the country, and another check requires it.
    if (!has_one_account) return []
    const message = 'country is required: a payout over a local network goes to a known country.'
    return [{ path: `${BANK}.country`, message }]
  }
  const unserved =
    payment.type === 'local' ? reachFaults(destination_details, payment, country) : []
  if (unserved.length > 0) return unserved
  const numbered = payment.type === 'local' ? country : ''
  const alternatives = alternativesOf({ ...payment, country })
  const faultsFor = (alternative: Alternative) => faultsOf(alternative, details, numbered)
  // Another check refuses the account.
  if (!has_one_account) {
    return sharedFaults(alternatives.map(faultsFor)).filter(({ path }) => !ACCOUNTS.includes(path))
  }
  const sent = iban === undefined ? 'account_number' : 'iban'
  let fewest: Fault[] | undefined
  for (const alternative of alternatives) {
    if (alternative.account !== sent) continue
    const faults = faultsFor(alternative)
    if (fewest === undefined || faults.length < fewest.length) fewest = faults
  }
  return fewest ?? otherAccount(alternatives, sent, country)
}

/** `country` as in needFaults. */
function faultsOf({ needs }: Alternative, details: Details, country: string): Fault[] {
  const faults: Fault[] = []
  for (const one of needs) {
    const found = needFaults(one, details, country)
    if (found.length > 0) faults.push(...found)
  }
  return faults
}

const ACCOUNT_NUMBER = `${BANK}.account_number`
const ACCOUNTS = [ACCOUNT_NUMBER, `${BANK}.iban`]

/** The problems that all of these lists have. */
export function sharedFaults(alternatives: readonly (readonly Fault[])[]): Fault[] {
  const [first = [], ...others] = alternatives
  return first.filter(({ path, message }) =>
    others.every(faults => faults.some(one => one.path === path && one.message === message)),
  )
}

/** The problem of a country that the payout's network, or every network, does not serve. */
function reachFaults(
  { bank = {} }: DestinationDetails,
  { currency, network }: Payment,
  country: string,
): Fault[] {
  const served = findNetwork(currency, network)?.countries
  const unserved = namedCountries(bank).find(named => served?.includes(named) === false)
  // Another check refuses an unknown currency.
  const fault = findCurrency(currency) && carriageFault(currency, country)
  const message =
    served === undefined ? fault : unserved && `${unserved} is not served by ${network}.`
  if (message === undefined) return []
  const path = (['country', 'iban'] as const).find(name => bank[name] !== undefined)
  return [{ path: `${BANK}.${path ?? 'bank_codes'}`, message }]
}

/** The problem of an IBAN or number in a country that identifies accounts by the other one. */
function otherAccount(alternatives: readonly Alternative[], sent: string, country: string) {
  const [alternative] = alternatives
  if (alternative?.account === undefined) return []
  const message = `Accounts of ${country} are paid by ${alternative.account} here, not by ${sent}.`
  return [{ path: `${BANK}.${alternative.account}`, message }]
}

/**
 * The problems of one need: its members are absent, or one has a wrong form. `country` is the
 * country of a local payout's account, otherwise ''.
 */
function needFaults({ field, instead }: Need, details: Details, country: string): readonly Fault[] {
  // Most needs are met by a member of any form.
  if (!hasCheckedForm(field) && valueAt(details, field.path) !== '' && instead.every(hasAnyForm))
    return NONE
  const present = [field, ...instead].filter(({ path }) => valueAt(details, path) !== '')
  if (present.length === 0) {
    const others = instead.map(({ path }) => path.split('.').at(-1))
    const or = others.length === 0 ? '' : ` (or ${others.join(' or ')})`
    const name = field.path.split('.').at(-1)
    return [{ path: field.path, message: `${name}${or} is required: ${field.description}` }]
  }
  return present.flatMap(one => {
    if (!hasCheckedForm(one)) return []
    const { path, description } = one
    const value = valueAt(details, path)
    const form = FORMS.getOrInsertComputed(one.pattern, () => new RegExp(one.pattern))
    const bare = path === DEPOSIT_KEY ? value : value.replace(/[\s-]/g, '')
    const fault = nationalFault(path, bare, details, country)
    if ((form.test(bare) || form.test(value)) && fault === undefined) return []
    const title = description.replace(/\.$/, '')
    return [{ path, message: fault ?? `${title}; this value is not valid.` }]
  })
}

const NONE: readonly Fault[] = []

/** The message that the check digits of an account or a taxpayer of this country do not hold. */
function nationalFault(path: string, bare: string, details: Details, country: string) {
  if (path === TAX_ID) return taxNumberFault(country, bare)
  if (path !== ACCOUNT_NUMBER) return undefined
  switch (country) {
    case 'MX':
      return bankCodeFault('clabe', bare, country)
    case 'AR':
      return isCbu(bare) ? undefined : 'The check digits of this CBU or CVU do not hold.'
    case 'NG': {
      const { bank_code = '' } = details.destination_details.bank?.bank_codes ?? {}
      // Other codes than the central bank's of three digits take no part in the check digit.
      if (!/^[0-9]{3}$/.test(bank_code) || isNuban(bank_code, bare)) return undefined
      return `The check digit of this NUBAN does not hold for bank ${bank_code}.`
    }
    default:
      return undefined
  }
}

const TAX_ID = 'tax_id'

/** Whether this file checks the member's form. */
function hasCheckedForm({ path }: Field): boolean {
  return path === ACCOUNT_NUMBER || path === DEPOSIT_KEY || path === TAX_ID
}

const hasAnyForm = (field: Field) => !hasCheckedForm(field)

const DEPOSIT_KEY = `${KEY}.deposit_key`

/** The compiled expression of each pattern, some dozens. */
const FORMS = new Map<string, RegExp>()

/** The trimmed text at a path; '' without a text. */
export function valueAt(details: object, path: string): string {
  let value: unknown = details
  const names = NAMES.get(path) ?? namesIn(path)
  for (let at = 0; at < names.length; at++) {
    value = (value as Record<string, unknown> | undefined)?.[names[at] as string]
  }
  return typeof value === 'string' ? value.trim() : ''
}

/** The names of each path, some dozens. */
const NAMES = new Map<string, readonly string[]>()

function namesIn(path: string): readonly string[] {
  const names = path.split('.')
  NAMES.set(path, names)
  return names
}
