// Refuses a payout that no rail of its routes could carry: it would be taken, and then stand still.
// Pure.
import type { Account } from '../account/rules.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { nameOf } from '../id.ts'
import type { Quote } from '../quote/quote.ts'
import { routeSubject } from '../quote/rules.ts'
import { type CarriageFault, faultsOfAll } from '../rail/carriage.ts'
import { type Routed, selectRoutes } from '../rail/rules.ts'
import type { PayoutState } from './payout.ts'
import { networkOf, paidTerms } from './pricing.ts'
import { debtorOf, referenceOf } from './reference.ts'
import type { PayoutRequest } from './request.ts'

interface Priced {
  readonly beneficiary: Beneficiary
  readonly quote: Quote
  readonly routed: Routed
}

/** Refuses (400) a payout whose every route leads to a rail that cannot carry it. */
export function checkCarriage(
  state: Pick<PayoutState, 'routes' | 'carriage' | 'principals'>,
  { account_id }: Account,
  request: PayoutRequest,
  { beneficiary, quote, routed }: Priced,
): void {
  if (routed.route === null) return
  const { details } = beneficiary
  const terms = paidTerms(quote, request, details.destination_details)
  const subject = { ...routeSubject(terms, quote.destination_amount), account_id }
  const rails = selectRoutes(state.routes, subject).map(({ rail }) => rail)
  const on_behalf_of = request.on_behalf_of ?? quote.entity_id
  const faults = faultsOfAll(state.carriage, rails, {
    beneficiary_details: details,
    answers: [],
    fund_transfer_network: networkOf(quote, request),
    charge_type: quote.charge_type || (request.charge_type ?? ''),
    destination_amount: quote.destination_amount,
    destination_currency: quote.destination_currency,
    particulars: {
      purpose: request.purpose,
      transaction_description: request.transaction_description ?? '',
      reference_id: request.reference_id ?? '',
      creditor_reference: referenceOf(request),
      ultimate_debtor: debtorOf(state.principals.get(nameOf({ account_id, id: on_behalf_of }))),
    },
  })
  refuseIfAny(faults.map(fault => problemOf(fault, request)))
}

function problemOf({ member, message }: CarriageFault, request: PayoutRequest) {
  const words = `No rail of this payout can carry it: ${message}.`
  if (member === 'on_behalf_of') {
    return invalidField(request.on_behalf_of === undefined ? 'quote' : 'on_behalf_of', words)
  }
  const hint = member === 'name' ? ' Send a name in Latin letters as name or name_local.' : ''
  if (request.beneficiary !== undefined) return invalidField('beneficiary', words + hint)
  return invalidField(`beneficiary_details.${member}`, words + hint)
}
