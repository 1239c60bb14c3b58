// /v3/webhook_endpoint: endpoints, and the rotation of secrets, tests and replays below them.
// delivery-routes.ts reads their deliveries.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import type { Finds, Reads } from '../engine/reads.ts'
import { found, refusal, refuseIfAny } from '../errors.ts'
import { claimOf, send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Closed, Envelope } from '../http/schema.ts'
import { checkReceiver } from './address.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import type { WriteWebhook, WrittenWebhook } from './operations.ts'
import {
  DEFAULT_OVERLAP_S,
  EndpointQuery,
  EndpointRequest,
  EndpointUpdate,
  ReplayRequest,
  RotationRequest,
} from './request.ts'
import {
  EndpointDeleted,
  EndpointResponse,
  EndpointWithSecret,
  presentEndpoint,
  ReplayResponse,
  WebhookEndpointEvent,
} from './response.ts'
import { checkReplay, checkUrl } from './rules.ts'
import { listEndpoints } from './store.ts'
import type { WebhookEndpoint } from './webhook.ts'

const PATH = '/v3/webhook_endpoint'

interface Needs extends Pick<Reads, 'read'> {
  readonly config: { readonly webhook_allow_private: boolean }
  readonly lanes: { readonly writeWebhook: Runs<WriteWebhook, Answered<WrittenWebhook>> }
  readonly readers: { readonly webhookEndpoint: Finds<WebhookEndpoint> }
}

export function webhookRoutes(app: FastifyInstance, deps: Needs): void {
  createRoute(app, deps)
  listRoute(app, deps)
  getRoute(app, deps)
  updateRoute(app, deps)
  deleteRoute(app, deps)
  rotateRoute(app, deps)
  testRoute(app, deps)
  replayRoute(app, deps)
  deliveryRoutes(app, deps)
}

/** Runs a change of the account's endpoints and sends its answer. */
async function write(deps: Needs, reply: FastifyReply, command: WriteWebhook) {
  const { reply: answer } = await deps.lanes.writeWebhook.run(command)
  return send(reply, answer)
}

/** Checks the URL of a request without looking up its name. */
function checkOf(deps: Needs) {
  // Reads the configuration late: openapi.json is made from these routes without one.
  return ({ url }: { readonly url?: string }) =>
    refuseIfAny(checkUrl(url, deps.config.webhook_allow_private))
}

/** The URL as stored, and why it is refused. Its name is looked up here, before any lock. */
async function receiverOf({ config }: Needs, text: string) {
  const url = new URL(text)
  const why = await checkReceiver(url, { allow_private: config.webhook_allow_private })
  const message = `url is refused: ${why}.`
  const refused = why === undefined ? undefined : refusal('invalid_field', message, 'url')
  return { url: url.href, refused }
}

