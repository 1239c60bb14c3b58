// Checks the fields of a payout request by themselves, before anything is read. Pure.
import type { Account } from '../../accounts/rules.ts'
import { checkDetails, testBicProblems } from '../../parties/beneficiary/rules.ts'
import type { Quote } from '../../quotes/quote.ts'
import { checkCurrency, checkHolding, checkNetwork, wrongDetail } from '../../quotes/terms.ts'
import { type Problem, refuseIfAny } from '../../values/errors.ts'
import type { PayoutRequest } from '../request.ts'
import { scheduleProblems } from '../schedule.ts'
import { inlineProblems } from './destination.ts'
import { referenceProblems } from './reference.ts'

/** Refuses (400) with every problem of the request's fields at once. */
export function checkRequest(request: PayoutRequest, account: Account): void {
  const { currency, holding_currency, beneficiary, beneficiary_details } = request
  const problems = [
    ...checkCurrency(currency, 'currency'),
    ...checkHolding(holding_currency, account, 'holding_currency'),
    ...checkOneBeneficiary(beneficiary, beneficiary_details),
    ...referenceProblems(request, beneficiary_details),
    ...(beneficiary_details === undefined
      ? []
      : [
          ...checkDetails(beneficiary_details, 'beneficiary_details'),
          ...testBicProblems(beneficiary_details, account, 'beneficiary_details.'),
        ]),
    // `checkMatches` compares a request that names a quote with that quote.
    ...(request.quote === undefined ? checkTypeDetails(request) : []),
  ]
  const unmet = request.quote === undefined ? inlineProblems(request, problems) : []
  refuseIfAny([...problems, ...unmet])
}

function checkOneBeneficiary(id: unknown, details: unknown): Problem[] {
  if ((id === undefined) !== (details === undefined)) return []
  const message = 'Send exactly one of beneficiary and beneficiary_details.'
  return [{ reason: 'beneficiary_missing', message, remarks: 'beneficiary' }]
}

/**
 * The problems of members that do not belong to the payout type, and of a network that does not
 * carry the currency that arrives.
 */
export function checkTypeDetails(request: PayoutRequest, quote?: Quote): Problem[] {
  const type = request.type ?? quote?.payout_type ?? 'local'
  const problems: Problem[] = scheduleProblems(request, type)
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
  // The currency of a named beneficiary is not read yet, so pricing.ts checks the network.
  if (quote === undefined && request.beneficiary !== undefined) return problems
  return [...problems, ...checkNetwork(request.local?.fund_transfer_network, destination)]
}
