// /v3/webhook_endpoint, and the rotation of secrets, tests and replays below it.
import type { FastifyRequest } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import type { Finds } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { callerOf } from '../http/author.ts'
import { pathId } from '../http/docs.ts'
import type { Claim } from '../http/idempotency/kept-reply.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { Closed } from '../http/schema.ts'
import { found, refusal, refuseIfAny } from '../values/errors.ts'
import { checkReceiver } from './address.ts'
import type { WebhookChange, WebhookOutcome } from './decide.ts'
import type { WriteWebhook } from './operations.ts'
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

interface Needs {
  readonly config: { readonly webhook_allow_private: boolean }
  readonly lanes: { readonly writeWebhook: Runs<WriteWebhook, Answered<WebhookOutcome>> }
  readonly readers: { readonly webhookEndpoint: Finds<WebhookEndpoint> }
}

export function webhookRoutes(routes: AccountRoutes, deps: Needs): void {
  createRoute(routes, deps)
  routes.page(PATH, {
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints, newest first.',
    querystring: EndpointQuery,
    item: EndpointResponse,
    find: listEndpoints,
    present: rows => rows.map(presentEndpoint),
  })
  routes.read(`${PATH}/:id`, {
    operationId: 'getWebhookEndpoint',
    summary: 'Fetch a webhook endpoint.',
    params: pathId('whe'),
    response: EndpointResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      return presentEndpoint(found(await deps.readers.webhookEndpoint({ account_id, id })))
    },
  })
  updateRoute(routes, deps)
  deleteRoute(routes, deps)
  rotateRoute(routes, deps)
  testRoute(routes, deps)
  replayRoute(routes, deps)
}

/** Does not look up the host name. */
function checkOf(deps: Needs) {
  // Reads the configuration at each request: openapi.json is made from these routes without one.
  return ({ url }: { readonly url?: string }) =>
    refuseIfAny(checkUrl(url, deps.config.webhook_allow_private))
}

/** Looks up the host name here, before any lock. */
async function receiverOf({ config }: Needs, text: string) {
  const url = new URL(text)
  const why = await checkReceiver(url, { allow_private: config.webhook_allow_private })
  const message = `url is refused: ${why}.`
  const refused = why === undefined ? undefined : refusal('invalid_field', message, 'url')
  return { url: url.href, refused }
}

function commandOf(
  request: Pick<FastifyRequest, 'account' | 'person' | 'ip' | 'key_id'>,
  change: WebhookChange,
  claim: Claim | null,
): WriteWebhook {
  const author = callerOf(request, request.person?.user ?? '', `webhook ${change.kind}`)
  return { account_id: request.account.account_id, claim, change, author }
}

function createRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write(PATH, {
    config: { check: checkOf(deps) },
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint: an address that events are sent to.',
    description:
      'Events are sent from now on. The answer has the `secret` that verifies signatures, ' +
      'which is not shown again. Events about one object come in order. An event that is ' +
      'not answered with 2xx is sent again for 24 hours. So an event may come twice; its ' +
      '`webhook-id` is then the same.',
    body: EndpointRequest,
    response: EndpointWithSecret,
    idempotent: true,
    refusals: ['webhook_endpoint_limit'],
    async answer(request, claim) {
      const { body } = request
      const claimed = claim()
      const { url, refused } = await receiverOf(deps, body.url)
      const change = { kind: 'create', request: { ...body, url } } as const
      return deps.lanes.writeWebhook.run({ ...commandOf(request, change, claimed), refused })
    },
  })
}

function updateRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write(`${PATH}/:id`, {
    method: 'PUT',
    config: { check: checkOf(deps) },
    operationId: 'updateWebhookEndpoint',
    summary: 'Change, disable or enable a webhook endpoint.',
    description:
      'Pending deliveries go to the new address. New event types apply to events that ' +
      'Corridor has not processed yet.',
    params: pathId('whe'),
    body: EndpointUpdate,
    response: EndpointResponse,
    refusals: ['not_found'],
    async answer(request) {
      const {
        body,
        params: { id },
      } = request
      const { url } = body
      const receiver = url === undefined ? undefined : await receiverOf(deps, url)
      if (receiver?.refused !== undefined) throw receiver.refused
      const update = receiver === undefined ? body : { ...body, url: receiver.url }
      const change = { kind: 'update', id, update } as const
      return deps.lanes.writeWebhook.run(commandOf(request, change, null))
    },
  })
}

function deleteRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write(`${PATH}/:id`, {
    method: 'DELETE',
    config: { optionalBody: true },
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint.',
    description: 'Its pending deliveries are cancelled.',
    params: pathId('whe'),
    response: EndpointDeleted,
    refusals: ['not_found'],
    async answer(request) {
      const change = { kind: 'delete', id: request.params.id } as const
      for (;;) {
        const written = await deps.lanes.writeWebhook.run(commandOf(request, change, null))
        if (written.outcome?.did !== 'emptied') return written
      }
    },
  })
}

function rotateRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write(`${PATH}/:id/rotate_secret`, {
    config: { optionalBody: true },
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook endpoint a new secret.',
    description:
      'For `overlap_seconds` the former secret also signs, so that receivers can change ' +
      'over: every delivery then carries two signatures. A secret older than the former one ' +
      'ends now.',
    params: pathId('whe'),
    body: RotationRequest,
    response: EndpointWithSecret,
    idempotent: true,
    refusals: ['not_found'],
    async answer(request, claim) {
      const { id } = request.params
      const overlap_s = request.body?.overlap_seconds ?? DEFAULT_OVERLAP_S
      const change = { kind: 'rotate', id, overlap_s } as const
      return deps.lanes.writeWebhook.run(commandOf(request, change, claim()))
    },
  })
}

function testRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write(`${PATH}/:id/test`, {
    config: { optionalBody: true },
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event to a webhook endpoint.',
    description:
      'The event `webhook_endpoint.test` comes in order with all other events. It goes only ' +
      'to this endpoint, whatever event types the endpoint asks for. The answer is the ' +
      'event.',
    params: pathId('whe'),
    body: Closed({}, { title: 'WebhookTestRequest', type: ['object', 'null'] }),
    response: WebhookEndpointEvent,
    idempotent: true,
    refusals: ['not_found', 'webhook_endpoint_disabled'],
    async answer(request, claim) {
      const change = { kind: 'test', id: request.params.id } as const
      return deps.lanes.writeWebhook.run(commandOf(request, change, claim()))
    },
  })
}

function replayRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write(`${PATH}/:id/replay`, {
    config: { check: (body: ReplayRequest) => refuseIfAny(checkReplay(body)) },
    operationId: 'replayWebhookEvents',
    summary: 'Send events again.',
    description:
      'Events are sent in their order and with the same `webhook-id`, after pending ' +
      'deliveries about the same objects. Of a range, only those events are sent that the ' +
      'endpoint asks for, and that had a delivery before or are older than the endpoint; ' +
      'events named by id are always sent. With `has_more`, call again: with `sequence` ' +
      'from `next` to `last`, or for `dead` with the same body and another Idempotency-Key.',
    params: pathId('whe'),
    body: ReplayRequest,
    response: ReplayResponse,
    idempotent: true,
    refusals: ['not_found', 'webhook_endpoint_disabled'],
    async answer(request, claim) {
      const { id } = request.params
      const change = { kind: 'replay', id, request: request.body } as const
      return deps.lanes.writeWebhook.run(commandOf(request, change, claim()))
    },
  })
}
