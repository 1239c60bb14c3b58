// The order that a connector gets for an attempt. It is made only of the payout's unchanging
// members, so that a repeat is the same to the letter. Pure.
import type { Static } from 'typebox'
import type { RailPayout } from '../../rails/rail.ts'
import type { Order as OrderSchema } from './protocol.ts'

export type Order = Static<typeof OrderSchema>

export function orderOf(payout: RailPayout): Order {
  const { attempt } = payout
  const {
    destination: _d,
    status: _s,
    reference_id: _r,
    metadata: _m,
    ...beneficiary
  } = payout.beneficiary_details
  return {
    payout: payout.id,
    account: payout.account_id,
    attempt: attempt.number,
    uetr: attempt.uetr,
    type: payout.type,
    amount: payout.destination_amount.toString(),
    currency: payout.destination_currency,
    network: payout.fund_transfer_network,
    charge_type: payout.charge_type,
    ...payout.particulars,
    beneficiary,
    created_at: payout.created_at,
  }
}
