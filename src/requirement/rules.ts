// A destination held against what its payout type, currency, country and network ask for. Pure; the
// members themselves are held against their standards by the beneficiary room.
import { bankCodeFault } from '../beneficiary/bank-code.ts'
import { destinationCountry, namedCountries } from '../beneficiary/country.ts'
import type { BeneficiaryRequest, DestinationDetails } from '../beneficiary/request.ts'
import { bankFault, findChain, tokenFault } from '../network/chain.ts'
import { findNetwork } from '../network/local.ts'
import { paymentNetworkFault } from '../network/payment.ts'
import type { PayoutType } from '../quote/quote.ts'
import { BANK, type Field, KEY, WALLET } from './fields.ts'
import { type Need, type Subject, type Way, waysOf } from './ways.ts'

/** What is wrong, by the path of the member in `beneficiary_details`. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** What a payout knows of itself. */
export interface Payment {
  readonly type: PayoutType
  /** The currency that arrives. */
  readonly currency: string
  /** The local network; '' for whichever it will be. */
  readonly network: string
  /** Of the account, when the members do not agree on one; absent, they tell. */
  readonly country?: string
}

type Details = Pick<BeneficiaryRequest, 'destination_details' | 'address' | 'tax_id'>

/**
 * What a destination lacks to be paid so. Of one whose type the payout does not reach, or whose
 * account is not named in one way, nothing of the account: that is refused by itself.
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

/** Where a network's name pays in several currencies, the key is of the one that arrives. */
function keyFaults(details: Details, subject: Subject): Fault[] {
  const ways = waysOf(subject).map(way => way.needs.filter(({ field }) => isKey(field)))
  if (ways.some(needs => needs.every(n => lacks(n, details, '').length === 0))) return []
  const message = 'Not a key of this network in the currency that arrives.'
  return [{ path: `${KEY}.deposit_key`, message }]
}

function isKey({ path }: Field): boolean {
  return path === `${KEY}.deposit_key`
}

function bankFaults(details: Details, payment: Payment): Fault[] {
  const { destination_details } = details
  // What SWIFT carries is for MT103 to say, of both of its currencies.
  const token = payment.type === 'local' ? bankFault(payment.currency) : undefined
  if (token !== undefined) return [{ path: `${BANK}.currency`, message: token }]
  const { iban, account_number } = destination_details.bank ?? {}
  const country = payment.country ?? destinationCountry(destination_details)
  const one_account = (iban === undefined) !== (account_number === undefined)
  if (country === '' && payment.type === 'local') {
    // The account that is missing may tell it.
    if (!one_account) return []
    const message = 'country is required: a payout over a local network goes to a known country.'
    return [{ path: `${BANK}.country`, message }]
  }
  const unserved = payment.type === 'local' ? reachFaults(destination_details, payment) : []
  if (unserved.length > 0) return unserved
  const numbered = payment.type === 'local' ? country : ''
  const ways = waysOf({ ...payment, country })
  const lacking = (way: Way) => way.needs.flatMap(n => lacks(n, details, numbered))
  // The account itself is refused by itself.
  if (!one_account) {
    return common(ways.map(lacking)).filter(({ path }) => !ACCOUNTS.includes(path))
  }
  const sent = iban === undefined ? 'account_number' : 'iban'
  const [fitting] = ways
    .filter(way => way.account === sent)
    .map(lacking)
    .sort((one, other) => one.length - other.length)
  if (fitting === undefined) return otherAccount(ways, sent, country)
  return fitting
}

const ACCOUNTS = [`${BANK}.account_number`, `${BANK}.iban`]

/** What is wrong in every way. */
export function common(ways: readonly (readonly Fault[])[]): Fault[] {
  const [first = [], ...others] = ways
  return first.filter(({ path, message }) =>
    others.every(faults => faults.some(one => one.path === path && one.message === message)),
  )
}

/**
 * Every country that is named must be one that the network serves. Where none is named, whoever
 * takes the payout may reach more than is known here.
 */
function reachFaults({ bank = {} }: DestinationDetails, { currency, network }: Payment): Fault[] {
  const named = namedCountries(bank)
  const unserved = named.find(c => findNetwork(currency, network)?.countries.includes(c) === false)
  if (unserved === undefined) return []
  const { country, iban } = bank
  const path = country !== undefined ? 'country' : iban !== undefined ? 'iban' : 'bank_codes'
  return [{ path: `${BANK}.${path}`, message: `${unserved} is not served by ${network}.` }]
}

/** That accounts there are named in another way. */
function otherAccount(ways: readonly Way[], sent: string, country: string): Fault[] {
  const [way] = ways
  if (way?.account === undefined) return []
  const message = `Accounts of ${country} are paid by ${way.account} here, not by ${sent}.`
  return [{ path: `${BANK}.${way.account}`, message }]
}

/**
 * What one need lacks: any of its members, or one of the right form. `country` is the one whose
 * networks find the account by its number.
 */
function lacks({ field, instead }: Need, details: Details, country: string): Fault[] {
  const present = [field, ...instead].filter(({ path }) => valueAt(details, path) !== '')
  if (present.length === 0) {
    const others = instead.map(({ path }) => path.split('.').at(-1))
    const or = others.length === 0 ? '' : ` (or ${others.join(' or ')})`
    const name = field.path.split('.').at(-1)
    return [{ path: field.path, message: `${name}${or} is required: ${field.description}` }]
  }
  return present.flatMap(({ path, pattern, description }) => {
    if (path !== `${BANK}.account_number` && path !== `${KEY}.deposit_key`) return []
    const value = valueAt(details, path)
    const form = new RegExp(pattern)
    const bare = path === `${KEY}.deposit_key` ? value : value.replace(/[\s-]/g, '')
    const clabe = country === 'MX' ? bankCodeFault('clabe', bare, country) : undefined
    if ((form.test(bare) || form.test(value)) && clabe === undefined) return []
    return [{ path, message: clabe ?? `${description.replace(/\.$/, '')}; this is none.` }]
  })
}

/** The text at a path, '' when there is none; blanks are none. */
function valueAt(details: object, path: string): string {
  let names = NAMES.get(path)
  if (names === undefined) {
    names = path.split('.')
    NAMES.set(path, names)
  }
  let value: unknown = details
  for (const name of names) {
    value = (value as Record<string, unknown> | undefined)?.[name]
  }
  return typeof value === 'string' ? value.trim() : ''
}

/** The names in each path, of which there are some dozen. */
const NAMES = new Map<string, readonly string[]>()
