// From a payout request to quote terms, and a request held against its quote. Pure; shape and types
// have been judged by the schema before.
import type { Account } from '../account/rules.ts'
import { destinationCountry } from '../beneficiary/country.ts'
import type { DestinationDetails } from '../beneficiary/request.ts'
import { checkDetails } from '../beneficiary/rules.ts'
import { type Problem, refusal, refuseIfAny } from '../errors.ts'
import { findChain } from '../network/chain.ts'
import { type Fee, selectFee } from '../price/fee/rules.ts'
import type { Quote, QuoteTerms } from '../quote/quote.ts'
import { defaultHoldingCurrency, feeSubject } from '../quote/rules.ts'
import {
  checkCurrency,
  checkHolding,
  checkNetwork,
  networkName,
  wrongDetail,
} from '../quote/terms.ts'
import { inlineProblems } from './destination.ts'
import type { PayoutRequest } from './request.ts'

/** Every problem with the fields of the request at once (400). */
export function checkRequest(request: PayoutRequest, account: Account): void {
  const { currency, holding_currency, beneficiary, beneficiary_details } = request
  const problems = [
    ...checkCurrency(currency, 'currency'),
    ...checkHolding(holding_currency, account, 'holding_currency'),
    ...checkOneBeneficiary(beneficiary, beneficiary_details),
    ...(beneficiary_details === undefined
      ? []
      : checkDetails(beneficiary_details, 'beneficiary_details')),
    // With a quote, the details are judged when the quote is known.
    ...(request.quote === undefined ? checkTypeDetails(request) : []),
  ]
  const lacking = request.quote === undefined ? inlineProblems(request, problems) : []
  refuseIfAny([...problems, ...lacking])
}

function checkOneBeneficiary(id: unknown, details: unknown): Problem[] {
  if ((id === undefined) !== (details === undefined)) return []
  return [
    {
      reason: 'beneficiary_missing',
      message: 'Send exactly one of beneficiary and beneficiary_details.',
      remarks: 'beneficiary',
    },
  ]
}

/** Details must belong to the payout type, and a network to the currency that arrives. */
function checkTypeDetails(request: PayoutRequest, quote?: Quote): Problem[] {
  const type = request.type ?? quote?.payout_type ?? 'local'
  const problems: Problem[] = []
  if (request.local !== undefined && type !== 'local') {
    problems.push(...wrongDetail('local', type))
  }
  if (request.charge_type !== undefined && type !== 'swift') {
    problems.push(...wrongDetail('charge_type', type))
  }
  const destination =
    quote?.destination_currency ??
    request.beneficiary_details?.destination_details.bank?.currency ??
    request.currency
  // Where a known beneficiary receives is seen when it has been read: termsWithoutQuote.
  if (quote === undefined && request.beneficiary !== undefined) return problems
  return [...problems, ...checkNetwork(request.local?.fund_transfer_network, destination)]
}

/**
 * The terms of a payout made without a quote. The beneficiary's bank or wallet may name the
 * currency and country in which it receives; otherwise funds arrive in the payout currency.
 */
export function termsWithoutQuote(
  request: PayoutRequest,
  account: Account,
  destination: DestinationDetails,
): QuoteTerms {
  const { bank, wallet, local_payment_network } = destination
  const destination_currency = bank?.currency ?? wallet?.currency ?? request.currency
  const network = request.local?.fund_transfer_network
  const wallet_type = wallet?.type ?? ''
  refuseIfAny(checkNetwork(network, destination_currency))
  return {
    payout_type: request.type ?? 'local',
    holding_currency: request.holding_currency ?? defaultHoldingCurrency(account, request.currency),
    payout_currency: request.currency,
    payout_amount: BigInt(request.amount),
    destination_currency,
    destination_country: destinationCountry(destination, destination_currency),
    fund_transfer_network: networkName(network, destination_currency),
    payment_network: local_payment_network?.type ?? '',
    wallet_type,
    wallet_network: findChain(wallet_type)?.network ?? '',
    charge_type: request.charge_type ?? '',
    entity_id: request.on_behalf_of ?? '',
  }
}

