// GET /v3/payout/{id}/timeline.
import type { FastifyInstance } from 'fastify'
import { unlessLate } from '../engine/late.ts'
import type { Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { presentTimeline, TimelineResponse } from './response.ts'
import { findTimeline } from './store.ts'

export function timelineRoutes(app: FastifyInstance, deps: Pick<Reads, 'reads' | 'inTurn'>): void {
  app.get<{ Params: { id: string } }>(
    '/v3/payout/:id/timeline',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayoutTimeline',
        summary: 'Fetch what became of a payout, and why.',
        description:
          'Every state with its cause, the rail that the payout went to and why, each attempt ' +
          'to send it with its references, when it was released and when it should arrive, who ' +
          'paid it by hand, the journals it wrote in the book of the account, and each attempt ' +
          'to tell a webhook endpoint of it, in one list, oldest first. Attempts to tell are ' +
          'forgotten with their deliveries, some 30 days after those ended.',
        params: pathId('pot'),
        response: Envelope(TimelineResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const key = { account_id, id: request.params.id }
      const source = await deps.inTurn(
        account_id,
        unlessLate(() => findTimeline(deps.reads, key)),
      )
      return send(reply, success(presentTimeline(found(source), 'account')))
    },
  )
}
