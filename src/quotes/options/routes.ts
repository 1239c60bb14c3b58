// POST /v3/payout/options: all options of a payout with their prices. It writes nothing.
import type { Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { checkNamed } from '../../parties/entity/rules.ts'
import { findApprovals } from '../../parties/entity/store.ts'
import type { PricingAt } from '../../prices/price.ts'
import type { KnownFigures } from '../../rails/figures.ts'
import type { Route } from '../../rails/rules.ts'
import { byName } from '../../values/id.ts'
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

export function payoutOptionsRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.ask('/v3/payout/options', {
    config: { check: checkOptions },
    operationId: 'listPayoutOptions',
    summary: 'Compare every option for a payout.',
    description:
      'The options differ in type, network and sharing of charges. Each has its price, ' +
      'total debit, arrival and rail, and the latest figures of that rail; the cheapest is ' +
      'first. `quote_request` of an option is the body that quotes it, at the same total ' +
      'while rates and fees are the same. Nothing is written; an `Idempotency-Key` must be ' +
      'well-formed and has no other effect.',
    body: OptionsRequest,
    response: OptionsResponse,
    refusals: [
      'currency',
      'amount_out_of_range',
      'holding_currency_not_found',
      'entity_not_found',
      'invalid_idempotency_key',
    ],
    async answer({ account, body }) {
      const { account_id } = account
      const entities = body.entity_id === undefined ? [] : [{ account_id, id: body.entity_id }]
      const [moment, approvals] = await deps.read(account_id, (tx, id) =>
        Promise.all([readMoment(tx, id), findApprovals(tx, entities)]),
      )
      checkNamed(byName(approvals), account_id, body.entity_id ?? '', 'entity_id')
      const pricing = (await deps.reference.pricing(moment.price_version))(account, moment.at)
      const payer = { account, routes: deps.reference.current().routes }
      const options = payoutOptions(body, payer, pricing, moment)
      return presentOptions(options, deps.railFigures.current)
    },
  })
}