function createRoute(app: FastifyInstance, deps: Needs): void {
  const check = checkOf(deps)
  app.post<{ Body: EndpointRequest }>(
    PATH,
    {
      config: { scope: 'write', check },
      schema: operationDocs({
        operationId: 'createWebhookEndpoint',
        summary: 'Have events sent to an address.',
        description:
          'From now on. The answer holds the `secret` that verifies signatures, which is not ' +
          'shown again. Events about one object come in order; what is not answered with 2xx is ' +
          'sent again for 24 hours, so that an event may come twice: `webhook-id` tells.',
        body: EndpointRequest,
        response: Envelope(EndpointWithSecret),
        idempotent: true,
        refusals: ['webhook_endpoint_limit'],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const claim = claimOf(request, `POST ${PATH}`)
      const { url, refused } = await receiverOf(deps, body.url)
      const change = { kind: 'create', request: { ...body, url } } as const
      return write(deps, reply, { account_id: account.account_id, claim, change, refused })
    },
  )
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: ListQuery }>(
    PATH,
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listWebhookEndpoints',
        summary: 'List webhook endpoints, newest first.',
        querystring: EndpointQuery,
        response: Envelope(ListOf(EndpointResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      const page = await deps.read(request.account.account_id, (tx, id) =>
        listEndpoints(tx, id, wanted),
      )
      return sendList(request, reply, success(presentList(page, wanted, presentEndpoint)))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Params: { id: string } }>(
    `${PATH}/:id`,
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getWebhookEndpoint',
        summary: 'Fetch a webhook endpoint.',
        params: pathId('whe'),
        response: Envelope(EndpointResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const endpoint = await deps.readers.webhookEndpoint({ account_id, id: request.params.id })
      return send(reply, success(presentEndpoint(found(endpoint))))
    },
  )
}

function updateRoute(app: FastifyInstance, deps: Needs): void {
  const check = checkOf(deps)
  app.put<{ Params: { id: string }; Body: EndpointUpdate }>(
    `${PATH}/:id`,
    {
      config: { scope: 'write', check },
      schema: operationDocs({
        operationId: 'updateWebhookEndpoint',
        summary: 'Change, disable or enable a webhook endpoint.',
        description:
          'What is still to be delivered goes to the address of now. Other event types count for ' +
          'events that were not yet looked at.',
        params: pathId('whe'),
        body: EndpointUpdate,
        response: Envelope(EndpointResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const { url } = body
      const receiver = url === undefined ? undefined : await receiverOf(deps, url)
      if (receiver?.refused !== undefined) throw receiver.refused
      const update = receiver === undefined ? body : { ...body, url: receiver.url }
      const change = { kind: 'update', id: params.id, update } as const
      return write(deps, reply, { account_id: account.account_id, claim: null, change })
    },
  )
}

function deleteRoute(app: FastifyInstance, deps: Needs): void {
  app.delete<{ Params: { id: string } }>(
    `${PATH}/:id`,
    {
      config: { scope: 'write', optionalBody: true },
      schema: operationDocs({
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint.',
        description: 'What is still to be delivered to it is cancelled.',
        params: pathId('whe'),
        response: Envelope(EndpointDeleted),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const change = { kind: 'delete', id: request.params.id } as const
      for (;;) {
        const command = { account_id, claim: null, change }
        const { reply: answer, outcome } = await deps.lanes.writeWebhook.run(command)
        if (outcome?.did !== 'emptied') return send(reply, answer)
      }
    },
  )
}

function rotateRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string }; Body: RotationRequest | null | undefined }>(
    `${PATH}/:id/rotate_secret`,
    {
      config: { scope: 'write', optionalBody: true },
      schema: operationDocs({
        operationId: 'rotateWebhookSecret',
        summary: 'Give a webhook endpoint another secret.',
        description:
          'For `overlap_seconds` the former secret signs as well, so that receivers can change ' +
          'over: every delivery then carries two signatures. A secret before the former ends now.',
        params: pathId('whe'),
        body: RotationRequest,
        response: Envelope(EndpointWithSecret),
        idempotent: true,
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const claim = claimOf(request, `POST ${PATH}/${params.id}/rotate_secret`)
      const overlap_s = body?.overlap_seconds ?? DEFAULT_OVERLAP_S
      const change = { kind: 'rotate', id: params.id, overlap_s } as const
      return write(deps, reply, { account_id: account.account_id, claim, change })
    },
  )
}

function testRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string } }>(
    `${PATH}/:id/test`,
    {
      config: { scope: 'write', optionalBody: true },
      schema: operationDocs({
        operationId: 'testWebhookEndpoint',
        summary: 'Send an event of no meaning to a webhook endpoint.',
        description:
          'An event `webhook_endpoint.test`, in order with all others. It goes to this endpoint ' +
          'alone, whatever types it wants. The answer is the event.',
        params: pathId('whe'),
        body: Closed({}, { title: 'WebhookTestRequest', type: ['object', 'null'] }),
        response: Envelope(WebhookEndpointEvent),
        idempotent: true,
        refusals: ['not_found', 'webhook_endpoint_disabled'],
      }),
    },
    async (request, reply) => {
      const { account, params } = request
      const claim = claimOf(request, `POST ${PATH}/${params.id}/test`)
      const change = { kind: 'test', id: params.id } as const
      return write(deps, reply, { account_id: account.account_id, claim, change })
    },
  )
}

function replayRoute(app: FastifyInstance, deps: Needs): void {
  const check = (body: ReplayRequest) => refuseIfAny(checkReplay(body))
  app.post<{ Params: { id: string }; Body: ReplayRequest }>(
    `${PATH}/:id/replay`,
    {
      config: { scope: 'write', check },
      schema: operationDocs({
        operationId: 'replayWebhookEvents',
        summary: 'Send events again.',
        description:
          'In their order, after what is still to be delivered about the same objects, with the ' +
          'same `webhook-id`. Of a range, those go that the endpoint wants and that have been on ' +
          'their way before, or were there before the endpoint; events named by id go in any ' +
          'case. With `has_more`, call again: with `sequence` from `next` to `last`, or for ' +
          '`dead` with the same body and another Idempotency-Key.',
        params: pathId('whe'),
        body: ReplayRequest,
        response: Envelope(ReplayResponse),
        idempotent: true,
        refusals: ['not_found', 'webhook_endpoint_disabled'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const claim = claimOf(request, `POST ${PATH}/${params.id}/replay`)
      const change = { kind: 'replay', id: params.id, request: body } as const
      return write(deps, reply, { account_id: account.account_id, claim, change })
    },
  )
}
