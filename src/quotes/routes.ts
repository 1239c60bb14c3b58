// POST and GET /v3/payout/quote, and GET /v3/payout/quote/{id}.
import type { Runs } from '../engine/lanes.ts'
import type { Finds, Reads } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { makingOf } from '../http/author.ts'
import { pathId } from '../http/docs.ts'
import type { Claim, Reply } from '../http/idempotency/kept-reply.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { accountNow } from '../ledger/store.ts'
import { hashJson } from '../values/digest.ts'
import { found } from '../values/errors.ts'
import { quoteStatus } from './expiry.ts'
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

export function quoteRoutes(routes: AccountRoutes, deps: Needs): void {
  createRoute(routes, deps)
  routes.page('/v3/payout/quote', {
    operationId: 'listPayoutQuotes',
    summary: 'List quotes, newest first.',
    description: 'The list includes quotes that were recorded for payouts made without one.',
    querystring: QuoteQuery,
    item: QuoteResponse,
    // One time decides the filter and the shown status.
    async find(tx, account_id, wanted) {
      const now = await accountNow(tx, account_id)
      const page = await listQuotes(tx, account_id, wanted, now)
      return page && { ...page, rows: page.rows.map(quote => presentQuote(quote, now)) }
    },
    present: rows => rows,
  })
  routes.read('/v3/payout/quote/:id', {
    operationId: 'getPayoutQuote',
    summary: 'Fetch a quote.',
    params: pathId('poq'),
    querystring: ExplainQuery,
    response: QuoteResponse,
    bare: true,
    refusals: ['not_found', 'invalid_query_parameter'],
    async answer({ account: { account_id }, params: { id }, query }) {
      const [read, now] = await Promise.all([
        deps.readers.quote({ account_id, id }),
        deps.read(account_id, accountNow),
      ])
      const present = wantsExplanation(query) ? presentExplained : presentQuote
      return present(found(read), now)
    },
  })
}

function createRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/payout/quote', {
    config: { checkInOperation: quoteTerms },
    operationId: 'createPayoutQuote',
    summary: 'Fix the fees and exchange rates of a payout in advance.',
    description:
      'A repeat under its `Idempotency-Key` gets the first answer, and the header `Quote-Status` ' +
      'with the status of the quote now: `active`, `used` or `expired`. Only an active quote pays.',
    querystring: ExplainQuery,
    body: QuoteRequest,
    response: QuoteResponse,
    bare: true,
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
    async answer(asked, claim) {
      const { account, body: request, query } = asked
      const command = {
        account_id: account.account_id,
        account,
        request,
        maker: makingOf(asked).maker,
        explain: wantsExplanation(query),
      }
      const claimed = claimFor(claim(), request, command.explain)
      const { reply } = await deps.lanes.createQuote.run({ ...command, claim: claimed })
      return { reply: reply.replayed ? await withStatus(deps, account.account_id, reply) : reply }
    },
  })
}

/**
 * Adds the header with the present status of the quote. The body is that of the first answer, whose
 * status was `active`.
 */
async function withStatus(deps: Needs, account_id: string, reply: Reply): Promise<Reply> {
  const { id }: { readonly id: string } = JSON.parse(reply.body)
  const [quote, now] = await Promise.all([
    deps.readers.quote({ account_id, id }),
    deps.read(account_id, accountNow),
  ])
  // Only quotes that have expired are ever deleted.
  const status = quote === undefined ? 'expired' : quoteStatus(quote, now)
  return { ...reply, headers: { ...reply.headers, 'quote-status': status } }
}

function wantsExplanation({ explain }: ExplainQuery): boolean {
  return explain === 'true'
}

/**
 * Adds `explain` to the hash of the request. So a repeat with the other value of `explain` is
 * refused (422 idempotency_key_reused), and does not get an answer of the other kind.
 */
function claimFor(claim: Claim | null, body: QuoteRequest, explain: boolean): Claim | null {
  return claim && explain ? { ...claim, request_hash: hashJson({ explain, body }) } : claim
}
