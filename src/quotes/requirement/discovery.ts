// GET /v3/payout/requirements: checks the query, and presents a destination's alternatives. Pure.
import { bankingCountry } from '../../parties/beneficiary/country.ts'
import { invalidParameter, refuseIfAny } from '../../values/errors.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { bankFault, chainFault, findChain, tokenFault } from '../../values/network/chain.ts'
import { isCountry } from '../../values/network/country.ts'
import { QR_IBAN_PATTERN, REFERENCE_PATTERN } from '../../values/network/creditor-reference.ts'
import { carriageFault, type Network, networkFault } from '../../values/network/local.ts'
import {
  type PaymentNetwork,
  paymentNetworkFault,
  paymentNetworkName,
  paymentNetworksOf,
} from '../../values/network/payment.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { hasNoCountry } from '../terms.ts'
import {
  type Alternative,
  alternativesOf,
  matchingChains,
  matchingLocalNetworks,
  matchingPaymentNetworks,
  type Subject,
} from './alternatives.ts'
import type { Field } from './fields.ts'
import type { RequirementsQuery } from './request.ts'
import { presentNetwork } from './response.ts'

/** Reads the query. Refuses with every problem at once (400 invalid_query_parameter). */
export function readSubject(query: RequirementsQuery): Subject {
  const { type = 'local', currency = '', country = '', network = '' } = query
  const subject = { type, currency, country: bankingCountry(country), network }
  const faults = {
    currency: currencyFault(subject),
    country: countryFault(subject, country),
    network: networkNameFault(subject),
  }
  refuseIfAny(
    Object.entries(omitUndefined(faults)).map(([name, fault]) => invalidParameter(name, fault)),
  )
  if (alternativesOf(subject).length === 0) {
    const message = `${country} is not served in ${currency || 'this way'}.`
    const carriage =
      type === 'local' && network === '' ? carriageFault(currency, subject.country) : undefined
    refuseIfAny([invalidParameter('country', carriage ?? message)])
  }
  return { ...subject, network: nameOf(subject) }
}

function currencyFault({ type, currency, network }: Subject): string | undefined {
  if (currency === '') {
    return type === 'local' ? 'currency is required of local payouts.' : undefined
  }
  if (findCurrency(currency) === undefined) return 'currency is not a known currency code.'
  switch (type) {
    case 'wallet':
      return tokenFault(currency, network)
    case 'local_payment_network': {
      const pays = paymentNetworksOf(currency).length > 0
      return pays ? undefined : `No local payment network pays in ${currency}.`
    }
    case 'swift':
      return bankFault(currency)
    case 'local':
      return bankFault(currency) ?? carriageFault(currency, '')
    default:
      return undefined
  }
}

function countryFault({ type }: Subject, country: string): string | undefined {
  if (country === '') return undefined
  if (hasNoCountry(type)) return `A ${type} has no country: leave country out.`
  return isCountry(country) ? undefined : 'country is not an ISO 3166-1 alpha-2 country code.'
}

function networkNameFault({ type, currency, network }: Subject): string | undefined {
  if (network === '') return undefined
  switch (type) {
    case 'local':
      return currency === '' ? undefined : networkFault(currency, network)
    case 'local_payment_network':
      return paymentNetworkFault(currency, network)
    case 'wallet':
      return chainFault(network)
    default:
      return `A payout of type ${type} names no network.`
  }
}

function nameOf({ type, network }: Subject): string {
  if (type === 'local_payment_network') return network && paymentNetworkName(network)
  return type === 'wallet' ? (findChain(network)?.type ?? '') : network.toLowerCase()
}

/** The `data` of the answer. */
export function presentRequirements(subject: Subject) {
  return {
    object: 'payout_requirements',
    ...subject,
    alternatives: alternativesOf(subject).map(presentAlternative),
    networks: networksShown(subject),
    purpose: { codes: [], pattern: '\\S', max_length: 64 },
    creditor_reference: referenceNeeds(subject),
  }
}

/** Bank accounts take a reference. A QR-IBAN, of Switzerland or Liechtenstein, needs one. */
function referenceNeeds({ type, country }: Subject) {
  if (type !== 'local' && type !== 'swift') return { pattern: '', required_for: '' }
  const has_qr_ibans = ['', 'CH', 'LI'].includes(country)
  return { pattern: REFERENCE_PATTERN, required_for: has_qr_ibans ? QR_IBAN_PATTERN : '' }
}

function presentAlternative({ name, countries, networks, needs, optional }: Alternative) {
  return {
    name,
    countries,
    networks,
    fields: [
      ...needs.map(({ field, instead }) => ({ ...field, required: true, or: instead })),
      ...optional.map(field => ({ ...field, required: false, or: [] })),
    ],
    example: exampleOf(needs.map(({ field }) => field)),
  }
}

/** An example of `beneficiary_details` with the examples of these fields. */
export function exampleOf(fields: readonly Field[]): object {
  const details = {}
  for (const { path, example } of fields) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    let place: Record<string, unknown> = details
    for (const name of names) {
      place[name] ??= {}
      place = place[name] as Record<string, unknown>
    }
    place[last] = example
  }
  return details
}

function networksShown(subject: Subject) {
  switch (subject.type) {
    case 'local':
      return matchingLocalNetworks(subject).map(presentLocal)
    case 'local_payment_network':
      return matchingPaymentNetworks(subject).map(presentLocal)
    case 'wallet':
      return matchingChains(subject).map(({ type: name, title, currencies }) =>
        presentNetwork({ name, title, currencies, countries: [] }),
      )
    default:
      return []
  }
}

function presentLocal({ currency, ...network }: PaymentNetwork | Network) {
  return presentNetwork({ ...network, currencies: [currency] })
}
