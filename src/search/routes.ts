// GET /v3/search.
import type { Reads } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { search } from './operations.ts'
import { checkSearch, SearchQuery } from './request.ts'
import { presentFound, SearchResponse } from './response.ts'

export function searchRoutes(routes: AccountRoutes, deps: Pick<Reads, 'read'>): void {
  routes.read('/v3/search', {
    config: { checkQuery: checkSearch },
    operationId: 'search',
    summary: 'Find payouts, beneficiaries, entities and batches by one text.',
    description:
      'The text is searched as each thing that it may be, over all objects of the account. Only ' +
      'by an amount, a bank’s reference and a UETR of a sandbox the newest 10,000 payouts are ' +
      'compared; `newest_only` says so. For all objects of one kind, use the filters of its list.',
    querystring: SearchQuery,
    response: SearchResponse,
    refusals: ['invalid_query_parameter'],
    async answer({ account: { account_id }, query: { q } }) {
      return presentFound(await deps.read(account_id, tx => search(tx, account_id, q)))
    },
  })
}
