// POST /v3/payout/quote and GET /v3/payout/quote/{id}.
import type { FastifyInstance } from 'fastify'
import { databaseNow } from '../db/connect.ts'
import type { Deps } from '../deps.ts'
import { claimOf, found, send } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { bare } from '../http/envelope.ts'
import { quoteExamples } from './examples.ts'
import { quoteTerms } from './terms.ts'
import { presentQuote, QuoteRequest, QuoteResponse } from './wire.ts'

export function quoteRoutes(app: FastifyInstance, deps: Deps): void {
  app.post<{ Body: QuoteRequest }>(
    '/v3/payout/quote',
    {
      config: { scope: 'write', check: quoteTerms },
      schema: operationDocs({
        operationId: 'createPayoutQuote',
        summary: 'Fix the fees and exchange rates of a payout ahead of it.',
        body: QuoteRequest,
        examples: quoteExamples,
        response: QuoteResponse,
        idempotent: true,
        refusals: [
          'currency',
          'holding_currency_not_found',
          'type_mismatch',
          'entity_not_found',
          'amount_mismatch',
          'amount_out_of_range',
          'rate_unavailable',
          'rate_stale',
        ],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const claim = claimOf(request, 'POST /v3/payout/quote')
      const command = { account_id: account.account_id, account, request: body, claim }
      const { reply: answer } = await deps.lanes.createQuote.run(command)
      return send(reply, answer)
    },
  )

  app.get<{ Params: { id: string } }>(
    '/v3/payout/quote/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayoutQuote',
        summary: 'Fetch a quote.',
        params: pathId('poq'),
        response: QuoteResponse,
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const [quote, now] = await Promise.all([
        deps.readers.quote({ account_id, id: request.params.id }),
        databaseNow(deps.sql),
      ])
      return send(reply, bare(presentQuote(found(quote), now)))
    },
  )
}
