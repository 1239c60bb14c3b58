// GET /v3/payout/{id}/timeline.
import { unlessLate } from '../../engine/late.ts'
import type { Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { pathId } from '../../http/docs.ts'
import { found } from '../../values/errors.ts'
import { presentTimeline, TimelineResponse } from './response.ts'
import { findTimeline } from './store.ts'

export function timelineRoutes(routes: AccountRoutes, deps: Pick<Reads, 'reads' | 'inTurn'>): void {
  routes.read('/v3/payout/:id/timeline', {
    operationId: 'getPayoutTimeline',
    summary: 'Fetch what happened to a payout, and why.',
    description:
      'Every state with its cause, the rail that the payout went to and why, each attempt ' +
      'to send it with its references, when it was released and when it should arrive, who ' +
      'paid it by hand, the journals that it wrote in the book of the account, and each ' +
      'attempt to send its events to a webhook endpoint, in one list, oldest first. Webhook ' +
      'attempts are deleted with their deliveries, some 30 days after the deliveries ended.',
    params: pathId('pot'),
    response: TimelineResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      const source = await deps.inTurn(
        account_id,
        unlessLate(() => findTimeline(deps.reads, { account_id, id })),
      )
      return presentTimeline(found(source), 'account')
    },
  })
}
