// POST /v3/payout/options: every way a payout could go, priced side by side. It writes nothing.

import type { FastifyInstance } from 'fastify'
import { MAX_WAIT_MS } from '../../engine/late.ts'
import type { Reads } from '../../engine/reads.ts'
import { checkNamed } from '../../entity/rules.ts'
import { findApprovals } from '../../entity/store.ts'
import { claimOf, send, success } from '../../http/answer.ts'
import { operationDocs } from '../../http/docs.ts'
import { Envelope } from '../../http/schema.ts'
import { byName } from '../../id.ts'
import type { PricingAt } from '../../price/price.ts'
import type { KnownFigures } from '../../rail/figures.ts'
import type { Route } from '../../rail/rules.ts'
import { readMoment } from '../store.ts'
import { checkOptions, OptionsRequest } from './request.ts'
import { OptionsResponse, presentOptions } from './response.ts'
import { payoutOptions } from './rules.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly reference: {
    current(): { readonly routes: readonly Route[] }
    pricing(price_version: bigint | null): Promise<PricingAt>
  }
  readonly railFigures: KnownFigures
}

export function payoutOptionsRoutes(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: OptionsRequest }>(
    '/v3/payout/options',
    {
      // It answers within this time even if the database does not, like every read.
      handlerTimeout: MAX_WAIT_MS,
      config: { scope: 'read', check: checkOptions },
      schema: operationDocs({
        operationId: 'listPayoutOptions',
        summary: 'Compare every way a payout could go.',
        description:
          'By type, network and sharing of charges: price, total debit, arrival, rail, and how ' +
          'that rail has done lately; the cheapest first. `quote_request` of an option is the ' +
          'body that quotes it: the same total, while rates and fees are the same. Nothing is ' +
          'written, so an `Idempotency-Key` is looked at for its form and otherwise ignored.',
        body: OptionsRequest,
        response: Envelope(OptionsResponse),
        refusals: [
          'currency',
          'amount_out_of_range',
          'holding_currency_not_found',
          'entity_not_found',
          'invalid_idempotency_key',
        ],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const { account_id } = account
      claimOf(request, 'POST /v3/payout/options')
      const entities = body.entity_id === undefined ? [] : [{ account_id, id: body.entity_id }]
      const [{ now, at, price_version }, approvals] = await deps.read(account_id, (tx, id) =>
        Promise.all([readMoment(tx, id), findApprovals(tx, entities)]),
      )
      checkNamed(byName(approvals), account_id, body.entity_id ?? '', 'entity_id')
      const pricing = (await deps.reference.pricing(price_version))(account, at)
      const payer = { account, routes: deps.reference.current().routes }
      const options = payoutOptions(body, payer, pricing, { now, at })
      return send(reply, success(presentOptions(options, deps.railFigures.current)))
    },
  )
}
