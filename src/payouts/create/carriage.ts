// Refuses a payout that no rail of its routes could carry: it would be taken, and then stand still.
// Pure.

import { routeSubject } from '../../quotes/rules.ts'
import { faultsOfAll, type PayeeFault } from '../../rails/carriage.ts'
import { selectRoutes } from '../../rails/rules.ts'
import { invalidField, refuseIfAny } from '../../values/errors.ts'
import type { Intent, PayoutState, PricedPayout } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { particularsOf } from './reference.ts'

/** Refuses (400) a payout whose every route leads to a rail that cannot carry it. */
export function checkCarriage(
  state: Pick<PayoutState, 'routes' | 'carriage' | 'principals'>,
  intent: Intent,
  { beneficiary, quote, paid, routed }: PricedPayout,
): void {
  if (routed.route === null) return
  const { account_id } = intent
  const subject = { ...routeSubject(paid, quote.destination_amount), account_id }
  const rails = selectRoutes(state.routes, subject).map(({ rail }) => rail)
  const { fund_transfer_network, charge_type } = paid
  const faults = faultsOfAll(state.carriage, rails, {
    ...{ fund_transfer_network, charge_type },
    beneficiary_details: beneficiary.details,
    answers: [],
    destination_amount: quote.destination_amount,
    destination_currency: quote.destination_currency,
    particulars: particularsOf(state, intent),
  })
  refuseIfAny(faults.map(fault => problemOf(fault, intent.request)))
}

function problemOf({ member, message }: PayeeFault, request: PayoutRequest) {
  const words = `No rail of this payout can carry it: ${message}.`
  if (member === 'on_behalf_of') {
    return invalidField(request.on_behalf_of === undefined ? 'quote' : 'on_behalf_of', words)
  }
  if (member === 'amount') return invalidField('amount', words)
  const hint = member === 'name' ? ' Send a name in Latin letters as name or name_local.' : ''
  if (request.beneficiary !== undefined) return invalidField('beneficiary', words + hint)
  return invalidField(`beneficiary_details.${member}`, words + hint)
}
