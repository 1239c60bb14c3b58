// A payout as operators see it.
import { amountToJson } from '../money/json.ts'
import type { Payout } from '../payout/payout.ts'
import { presentPayout } from '../payout/response.ts'

/** The payout as its account sees it, and what only an operator sees. */
export function presentForDesk(payout: Payout) {
  const { account_id, rail, route, rail_reference, taken_by, taken_at } = payout
  return {
    account_id,
    rail,
    route,
    rail_reference,
    taken_by,
    taken_at,
    send: {
      amount: amountToJson(payout.destination_amount),
      currency: payout.destination_currency,
    },
    payout: presentPayout(payout),
  }
}
