// GET /v3/payout/requirements.
import type { FastifyInstance } from 'fastify'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { presentRequirements, readSubject } from './discovery.ts'
import { RequirementsQuery } from './request.ts'
import { RequirementsResponse } from './response.ts'

export function requirementRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: RequirementsQuery }>(
    '/v3/payout/requirements',
    {
      config: { scope: 'read', checkQuery: readSubject },
      schema: operationDocs({
        operationId: 'getPayoutRequirements',
        summary: 'What a destination must have to be paid.',
        description:
          'By payout type, currency, country and network. Payouts and beneficiaries are held ' +
          'against the same table, so that what is listed here is enough.',
        querystring: RequirementsQuery,
        response: Envelope(RequirementsResponse),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const requirements = presentRequirements(readSubject(request.query))
      return send(reply, success(requirements))
    },
  )
}
