// The country of a destination, which selects fees, routes and networks. It comes from the most
// reliable member, the IBAN first, so that a caller changes no price by leaving out a member or by
// another form of it.
import { invalidField, type Problem } from '../../values/errors.ts'
import { isCountry } from '../../values/network/country.ts'
import { findNetwork } from '../../values/network/local.ts'
import { paymentNetworksNamed } from '../../values/network/payment.ts'
import { AMERICAN_TERRITORIES, BIC_NAMES, bicCountry, electronicForm } from './bank-code.ts'
import { ibanCountry, ibanServes } from './iban.ts'
import type { DestinationDetails } from './request.ts'

type Bank = NonNullable<DestinationDetails['bank']>

/**
 * The country of a country's banks. Accounts in some territories have another country's IBANs or
 * routing numbers, which do not show the territory. Such a territory gives that country, so that a
 * stated territory does not choose the price.
 */
export function bankingCountry(country: string): string {
  return AMERICAN_TERRITORIES.includes(country) ? 'US' : ibanCountry(country)
}

/**
 * The country of a destination; '' when it is unknown. A bank account has the country of its IBAN,
 * of its BIC or the stated one, in this order. A local payment network has the only country that it
 * serves in `currency`, or in any currency for ''. Wallets and accounts of this installation have
 * none.
 */
export function destinationCountry(
  { type, bank, local_payment_network }: DestinationDetails,
  currency = '',
): string {
  if (type === 'bank') return bank === undefined ? '' : bankCountry(bank)
  if (type !== 'local_payment_network' || local_payment_network === undefined) return ''
  const served = paymentNetworksNamed(local_payment_network.type)
    .filter(network => currency === '' || network.currency === currency)
    .flatMap(network => network.countries)
  return served.length === 1 ? (served[0] ?? '') : ''
}

/**
 * Whether the destination may be in this country: it is there, or its country is unknown. A local
 * payment network may be in each country that it serves, a wallet in any country, and an account of
 * this installation in none.
 */
export function mayBeIn(country: string, destination: DestinationDetails): boolean {
  const { type, local_payment_network: network } = destination
  if (type === 'local_payment_network' && network !== undefined) {
    return paymentNetworksNamed(network.type).some(one => one.countries.includes(country))
  }
  const is_in = destinationCountry(destination)
  return is_in === country || (is_in === '' && type !== 'service_account')
}

function bankCountry({ iban, bank_codes = {}, country = '' }: Bank): string {
  if (iban !== undefined) return electronicForm(iban).slice(0, 2)
  const [bic] = bicsOf(bank_codes)
  return bankingCountry(bic?.country ?? country)
}

/** Every country that a bank destination names, territories included. */
export function namedCountries({ iban, bank_codes = {}, country }: Bank): string[] {
  const named = [
    ...(iban === undefined ? [] : [electronicForm(iban).slice(0, 2)]),
    ...bicsOf(bank_codes).map(bic => bic.country),
    ...(country === undefined ? [] : [country]),
  ]
  return [...new Set(named)]
}

function bicsOf(codes: NonNullable<Bank['bank_codes']>) {
  return BIC_NAMES.flatMap(name => {
    const country = codes[name] === undefined ? undefined : bicCountry(codes[name])
    return country === undefined ? [] : [{ name, country }]
  })
}

/** The problems when the countries of the IBAN, the BICs and `country` do not agree. */
export function checkCountries(bank: Bank, path: string): Problem[] {
  const { iban: sent, bank_codes = {}, country } = bank
  const iban = sent === undefined ? undefined : electronicForm(sent)
  const bics = bicsOf(bank_codes)
  const stated = country !== undefined && isCountry(country) ? country : undefined
  const problems: Problem[] = []
  if (iban !== undefined) {
    const iban_country = iban.slice(0, 2)
    // Check digits protect the country of the IBAN, so the other country is wrong.
    if (stated !== undefined && !ibanServes(iban, stated)) {
      const message = `The IBAN is of ${iban_country}, the country is ${stated}.`
      problems.push(invalidField(`${path}.country`, message))
    }
    for (const bic of bics.filter(bic => !bicServes(bic.country, iban_country))) {
      const message = `The IBAN is of ${iban_country}, the BIC is of ${bic.country}.`
      problems.push(invalidField(`${path}.bank_codes.${bic.name}`, message))
    }
    return problems
  }
  const [first, second] = bics
  if (
    first !== undefined &&
    second !== undefined &&
    !sameBankingCountry(first.country, second.country)
  ) {
    const [one, other] = [first.country, second.country]
    const message = `The BIC in ${first.name} is of ${one}, that in ${second.name} of ${other}.`
    problems.push(invalidField(`${path}.bank_codes.${second.name}`, message))
  }
  if (first !== undefined && stated !== undefined && !sameBankingCountry(first.country, stated)) {
    const message = `The BIC in ${first.name} is of ${first.country}, the country is ${stated}.`
    problems.push(invalidField(`${path}.country`, message))
  }
  return problems
}

/** Warnings for a person: within SEPA, the BIC may be of another country than the IBAN. */
export function countryWarnings({ iban, bank_codes = {} }: Bank): string[] {
  const of = iban === undefined ? '' : electronicForm(iban).slice(0, 2)
  const others = bicsOf(bank_codes).filter(({ country }) => !sameBankingCountry(country, of))
  if (of === '') return []
  return others.map(
    ({ name, country }) =>
      `The IBAN is of ${of}, the BIC in ${name} is of ${country}: the IBAN decides where the ` +
      'money goes.',
  )
}

function sameBankingCountry(one: string, other: string): boolean {
  return bankingCountry(one) === bankingCountry(other)
}

/** Denmark's banks keep accounts with IBANs of the Faroe Islands and Greenland, and they of it. */
const DANISH = ['DK', 'FO', 'GL']

/**
 * Whether a bank with a BIC of one country may keep an account with an IBAN of the other. Within
 * SEPA it may: a bank licensed in one country opens accounts in the others, and the IBAN alone
 * decides. Source: European Payments Council, "IBAN and BIC relation". `bankingCountry` knows the
 * territories.
 */
function bicServes(bic_country: string, iban_country: string): boolean {
  const both = [bankingCountry(bic_country), iban_country]
  if (both[0] === both[1]) return true
  const sepa = findNetwork('EUR', 'sepa')?.countries ?? []
  return [sepa, DANISH].some(area => both.every(country => area.includes(country)))
}
