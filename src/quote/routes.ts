// POST and GET /v3/payout/quote, and GET /v3/payout/quote/{id}.
import type { FastifyInstance } from 'fastify'
import { databaseNow } from '../db/connect.ts'
import type { Deps } from '../deps.ts'
import { found } from '../errors.ts'
import { claimOf, send } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { bare, success } from '../http/envelope.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { quoteExamples } from './examples.ts'
import { listQuotes } from './store.ts'
import { quoteTerms } from './terms.ts'
import { presentQuote, QuoteQuery, QuoteRequest, QuoteResponse } from './wire.ts'

export function quoteRoutes(app: FastifyInstance, deps: Deps): void {
  createRoute(app, deps)
  listRoute(app, deps)
  getRoute(app, deps)
}

function createRoute(app: FastifyInstance, deps: Deps): void {
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
}

function listRoute(app: FastifyInstance, deps: Deps): void {
  app.get<{ Querystring: ListQuery }>(
    '/v3/payout/quote',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listPayoutQuotes',
        summary: 'List quotes, newest first.',
        description: 'Also those that were recorded for payouts made without one.',
        querystring: QuoteQuery,
        response: Envelope(ListOf(QuoteResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      // What is asked for and what is shown are judged by one time.
      const now = await databaseNow(deps.sql)
      const page = await listQuotes(deps.sql, request.account.account_id, wanted, now)
      return send(reply, success(presentList(page, wanted, quote => presentQuote(quote, now))))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Deps): void {
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
