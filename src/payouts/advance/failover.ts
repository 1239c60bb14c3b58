// Which rail gets a payout once its last rail has proved that it has not taken it. Pure.
import { destinationCountry } from '../../parties/beneficiary/country.ts'
import { carriedQuoteTerms } from '../../quotes/carried.ts'
import { routeSubject } from '../../quotes/rules.ts'
import type { Attempt } from '../../rails/rail.ts'
import { type PayoutToRoute, type Route, selectRoutes } from '../../rails/rules.ts'
import type { Payout } from '../payout.ts'

/**
 * The payout as routes judge it. `quoted_country` is the country of its quote, which the payout
 * does not store; '' for a payout with its own terms.
 */
export function wantedOf(payout: Payout, quoted_country: string): PayoutToRoute {
  const { beneficiary_details, particulars, destination_currency, destination_amount } = payout
  const country = destinationCountry(beneficiary_details.destination_details, destination_currency)
  const terms = carriedQuoteTerms({
    ...payout,
    on_behalf_of: particulars.on_behalf_of,
    destination_country: country || payout.destination_country || quoted_country,
  })
  return { ...routeSubject(terms, destination_amount), account_id: payout.account_id }
}

/** The first route, in the order of failover, to a rail without an attempt; undefined for none. */
export function nextRoute(
  routes: readonly Route[],
  wanted: PayoutToRoute,
  tried: readonly string[],
): Route | undefined {
  return selectRoutes(routes, wanted).find(({ rail }) => !tried.includes(rail))
}

/** The last rail gets a payout again only below this number of attempts, over all rails. */
const MOST_ATTEMPTS = 3

/** The route to the rail of the last attempt, while that rail may get the payout once more. */
export function sameRoute(
  routes: readonly Route[],
  wanted: PayoutToRoute,
  last: Pick<Attempt, 'number' | 'rail'>,
): Route | undefined {
  if (last.number >= MOST_ATTEMPTS) return undefined
  return selectRoutes(routes, wanted).find(({ rail }) => rail === last.rail)
}
