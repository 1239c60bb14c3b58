// POST and GET /v3/payout/quote, and GET /v3/payout/quote/{id}.
import type { FastifyInstance } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import type { Finds, Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { bare, claimOf, send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import type { Claim } from '../http/idempotency/kept-reply.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { accountNow } from '../ledger/store.ts'
import { hashJson } from '../seal.ts'
import type { CreatedQuote, CreateQuote } from './operations.ts'
import type { Quote } from './quote.ts'
import { ExplainQuery, QuoteQuery, QuoteRequest } from './request.ts'
import { presentExplained, presentQuote, QuoteResponse } from './response.ts'
import { listQuotes } from './store.ts'
import { quoteTerms } from './terms.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: { readonly createQuote: Runs<CreateQuote, Answered<CreatedQuote>> }
  readonly readers: { readonly quote: Finds<Quote> }
}

export function quoteRoutes(app: FastifyInstance, deps: Needs): void {
  createRoute(app, deps)
  listRoute(app, deps)
  getRoute(app, deps)
}

function createRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: QuoteRequest; Querystring: ExplainQuery }>(
    '/v3/payout/quote',
    {
      config: { scope: 'write', checkInOperation: quoteTerms },
      schema: operationDocs({
        operationId: 'createPayoutQuote',
        summary: 'Fix the fees and exchange rates of a payout ahead of it.',
        querystring: ExplainQuery,
        body: QuoteRequest,
        response: QuoteResponse,
        idempotent: true,
        refusals: [
          'invalid_query_parameter',
          'currency',
          'holding_currency_not_found',
          'type_mismatch',
          'entity_not_found',
          'amount_mismatch',
          'amount_out_of_range',
          'fee_unavailable',
          'route_unavailable',
          'calendar_ended',
          'rate_unavailable',
          'rate_stale',
        ],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const explain = isAsked(request.query)
      const claim = claimFor(claimOf(request, 'POST /v3/payout/quote'), body, explain)
      const command = { account_id: account.account_id, account, request: body, explain, claim }
      const { reply: answer } = await deps.lanes.createQuote.run(command)
      return send(reply, answer)
    },
  )
}

function listRoute(app: FastifyInstance, deps: Needs): void {
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
      // One time decides both the filter and the shown status.
      const { now, page } = await deps.read(request.account.account_id, async (tx, id) => {
        const now = await accountNow(tx, id)
        return { now, page: await listQuotes(tx, id, wanted, now) }
      })
      const present = (quote: Quote) => presentQuote(quote, now)
      return sendList(request, reply, success(presentList(page, wanted, present)))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Params: { id: string }; Querystring: ExplainQuery }>(
    '/v3/payout/quote/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayoutQuote',
        summary: 'Fetch a quote.',
        params: pathId('poq'),
        querystring: ExplainQuery,
        response: QuoteResponse,
        refusals: ['not_found', 'invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const [read, now] = await Promise.all([
        deps.readers.quote({ account_id, id: request.params.id }),
        deps.read(account_id, accountNow),
      ])
      const present = isAsked(request.query) ? presentExplained : presentQuote
      return send(reply, bare(present(found(read), now)))
    },
  )
}

function isAsked({ explain }: ExplainQuery): boolean {
  return explain === 'true'
}

/**
 * `explain` is part of the hashed request: an Idempotency-Key must not return an answer without an
 * explanation to a request for one, nor the other way round (422 idempotency_key_reused).
 */
function claimFor(claim: Claim | null, body: QuoteRequest, explain: boolean): Claim | null {
  return claim && explain ? { ...claim, request_hash: hashJson({ explain, body }) } : claim
}
