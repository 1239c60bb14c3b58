// Checks that a destination has what its payout type, currency, country and network require. Pure.
// The beneficiary room checks each member against its standard.
import { bankCodeFault } from '../beneficiary/bank-code.ts'
import { destinationCountry, namedCountries } from '../beneficiary/country.ts'
import type { BeneficiaryRequest, DestinationDetails } from '../beneficiary/request.ts'
import { bankFault, findChain, tokenFault } from '../network/chain.ts'
import { findNetwork } from '../network/local.ts'
import { paymentNetworkFault } from '../network/payment.ts'
import { BANK, type Field, KEY, WALLET } from './fields.ts'
import { type Need, type Subject, type Way, waysOf } from './ways.ts'

/** A problem, with the path of its member in `beneficiary_details`. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** The part of a payout that decides what its destination needs. */
export interface Payment extends Omit<Subject, 'country'> {
  /** The country of the account. When absent, it follows from the destination. */
  readonly country?: string
}

type Details = Pick<BeneficiaryRequest, 'destination_details' | 'address' | 'tax_id'>

/**
 * The problems of a destination for this payment. None about the account when the payout does not
 * reach destinations of its type, or when it has both an IBAN and a number, or neither: other
 * checks refuse those.
 */
export function destinationFaults(details: Details, payment: Payment): Fault[] {
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
      return keyFaults(details, { ...payment, country: '', network })
    }
    default:
      return []
  }
}

/** Where networks of several currencies share a name, the key must suit the arriving currency. */
function keyFaults(details: Details, subject: Subject): Fault[] {
  const ways = waysOf(subject).map(way =>
    way.needs.filter(({ field }) => field.path === DEPOSIT_KEY),
  )
  if (ways.some(needs => needs.every(n => lacks(n, details, '').length === 0))) return []
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
  const one_account = (iban === undefined) !== (account_number === undefined)
  if (country === '' && payment.type === 'local') {
    // The missing account number or IBAN might show the country.
    if (!one_account) return []
    const message = 'country is required: a payout over a local network goes to a known country.'
    return [{ path: `${BANK}.country`, message }]
  }
  const unserved = payment.type === 'local' ? reachFaults(destination_details, payment) : []
  if (unserved.length > 0) return unserved
  const numbered = payment.type === 'local' ? country : ''
  const ways = waysOf({ ...payment, country })
  const lacking = (way: Way) => way.needs.flatMap(n => lacks(n, details, numbered))
  // Another check refuses the account.
  if (!one_account) {
    return common(ways.map(lacking)).filter(({ path }) => !ACCOUNTS.includes(path))
  }
  const sent = iban === undefined ? 'account_number' : 'iban'
  const faults = ways.filter(way => way.account === sent).map(lacking)
  const [fewest] = faults.toSorted((a, b) => a.length - b.length)
  return fewest ?? otherAccount(ways, sent, country)
}

const ACCOUNT_NUMBER = `${BANK}.account_number`
const ACCOUNTS = [ACCOUNT_NUMBER, `${BANK}.iban`]

/** The problems that all ways share. */
export function common(ways: readonly (readonly Fault[])[]): Fault[] {
  const [first = [], ...others] = ways
  return first.filter(({ path, message }) =>
    others.every(faults => faults.some(one => one.path === path && one.message === message)),
  )
}

/**
 * The network must serve every country that the destination names. Where no network is named, the
 * rail may reach more countries than this table knows.
 */
function reachFaults({ bank = {} }: DestinationDetails, { currency, network }: Payment): Fault[] {
  const named = namedCountries(bank)
  const unserved = named.find(c => findNetwork(currency, network)?.countries.includes(c) === false)
  if (unserved === undefined) return []
  const { country, iban } = bank
  const path = country !== undefined ? 'country' : iban !== undefined ? 'iban' : 'bank_codes'
  return [{ path: `${BANK}.${path}`, message: `${unserved} is not served by ${network}.` }]
}

/** The problem that the country identifies accounts by the other member. */
function otherAccount(ways: readonly Way[], sent: string, country: string): Fault[] {
  const [way] = ways
  if (way?.account === undefined) return []
  const message = `Accounts of ${country} are paid by ${way.account} here, not by ${sent}.`
  return [{ path: `${BANK}.${way.account}`, message }]
}

/**
 * The problems of one need: none of its members is present, or one has the wrong form. `country` is
 * set where a local network finds the account by its number.
 */
function lacks({ field, instead }: Need, details: Details, country: string): readonly Fault[] {
  // Most needs are a single member of any form.
  if (instead.length === 0 && !isJudged(field) && valueAt(details, field.path) !== '') return NONE
  const present = [field, ...instead].filter(({ path }) => valueAt(details, path) !== '')
  if (present.length === 0) {
    const others = instead.map(({ path }) => path.split('.').at(-1))
    const or = others.length === 0 ? '' : ` (or ${others.join(' or ')})`
    const name = field.path.split('.').at(-1)
    return [{ path: field.path, message: `${name}${or} is required: ${field.description}` }]
  }
  return present.flatMap(one => {
    if (!isJudged(one)) return []
    const { path, description } = one
    const value = valueAt(details, path)
    const form = FORMS.getOrInsertComputed(one.pattern, () => new RegExp(one.pattern))
    const bare = path === DEPOSIT_KEY ? value : value.replace(/[\s-]/g, '')
    const clabe = country === 'MX' ? bankCodeFault('clabe', bare, country) : undefined
    if ((form.test(bare) || form.test(value)) && clabe === undefined) return []
    return [{ path, message: clabe ?? `${description.replace(/\.$/, '')}; this is none.` }]
  })
}

const NONE: readonly Fault[] = []

/** Whether this file checks the form of the member. */
function isJudged({ path }: Field): boolean {
  return path === ACCOUNT_NUMBER || path === DEPOSIT_KEY
}

const DEPOSIT_KEY = `${KEY}.deposit_key`

/** A compiled expression for each pattern; the tables have some dozen. */
const FORMS = new Map<string, RegExp>()

/** The text at a path without blanks around it; '' when there is none. */
function valueAt(details: object, path: string): string {
  let value: unknown = details
  for (const name of NAMES.getOrInsertComputed(path, () => path.split('.'))) {
    value = (value as Record<string, unknown> | undefined)?.[name]
  }
  return typeof value === 'string' ? value.trim() : ''
}

/** The names in each path. There are some dozen paths. */
const NAMES = new Map<string, readonly string[]>()
