// From a quote request to its terms: every field checked, every default applied, all problems named
// at once. Pure; shape and types have been judged by the schema before.
import type { Account } from '../account/rules.ts'
import { type Problem, refuseIfAny } from '../errors.ts'
import { findCurrency } from '../money/currency.ts'
import { checkCountry } from '../party/rules.ts'
import { findChain, findNetwork, networksOf } from '../rail/network.ts'
import { defaultHoldingCurrency, PAYOUT_TYPES, type PayoutType, type QuoteTerms } from './rules.ts'
import type { QuoteRequest } from './wire.ts'

/** The detail object that each payout type may carry (contract 9); service_account has none. */
const DETAIL_OBJECTS = ['swift', 'local', 'local_payment_network', 'wallet'] as const

/**
 * The terms a quote request asks for. Refuses with every problem at once: unknown currencies and
 * countries, a holding currency the account lacks, details of another payout type, unknown
 * networks.
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
  ]
  refuseIfAny(problems)

  const wallet_type = request.wallet?.type ?? ''
  return {
    payout_type,
    holding_currency:
      holding_info?.currency ?? defaultHoldingCurrency(account, payout_info.currency),
    payout_currency: payout_info.currency,
    payout_amount: BigInt(payout_info.amount),
    destination_currency,
    destination_country: destination_info?.country ?? '',
    fund_transfer_network: networkName(request.local?.fund_transfer_network, destination_currency),
    payment_network: request.local_payment_network?.type ?? '',
    wallet_type,
    wallet_network: findChain(wallet_type)?.network ?? '',
    charge_type: request.swift?.charge_type ?? '',
    entity_id: request.entity_id ?? '',
  }
}

/** No problem for a currency of ISO 4217 or one of the stablecoins; absent is fine. */
export function checkCurrency(code: string | undefined, remarks: string): Problem[] {
  if (code === undefined || findCurrency(code) !== undefined) return []
  return [{ reason: 'currency', message: `${remarks} is not a known currency code.`, remarks }]
}

/** The holding currency must be one of the account's balances. */
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
  if (findNetwork(currency, name) !== undefined) return []
  const known = networksOf(currency).map(network => network.name)
  const hint = known.length > 0 ? `known ones are ${known.join(', ')}` : 'none is known'
  const message = `No such local network for ${currency}; ${hint}.`
  return [{ reason: 'invalid_field', message, remarks: 'local.fund_transfer_network' }]
}

/** The network's name as the table spells it. */
export function networkName(name: string | undefined, currency: string): string {
  return name === undefined ? '' : (findNetwork(currency, name)?.name ?? '')
}

/** That this detail is of another type than the payout. */
export function wrongDetail(name: string, payout_type: PayoutType): Problem[] {
  // A type that the schema has refused says nothing about details, and is not repeated.
  if (!PAYOUT_TYPES.includes(payout_type)) return []
  const message = `${name} does not belong to a payout of type ${payout_type}.`
  return [{ reason: 'type_mismatch', message, remarks: name }]
}
