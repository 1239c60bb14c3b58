// Makes the terms of a quote request: checks every field, applies every default, and refuses with
// all problems at once. The schema has checked shapes and types before. Pure.
import type { Account } from '../accounts/rules.ts'
import { bankingCountry } from '../parties/beneficiary/country.ts'
import type { RouteSubject } from '../rails/rules.ts'
import { invalidField, type Problem, refusal, refuseIfAny } from '../values/errors.ts'
import { findCurrency } from '../values/money/currency.ts'
import { bankFault, chainFault, chainName, findChain, tokenFault } from '../values/network/chain.ts'
import { checkCountry, isCountry } from '../values/network/country.ts'
import {
  carriageFault,
  findNetwork,
  limitFault,
  networkFault,
  networksOf,
} from '../values/network/local.ts'
import {
  foldedNetwork,
  paymentNetworkFault,
  paymentNetworksNamed,
  paymentNetworksOf,
} from '../values/network/payment.ts'
import {
  type FixedAmount,
  PAYOUT_TYPES,
  type PayoutType,
  type Quote,
  type QuoteTerms,
} from './quote.ts'
import type { QuoteRequest } from './request.ts'
import { defaultHoldingCurrency, localNetworksTo } from './rules.ts'

/** The detail object that each payout type may carry (§quote.detail); service_account has none. */
const DETAIL_OBJECTS = ['swift', 'local', 'local_payment_network', 'wallet'] as const

/**
 * The terms of a quote request. Refuses with every problem at once: unknown currencies, countries
 * and networks, a holding currency that the account lacks, details of another payout type.
 */
export function quoteTerms(request: QuoteRequest, account: Account): QuoteTerms {
  const payout_type: PayoutType = request.payout_type ?? 'local'
  const { payout_info, holding_info, destination_info } = request
  const destination_currency = destination_info?.currency ?? payout_info.currency
  const problems: Problem[] = [
    ...checkCurrency(payout_info.currency, 'payout_info.currency'),
    ...checkCurrency(destination_info?.currency, 'destination_info.currency'),
    ...checkCountry(destination_info?.country, 'destination_info.country'),
    ...checkHolding(holding_info?.currency, account, 'holding_info.currency'),
    ...DETAIL_OBJECTS.filter(name => request[name] !== undefined && name !== payout_type).flatMap(
      name => wrongDetail(name, payout_type),
    ),
    ...checkNetwork(request.local?.fund_transfer_network, destination_currency),
    ...checkPaymentNetwork(request.local_payment_network?.type, destination_currency),
    ...(payout_type === 'wallet' ? checkWallet(request) : checkBank(request)),
    ...checkReach(request),
    ...checkFixed(request),
  ]
  refuseIfAny(problems)

  const wallet_type = chainName(request.wallet?.type ?? '')
  return {
    payout_type,
    holding_currency:
      holding_info?.currency ?? defaultHoldingCurrency(account, payout_info.currency),
    payout_currency: payout_info.currency,
    // quotes/solve.ts computes it if the request fixes another amount.
    payout_amount: BigInt(payout_info.amount ?? 0),
    destination_currency,
    destination_country: countryOf(request),
    fund_transfer_network: networkName(request.local?.fund_transfer_network, destination_currency),
    payment_network: foldedNetwork(request.local_payment_network?.type ?? ''),
    wallet_type,
    wallet_network: findChain(wallet_type)?.network ?? '',
    charge_type: request.swift?.charge_type ?? '',
    entity_id: request.entity_id ?? '',
  }
}

/** The amount that a request fixes instead of the payout amount; undefined for none. */
export function fixedAmount(request: QuoteRequest): FixedAmount | undefined {
  const { payout_info, total_debit, destination_info } = request
  if (payout_info.amount !== undefined) return undefined
  if (total_debit !== undefined) return { path: 'total_debit', amount: BigInt(total_debit) }
  const path = 'destination_info.amount'
  return { path, amount: BigInt(destination_info?.amount ?? 0) }
}

/** A request fixes exactly one amount: the payout's, the total debit or the destination's. */
function checkFixed({ payout_info, total_debit, destination_info }: QuoteRequest): Problem[] {
  const others = [total_debit, destination_info?.amount].filter(amount => amount !== undefined)
  if (payout_info.amount !== undefined) {
    if (total_debit === undefined) return []
    const message = 'Send either payout_info.amount or total_debit: one amount fixes the price.'
    return [invalidField('total_debit', message)]
  }
  if (others.length === 1) return []
  const message =
    others.length === 0
      ? 'payout_info.amount is required, or total_debit or destination_info.amount in its place.'
      : 'Send payout_info.amount, or one of total_debit and destination_info.amount.'
  return [invalidField(others.length === 0 ? 'payout_info.amount' : 'total_debit', message)]
}

/** Refuses (400) an amount outside the limits of its network. */
export function checkLimits(
  quote: Pick<Quote, 'destination_currency' | 'destination_amount'>,
  network: string,
  remarks: string,
): void {
  const fault = limitFault(quote.destination_currency, network, quote.destination_amount)
  if (fault !== undefined) throw refusal('amount_out_of_range', fault, remarks)
}

/** Whether payouts of this type have no destination country: to wallets and between accounts. */
export function hasNoCountry(payout_type: string): boolean {
  return payout_type === 'wallet' || payout_type === 'service_account'
}

/** A currency must be of ISO 4217 or a known stablecoin. */
export function checkCurrency(code: string | undefined, remarks: string): Problem[] {
  if (code === undefined || findCurrency(code) !== undefined) return []
  return [{ reason: 'currency', message: `${remarks} is not a known currency code.`, remarks }]
}

