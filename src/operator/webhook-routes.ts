// GET /v3/operator/webhook_endpoint, and POST /v3/operator/webhook_endpoint/{id}/replay and
// /enable.
import { pathId } from '../http/docs.ts'
import { Id, Literals, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { presentReplay, ReplayResponse } from '../webhook/response.ts'
import type { WebhookEndpoint } from '../webhook/webhook.ts'
import { callOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { AccountId, PageQuery } from './request.ts'
import { type FailingEndpoint, listFailing, MAX_COUNTED } from './webhook-store.ts'
import { enableDeed, endpointNamed, replayDeed } from './webhooks.ts'

const ENDPOINT = {
  id: Id('whe', 'Endpoint id.'),
  account_id: AccountId,
  host: Type.String({
    description: 'The host of its URL. Only its account can read the whole URL.',
  }),
  status: Literals(['enabled', 'disabled'] as const),
  disabled_reason: Literals(['', 'account', 'gone'] as const, {
    description:
      'Why it is disabled: by its account, or because it answered 410; empty when enabled.',
  }),
}

export const FailingResponse = Type.Object(
  {
    ...ENDPOINT,
    dead: Type.Integer({
      description: `Events whose last delivery is dead; at most ${MAX_COUNTED} are counted.`,
    }),
    dead_since: textOrNull({ format: 'date-time' }),
  },
  { title: 'FailingEndpoint', description: 'An endpoint that is disabled or has dead deliveries.' },
)

const EndpointState = Type.Object(ENDPOINT, { title: 'EndpointState' })

export function deskWebhookRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/webhook_endpoint', {
    operationId: 'listFailingEndpoints',
    summary: 'List webhook endpoints that are disabled or have dead deliveries.',
    description: 'The oldest endpoint first.',
    querystring: PageQuery('whe', {}),
    item: FailingResponse,
    find: ({ starting_after = '' }, { audit }, limit) =>
      listFailing(audit, starting_after, limit + 1),
    present: presentFailing,
  })
  routes.write('/v3/operator/webhook_endpoint/:id/replay', {
    operationId: 'replayDead',
    summary: 'Deliver every event again whose last delivery to an endpoint is dead.',
    description:
      'The events have the same `webhook-id`, by which a receiver knows which ones it already ' +
      'has.',
    params: pathId('whe'),
    emptyBody: 'NothingRequest',
    response: ReplayResponse,
    idempotent: true,
    refusals: ['invalid_transition'],
    async answer(request, desk) {
      const call = callOf(request, 'events replay')
      const deed = replayDeed(await endpointNamed(desk.audit, request.params.id), {
        status: 'dead',
      })
      return desk.answer(call, deed, ({ endpoint, replayed }) => presentReplay(endpoint, replayed))
    },
  })
  routes.write('/v3/operator/webhook_endpoint/:id/enable', {
    operationId: 'enableEndpoint',
    summary: 'Enable an endpoint that was disabled because it answered 410.',
    description:
      'Deliveries continue where they stopped, and no event is missed. An endpoint that its ' +
      'account has disabled can be enabled only by its account.',
    params: pathId('whe'),
    emptyBody: 'NothingRequest',
    response: EndpointState,
    idempotent: true,
    refusals: ['invalid_transition'],
    async answer(request, desk) {
      const call = callOf(request, 'webhook enable')
      const deed = enableDeed(await endpointNamed(desk.audit, request.params.id))
      return desk.answer(call, deed, ({ endpoint }) => presentState(endpoint))
    },
  })
}

function presentFailing({ url, ...endpoint }: FailingEndpoint) {
  return { ...endpoint, host: new URL(url).host }
}

function presentState({ id, account_id, url, status, disabled_reason }: WebhookEndpoint) {
  return { id, account_id, host: new URL(url).host, status, disabled_reason }
}
