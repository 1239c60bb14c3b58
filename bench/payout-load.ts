// Payouts as a load: which accounts pay whom, over how many connections. Knows no scenario and no
// numbers.
import type { Payer } from './accounts.ts'
import type { Load } from './load.ts'
import { type PayoutName, payoutBody } from './payout-sample.ts'
import type { SteadyRequest } from './steady.ts'

/** What a reader of any figure of such a load must know. */
export const GUARD_NOTE =
  'The guard against paying twice is switched off, as the payouts are all alike; it would cost ' +
  'about a tenth.'

/** Each request is of a payer drawn at random. */
export function payoutLoad(
  address: string,
  payers: readonly Payer[],
  connections: number,
  payout: PayoutName = 'USD→USD',
): Omit<Load, 'seconds'> {
  const requests = payoutRequests(payers, payout)
  return {
    url: urlOf(address),
    authorizations: requests.map(({ authorization }) => authorization),
    bodies: {
      templates: requests.map(({ body }) => body),
      template_per_authorization: true,
      fresh_from: 0,
      existing_to: 1,
      keyed: true,
    },
    connections,
  }
}

export function payoutRequests(
  payers: readonly Payer[],
  payout: PayoutName = 'USD→USD',
): readonly SteadyRequest[] {
  return payers.map(({ authorization, beneficiary }) => ({
    authorization,
    body: JSON.stringify(payoutBody(payout, beneficiary)),
  }))
}

export function urlOf(address: string): string {
  return `${address}/v3/payout`
}