/**
 * Refuses a payout that differs from its quote, naming every member with both values
 * (§payout.quoted). What the request leaves out is the quote's; what the quote left open, the
 * request may still say.
 */
export function checkMatches(
  quote: Quote,
  request: PayoutRequest,
  destination: DestinationDetails,
): void {
  const network = request.local?.fund_transfer_network
  const compared: readonly Compared[] = [
    ['amount', BigInt(request.amount), quote.payout_amount],
    ['currency', request.currency, quote.payout_currency],
    ['type', request.type, quote.payout_type],
    ['holding_currency', request.holding_currency, quote.holding_currency],
    ['charge_type', request.charge_type, quote.charge_type],
    ['local.fund_transfer_network', network?.toLowerCase(), quote.fund_transfer_network],
    ['on_behalf_of', request.on_behalf_of, quote.entity_id],
  ]
  const inline = request.beneficiary === undefined
  refuseIfAny([
    ...compared.flatMap(([member, ...values]) => differing(member, member, ...values)),
    ...receiving(quote, destination).flatMap(([member, ...values]) => {
      const path = `beneficiary_details.destination_details.${member}`
      return inline
        ? differing(path, path, ...values)
        : differing('beneficiary', `destination_details.${member} of the beneficiary`, ...values)
    }),
    ...checkTypeDetails(request, quote),
  ])
}

/** A member, what was sent of it, and what was quoted; '' and undefined are "not said". */
type Compared = readonly [member: string, sent: unknown, quoted: unknown]

/** Where the money goes: currency and country of the destination, wallet and payment network. */
function receiving(quote: Quote, destination: DestinationDetails): Compared[] {
  const { bank, wallet, local_payment_network } = destination
  const country = destinationCountry(destination)
  const lower = (name: string | undefined) => name?.toLowerCase()
  const chain = (name: string | undefined) => findChain(name ?? '')?.type ?? lower(name)
  return [
    ['bank.currency', bank?.currency, quote.destination_currency],
    ['bank.country', bank && (country || undefined), quote.destination_country],
    ['wallet.type', chain(wallet?.type), chain(quote.wallet_type)],
    ['wallet.currency', wallet?.currency, quote.destination_currency],
    [
      'local_payment_network.type',
      lower(local_payment_network?.type),
      lower(quote.payment_network),
    ],
  ]
}

function differing(remarks: string, what: string, sent: unknown, quoted: unknown): Problem[] {
  if (sent === undefined || quoted === '' || sent === quoted) return []
  const message = `${what} is ${sent} but the quote's is ${quoted}.`
  return [{ reason: 'quote_mismatch', message, remarks }]
}

/** The terms with what a quote left open and the payout says: network, charges, country. */
export function paidTerms<Terms extends QuoteTerms>(
  terms: Terms,
  request: PayoutRequest,
  destination: DestinationDetails,
): Terms {
  const { wallet, local_payment_network } = destination
  return {
    ...terms,
    destination_country:
      destinationCountry(destination, terms.destination_currency) || terms.destination_country,
    fund_transfer_network: request.local?.fund_transfer_network ?? terms.fund_transfer_network,
    payment_network: local_payment_network?.type ?? terms.payment_network,
    wallet_type: wallet?.type ?? terms.wallet_type,
    charge_type: request.charge_type ?? terms.charge_type,
  }
}

/**
 * What the quote left open or did not know may be said now, but not to be paid at a fee that
 * belongs to something else.
 */
export function checkSameFee(
  quote: Quote,
  request: PayoutRequest,
  destination: DestinationDetails,
  fees: readonly Fee[],
): void {
  const actual = paidTerms(quote, request, destination)
  if (selectFee(fees, feeSubject(actual)) === selectFee(fees, feeSubject(quote))) return
  const message =
    'Another fee applies to this network, charge type or country than the quote was priced with; ' +
    'ask for a quote that names them.'
  throw refusal('quote_mismatch', message, 'quote')
}