/** The account must have a balance in the holding currency. */
export function checkHolding(
  code: string | undefined,
  account: Account,
  remarks: string,
): Problem[] {
  if (code === undefined) return []
  const unknown = checkCurrency(code, remarks)
  if (unknown.length > 0 || account.currencies.includes(code)) return unknown
  const message = `The account holds no ${code} balance; it holds ${account.currencies.join(', ')}.`
  return [{ reason: 'holding_currency_not_found', message, remarks }]
}

/** A local network must serve the destination currency. */
export function checkNetwork(name: string | undefined, currency: string): Problem[] {
  if (name === undefined || name === '' || findCurrency(currency) === undefined) return []
  const fault = networkFault(currency, name)
  return fault === undefined ? [] : [invalidField('local.fund_transfer_network', fault)]
}

/** A local payment network must pay in the destination currency. */
function checkPaymentNetwork(name: string | undefined, currency: string): Problem[] {
  if (name === undefined || findCurrency(currency) === undefined) return []
  const fault = paymentNetworkFault(currency, name)
  return fault === undefined ? [] : [invalidField('local_payment_network.type', fault)]
}

/** The chain must be known and carry the destination currency, which must be a token. */
function checkWallet({ wallet, payout_info, destination_info }: QuoteRequest): Problem[] {
  const type = wallet?.type ?? ''
  const unknown = type === '' ? undefined : chainFault(type)
  if (unknown !== undefined) return [invalidField('wallet.type', unknown)]
  const currency = destination_info?.currency ?? payout_info.currency
  const token = findCurrency(currency) === undefined ? undefined : tokenFault(currency, type)
  if (token === undefined) return []
  return [invalidField(`${destination_info ? 'destination' : 'payout'}_info.currency`, token)]
}

/** No bank receives a token. An account of this installation does. */
function checkBank({ payout_type, payout_info, destination_info }: QuoteRequest): Problem[] {
  if (payout_type === 'service_account') return []
  const fault = bankFault(destination_info?.currency ?? payout_info.currency)
  if (fault === undefined) return []
  return [invalidField(`${destination_info ? 'destination' : 'payout'}_info.currency`, fault)]
}

/** The networks that the request allows; none for a payout type without local networks. */
function candidateNetworks({ payout_type = 'local', ...request }: QuoteRequest) {
  const currency = request.destination_info?.currency ?? request.payout_info.currency
  switch (payout_type) {
    case 'local': {
      const name = request.local?.fund_transfer_network?.toLowerCase()
      return networksOf(currency).filter(known => name === undefined || known.name === name)
    }
    case 'local_payment_network': {
      const name = request.local_payment_network?.type
      const known = name === undefined ? undefined : paymentNetworksNamed(name)
      return paymentNetworksOf(currency).filter(one => known?.includes(one) !== false)
    }
    default:
      return []
  }
}

/** The named network, or any network of the payout type, must serve the request's country. */
function checkReach(request: QuoteRequest): Problem[] {
  const country = request.destination_info?.country
  if (country !== undefined && !isCountry(country)) return []
  if ((request.payout_type ?? 'local') === 'local' && request.local === undefined) {
    const currency = request.destination_info?.currency ?? request.payout_info.currency
    // `checkCurrency` and `checkBank` refuse a currency that is unknown, or that no bank receives.
    if (findCurrency(currency) === undefined || bankFault(currency) !== undefined) return []
    const fault = carriageFault(currency, country ?? '')
    return fault === undefined ? [] : [invalidField('payout_type', fault)]
  }
  const networks = candidateNetworks(request)
  if (country === undefined || networks.length === 0) return []
  if (networks.some(({ countries }) => countries.includes(country))) return []
  const names = networks.map(({ name }) => name).join(', ')
  return [invalidField('destination_info.country', `${country} is not served by ${names}.`)]
}

/**
 * The country of the beneficiary's bank: the request's, or the only country that the allowed
 * networks serve. Wallets and accounts of this installation have none, even if the request has one.
 */
function countryOf(request: QuoteRequest): string {
  const { payout_type = 'local', destination_info } = request
  if (hasNoCountry(payout_type)) return ''
  if (destination_info !== undefined) return bankingCountry(destination_info.country)
  const served = candidateNetworks(request).flatMap(network => network.countries)
  const countries = [...new Set(served.map(bankingCountry))]
  return countries.length === 1 ? (countries[0] ?? '') : ''
}

/**
 * The networks that a payout may take: its named network, or every local network of its currency
 * and country. Rules about a network judge all of them, so that no payer avoids a rule by leaving
 * the name out.
 */
export function possibleNetworks(
  subject: Pick<RouteSubject, 'payout_type' | 'network' | 'currency' | 'country'>,
): readonly string[] {
  const { payout_type, network, currency, country } = subject
  if (network !== '' || payout_type !== 'local') return [network]
  return localNetworksTo(currency, country)
}

/** The canonical name of a network; '' for none. */
export function networkName(name: string | undefined, currency: string): string {
  return name === undefined ? '' : (findNetwork(currency, name)?.name ?? '')
}

/** The problem of a detail that belongs to another payout type. */
export function wrongDetail(name: string, payout_type: PayoutType): Problem[] {
  // The schema has already refused an unknown type.
  if (!PAYOUT_TYPES.includes(payout_type)) return []
  const message = `${name} does not belong to a payout of type ${payout_type}.`
  return [{ reason: 'type_mismatch', message, remarks: name }]
}
