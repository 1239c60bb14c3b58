// POST /v3/conversion/quote and GET /v3/conversion/quote/{id}; POST and GET /v3/conversion, and GET
// /v3/conversion/{id}.
import type { Runs } from '../engine/lanes.ts'
import type { Finds, Reads } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { makingOf } from '../http/author.ts'
import { pathId } from '../http/docs.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { accountNow } from '../ledger/store.ts'
import { found } from '../values/errors.ts'
import type { ConversionQuote, QuotedConversion } from './conversion.ts'
import type {
  CreateConversion,
  CreateConversionQuote,
  CreatedConversionQuote,
} from './operations.ts'
import { ConversionQuery, ConversionQuoteRequest, ConversionRequest } from './request.ts'
import {
  ConversionQuoteResponse,
  ConversionResponse,
  presentConversion,
  presentConversionQuote,
} from './response.ts'
import { type Converted, conversionTerms } from './rules.ts'
import { listConversions } from './store.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: {
    readonly createConversionQuote: Runs<CreateConversionQuote, Answered<CreatedConversionQuote>>
    readonly createConversion: Runs<CreateConversion, Answered<Converted>>
  }
  readonly readers: {
    readonly conversion: Finds<QuotedConversion>
    readonly conversionQuote: Finds<ConversionQuote>
  }
}

export function conversionRoutes(routes: AccountRoutes, deps: Needs): void {
  quoteRoutes(routes, deps)
  routes.write('/v3/conversion', {
    operationId: 'createConversion',
    summary: 'Change money of one balance of the account into another of its currencies.',
    description:
      'The quote fixes rate and fees. It is refused as expired once the rate has moved by more ' +
      'than its spread in favour of the account. Both balances move at once, and the conversion ' +
      'is final. It counts for no limit, because nothing leaves the account. Where people would ' +
      'have to approve a payout of the same amount to anybody, it is refused: it waits for nobody.',
    body: ConversionRequest,
    response: ConversionResponse,
    idempotent: true,
    refusals: [
      'not_found',
      'quote_expired',
      'quote_used',
      'approval_needed',
      'insufficient_balance',
      'balance_limit_exceeded',
    ],
    answer(asked, claim) {
      const { account, body } = asked
      const { account_id } = account
      const { maker, key_id } = makingOf(asked)
      return deps.lanes.createConversion.run({
        ...{ account_id, account, quote_id: body.quote, maker, key_id },
        claim: claim(),
      })
    },
  })
  routes.page('/v3/conversion', {
    operationId: 'listConversions',
    summary: 'List conversions, newest first.',
    querystring: ConversionQuery,
    item: ConversionResponse,
    find: listConversions,
    present: rows => rows.map(presentConversion),
  })
  routes.read('/v3/conversion/:id', {
    operationId: 'getConversion',
    summary: 'Fetch a conversion.',
    params: pathId('cnv'),
    response: ConversionResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      return presentConversion(found(await deps.readers.conversion({ account_id, id })))
    },
  })
}

function quoteRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/conversion/quote', {
    config: { checkInOperation: conversionTerms },
    operationId: 'createConversionQuote',
    summary: 'Fix the rate and the fees of a conversion for two minutes.',
    body: ConversionQuoteRequest,
    response: ConversionQuoteResponse,
    idempotent: true,
    refusals: [
      'currency',
      'holding_currency_not_found',
      'amount_out_of_range',
      'fee_unavailable',
      'rate_unavailable',
      'rate_stale',
    ],
    answer(asked, claim) {
      const { account, body: request } = asked
      const { account_id } = account
      const { maker } = makingOf(asked)
      const command = { account_id, account, request, maker }
      return deps.lanes.createConversionQuote.run({ ...command, claim: claim() })
    },
  })
  routes.read('/v3/conversion/quote/:id', {
    operationId: 'getConversionQuote',
    summary: 'Fetch the quote of a conversion.',
    params: pathId('coq'),
    response: ConversionQuoteResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      const [quote, now] = await Promise.all([
        deps.readers.conversionQuote({ account_id, id }),
        deps.read(account_id, accountNow),
      ])
      return presentConversionQuote(found(quote), now)
    },
  })
}
