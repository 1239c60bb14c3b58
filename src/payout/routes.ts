// POST /v3/payout and GET /v3/payout/{id}.
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { claimOf, found, send } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { success } from '../http/envelope.ts'
import { Envelope } from '../http/schema.ts'
import { payoutExamples } from './examples.ts'
import { checkRequest } from './terms.ts'
import { PayoutRequest, PayoutResponse, presentPayout } from './wire.ts'

export function payoutRoutes(app: FastifyInstance, deps: Deps): void {
  app.post<{ Body: PayoutRequest }>(
    '/v3/payout',
    {
      config: { scope: 'write', check: checkRequest },
      schema: operationDocs({
        operationId: 'createPayout',
        summary: 'Pay a beneficiary, at a quote or at the rates of this moment.',
        body: PayoutRequest,
        examples: payoutExamples,
        response: Envelope(PayoutResponse),
        idempotent: true,
        refusals: [
          'currency',
          'holding_currency_not_found',
          'beneficiary_missing',
          'beneficiary_not_found',
          'entity_not_found',
          'not_found',
          'type_mismatch',
          'quote_used',
          'quote_expired',
          'quote_mismatch',
          'rate_unavailable',
          'rate_stale',
          'amount_out_of_range',
          'deposit_address_not_found',
          'deposit_currency_not_accepted',
          'insufficient_balance',
        ],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const claim = claimOf(request, 'POST /v3/payout')
      const command = { account_id: account.account_id, account, request: body, claim }
      const { reply: answer } = await deps.lanes.createPayout.run(command)
      return send(reply, answer)
    },
  )

  app.get<{ Params: { id: string } }>(
    '/v3/payout/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayout',
        summary: 'Fetch a payout.',
        params: pathId('pot'),
        response: Envelope(PayoutResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const payout = await deps.readers.payout({ account_id, id: request.params.id })
      return send(reply, success(presentPayout(found(payout))))
    },
  )
}
