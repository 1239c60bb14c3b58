// GET /v3/currency and GET /v3/network: the tables from which programs make their forms.
import type { AccountRoutes } from '../../http/account-routes.ts'
import { CurrencyQuery, NetworkQuery } from './request.ts'
import {
  CurrenciesResponse,
  NetworksResponse,
  presentCurrencies,
  presentNetworks,
} from './response.ts'
import { checkCurrencyQuery, checkNetworkQuery, currenciesFor, networksFor } from './rules.ts'

/** The tables change with a version of Corridor alone. */
const MAX_AGE_S = 3_600

export function vocabularyRoutes(routes: AccountRoutes): void {
  routes.read('/v3/currency', {
    config: { checkQuery: checkCurrencyQuery },
    operationId: 'listCurrencies',
    summary: 'List every currency with its number of decimals.',
    description:
      'An account holds only some of them: GET /v3/balance lists those. The answer may be kept ' +
      'for an hour.',
    querystring: CurrencyQuery,
    tagged: true,
    max_age_s: MAX_AGE_S,
    response: CurrenciesResponse,
    refusals: ['currency', 'invalid_query_parameter'],
    answer: async ({ query }) => presentCurrencies(currenciesFor(query)),
  })
  routes.read('/v3/network', {
    config: { checkQuery: checkNetworkQuery },
    operationId: 'listNetworks',
    summary: 'List the networks of a currency or a country.',
    description:
      'Local networks, local payment networks and chains, as payouts name them. GET ' +
      '/v3/payout/requirements says what a destination needs over each. The answer may be kept ' +
      'for an hour.',
    querystring: NetworkQuery,
    tagged: true,
    max_age_s: MAX_AGE_S,
    response: NetworksResponse,
    refusals: ['currency', 'invalid_query_parameter'],
    answer: async ({ query }) => presentNetworks(networksFor(query)),
  })
}
