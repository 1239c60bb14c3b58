// GET /v3/payout/requirements.
import type { AccountRoutes } from '../../http/account-routes.ts'
import { presentRequirements, readSubject } from './discovery.ts'
import { RequirementsQuery } from './request.ts'
import { RequirementsResponse } from './response.ts'

export function requirementRoutes(routes: AccountRoutes): void {
  routes.read('/v3/payout/requirements', {
    config: { checkQuery: readSubject },
    operationId: 'getPayoutRequirements',
    summary: 'What a destination must have to be paid.',
    description:
      'By payout type, currency, country and network. Payouts and beneficiaries are checked ' +
      'against the same table, so that what is listed here is enough.',
    querystring: RequirementsQuery,
    response: RequirementsResponse,
    refusals: ['invalid_query_parameter'],
    answer: async ({ query }) => presentRequirements(readSubject(query)),
  })
}
