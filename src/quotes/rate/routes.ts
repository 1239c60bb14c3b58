// GET /v3/rate: the rate that a quote would have now. It writes nothing.
import type { Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import type { PricingAt } from '../../prices/price.ts'
import { readMoment } from '../store.ts'
import { checkRateQuery, RateQuery } from './request.ts'
import { presentRate, RateResponse } from './response.ts'
import { indicativeRate } from './rules.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly reference: { pricing(price_version: bigint | null): Promise<PricingAt> }
}

export function rateRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/rate', {
    config: { checkQuery: checkRateQuery },
    operationId: 'getRate',
    summary: 'The rate at which the account would be quoted now.',
    description:
      'Units of `to` for one unit of `from`, less the spread; `mid` is before the spread. ' +
      '`rows` are the rows of the rate book that the rate is made from. A quote fixes a ' +
      'rate; this one may change. If no quote could be made because a rate is missing or ' +
      'too old, this request is refused, too.',
    querystring: RateQuery,
    response: RateResponse,
    refusals: ['currency', 'rate_unavailable', 'rate_stale', 'invalid_query_parameter'],
    async answer({ account, query }) {
      const { now, at, price_version } = await deps.read(account.account_id, readMoment)
      const pricing = (await deps.reference.pricing(price_version))(account, at)
      return presentRate(indicativeRate(query.from, query.to, pricing, now))
    },
  })
}
