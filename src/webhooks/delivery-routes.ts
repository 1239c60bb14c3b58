// GET /v3/webhook_endpoint/{id}/delivery and GET …/delivery/{delivery_id}.
import type { FastifyInstance } from 'fastify'
import type { Finds, Reads } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { sendList, success } from '../http/answer.ts'
import { pathId } from '../http/docs.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { addRoute } from '../http/route.ts'
import { Type } from '../http/type.ts'
import { found } from '../values/errors.ts'
import { idPattern } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { findDeliveries, listAttempts, listDeliveries, onAccountClock } from './delivery-store.ts'
import { DeliveryQuery } from './request.ts'
import {
  DeliveryResponse,
  DeliverySummary,
  presentDelivery,
  presentDeliveryWith,
} from './response.ts'
import type { Delivery, WebhookEndpoint } from './webhook.ts'

const PATH = '/v3/webhook_endpoint/:id/delivery'

const DeliveryParams = Type.Object({
  ...pathId('whe').properties,
  delivery_id: Type.String({
    pattern: idPattern('whd'),
    description: 'The delivery’s id, `whd_…`.',
  }),
})

interface Needs extends Pick<Reads, 'read'> {
  readonly readers: { readonly webhookEndpoint: Finds<WebhookEndpoint> }
}

export function deliveryRoutes(app: FastifyInstance, routes: AccountRoutes, deps: Needs): void {
  listRoute(app, deps)
  getRoute(routes, deps)
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Params: { id: string }; Querystring: ListQuery }>(app, PATH, 'read', {
    config: { checkQuery: checkList },
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook endpoint, newest first.',
    description: 'Deliveries are kept until 30 days after they end.',
    params: pathId('whe'),
    querystring: DeliveryQuery,
    response: ListOf(DeliverySummary),
    refusals: ['not_found', 'invalid_query_parameter'],
    async send(request, reply) {
      const wanted = readList(request.query)
      const { account_id } = request.account
      const key = { account_id, id: request.params.id }
      const endpoint = found(await deps.readers.webhookEndpoint(key))
      const page = await deps.read(key.account_id, tx => listDeliveries(tx, key, wanted))
      const next_times = await nextAttemptTimes(deps, endpoint, page?.rows ?? [])
      const present = (row: Delivery) => presentDelivery(row, next_times.get(row.id) ?? null)
      return sendList(request, reply, success(await presentList(page, wanted, present)))
    },
  })
}

function getRoute(routes: AccountRoutes, deps: Needs): void {
  routes.read(`${PATH}/:delivery_id`, {
    operationId: 'getWebhookDelivery',
    summary: 'Fetch a delivery with its attempts.',
    params: DeliveryParams,
    response: DeliveryResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id, delivery_id } }) {
      const endpoint = found(await deps.readers.webhookEndpoint({ account_id, id }))
      const key = { account_id, id: delivery_id }
      const [deliveries, attempts] = await deps.read(account_id, tx =>
        Promise.all([findDeliveries(tx, [key]), listAttempts(tx, key)]),
      )
      const delivery = found(deliveries.find(({ endpoint_id }) => endpoint_id === id))
      const next_times = await nextAttemptTimes(deps, endpoint, [delivery])
      return presentDeliveryWith(delivery, next_times.get(delivery.id) ?? null, attempts)
    },
  })
}

/** The time of each next attempt by the account's clock, by delivery id; none while disabled. */
async function nextAttemptTimes(
  deps: Needs,
  { account_id, status }: WebhookEndpoint,
  deliveries: readonly Delivery[],
): Promise<Map<string, Instant>> {
  const due = deliveries.flatMap(({ id, due_at }) =>
    due_at === null || status === 'disabled' ? [] : [[id, due_at] as const],
  )
  const due_times = due.map(([, due_at]) => due_at)
  const times = await deps.read(account_id, tx => onAccountClock(tx, account_id, due_times))
  return new Map(due.map(([id, due_at], i) => [id, times[i] ?? due_at]))
}
