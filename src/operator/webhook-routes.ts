// GET /v3/operator/webhook_endpoint, and POST /v3/operator/webhook_endpoint/{id}/replay and
// /enable.
import type { FastifyInstance } from 'fastify'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope, Id, Literals, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { presentReplay, ReplayResponse } from '../webhook/response.ts'
import type { WebhookEndpoint } from '../webhook/webhook.ts'
import { callOf, type OfDesk } from './desk.ts'
import {
  AccountId,
  checkLimit,
  type Named,
  PageQuery,
  pageOf,
  type Query,
  readLimit,
} from './request.ts'
import { type FailingEndpoint, listFailing, MOST_COUNTED } from './webhook-store.ts'
import { enabling, endpointNamed, replay } from './webhooks.ts'

const ENDPOINT = {
  id: Id('whe', 'Endpoint id.'),
  account_id: AccountId,
  host: Type.String({ description: 'Where it is; the whole URL is for its account to read.' }),
  status: Literals(['enabled', 'disabled'] as const),
  disabled_reason: Literals(['', 'account', 'gone'] as const, {
    description: 'By its account, or because it answered 410; empty when enabled.',
  }),
}

export const FailingResponse = Type.Object(
  {
    ...ENDPOINT,
    dead: Type.Integer({
      description: `Events whose last delivery is dead; at most ${MOST_COUNTED} are counted.`,
    }),
    dead_since: textOrNull({ format: 'date-time' }),
  },
  { title: 'FailingEndpoint', description: 'An endpoint that is disabled or has dead deliveries.' },
)

const EndpointState = Type.Object(ENDPOINT, { title: 'EndpointState' })

const Nothing = Closed({}, { title: 'NothingRequest', type: ['object', 'null'] })

export function deskWebhookRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/webhook_endpoint',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listFailingEndpoints',
        summary: 'List webhook endpoints that are disabled or have dead deliveries.',
        description: 'The oldest endpoint first.',
        querystring: PageQuery('whe', {}),
        response: Envelope(ListOf(FailingResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const limit = readLimit(request.query)
      const { starting_after = '' } = request.query
      const found = await listFailing(deps.desk.audit, starting_after, limit + 1)
      return sendList(request, reply, success(pageOf(found, limit, presentFailing)))
    },
  )
  replayRoute(app, deps)
  enableRoute(app, deps)
}

function presentFailing({ url, ...endpoint }: FailingEndpoint) {
  return { ...endpoint, host: new URL(url).host }
}

function presentState({ id, account_id, url, status, disabled_reason }: WebhookEndpoint) {
  return { id, account_id, host: new URL(url).host, status, disabled_reason }
}

function replayRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/webhook_endpoint/:id/replay',
    {
      config: { scope: 'installation_write', optionalBody: true },
      schema: operationDocs({
        operationId: 'replayDead',
        summary: 'Deliver every event again whose last delivery to an endpoint is dead.',
        description: 'With the same `webhook-id`, by which a receiver knows what it has had.',
        params: pathId('whe'),
        body: Nothing,
        response: Envelope(ReplayResponse),
        idempotent: true,
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const call = callOf(request, 'events replay')
      const endpoint = await endpointNamed(deps.desk.audit, id)
      const deed = replay(endpoint, { status: 'dead' })
      const answer = await deps.desk.answer(call, deed, ({ endpoint, replayed }) =>
        presentReplay(endpoint, replayed),
      )
      return send(reply, answer)
    },
  )
}

function enableRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/webhook_endpoint/:id/enable',
    {
      config: { scope: 'installation_write', optionalBody: true },
      schema: operationDocs({
        operationId: 'enableEndpoint',
        summary: 'Enable an endpoint that was disabled because it answered 410.',
        description:
          'It goes on where it stopped: nothing is missed. What its account has disabled, its ' +
          'account enables.',
        params: pathId('whe'),
        body: Nothing,
        response: Envelope(EndpointState),
        idempotent: true,
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const call = callOf(request, 'webhook enable')
      const deed = enabling(await endpointNamed(deps.desk.audit, id))
      const answer = await deps.desk.answer(call, deed, ({ endpoint }) => presentState(endpoint))
      return send(reply, answer)
    },
  )
}
