// Webhook endpoints that fail: lists them, enables one, and delivers its dead events again.
import { pathId } from '../http/docs.ts'
import { Id, Literals, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { bookId, type Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { writeWebhook } from '../webhooks/operations.ts'
import type { ReplayRequest } from '../webhooks/request.ts'
import { presentReplay, ReplayResponse } from '../webhooks/response.ts'
import { findEndpoints } from '../webhooks/store.ts'
import type { WebhookEndpoint } from '../webhooks/webhook.ts'
import { type ActionGroup, paging, writing } from './action.ts'
import { accountIdOf, known, writeOf } from './operator-write.ts'
import { AccountId, PageQuery } from './request.ts'

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

const MAX_COUNTED = 1_000

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

const list = paging({
  name: 'webhook list',
  path: '/v3/operator/webhook_endpoint',
  operationId: 'listFailingEndpoints',
  summary: 'List webhook endpoints that are disabled or have dead deliveries.',
  description: 'The oldest endpoint first.',
  query: PageQuery('whe', {}),
  response: FailingResponse,
  find: (audit, { starting_after = '' }, limit) => listFailing(audit, starting_after, limit + 1),
  present: ({ url, ...endpoint }) => ({ ...endpoint, host: new URL(url).host }),
})

/** `corridor events replay` delivers dead events, and others, again. */
const replay = writing({
  name: 'events replay',
  path: '/v3/operator/webhook_endpoint/:id/replay',
  operationId: 'replayDead',
  summary: 'Deliver every event again whose last delivery to an endpoint is dead.',
  description:
    'The events have the same `webhook-id`, by which a receiver knows which ones it already ' +
    'has.',
  params: pathId('whe'),
  emptyBody: 'NothingRequest',
  response: ReplayResponse,
  refusals: ['invalid_transition'],
  async run(acting, { id }) {
    const write = replayWrite(await endpointNamed(acting.audit, id), { status: 'dead' })
    return acting.write(write, {
      answer: ({ endpoint, replayed }) => presentReplay(endpoint, replayed),
    })
  },
})

const enable = writing({
  name: 'webhook enable',
  path: '/v3/operator/webhook_endpoint/:id/enable',
  operationId: 'enableEndpoint',
  summary: 'Enable an endpoint that was disabled because it answered 410.',
  description:
    'Deliveries continue where they stopped, and no event is missed. An endpoint that its ' +
    'account has disabled can be enabled only by its account.',
  params: pathId('whe'),
  emptyBody: 'NothingRequest',
  response: EndpointState,
  refusals: ['invalid_transition'],
  async run(acting, { id }) {
    const write = enableWrite(await endpointNamed(acting.audit, id))
    return acting.write(write, { answer: ({ endpoint }) => presentState(endpoint) })
  },
})

export const webhooks: ActionGroup = { actions: [list, replay, enable] }

export function replayWrite({ account_id, id }: Key, request: ReplayRequest) {
  const change = { kind: 'replay', id, request } as const
  const command = { account_id, claim: null, change }
  return writeOf(writeWebhook(bookId), command, ({ endpoint, replayed }) => ({
    table_name: 'events',
    reason: '',
    before: null,
    after: { account_id, id: endpoint.id, delivered_again: String(replayed?.deliveries ?? 0) },
  }))
}

/** Refuses (409) an endpoint that its account has disabled. */
function enableWrite({ account_id, id, disabled_reason }: WebhookEndpoint) {
  if (disabled_reason === 'account') {
    throw refusal('invalid_transition', `Its account has disabled ${id}, and enables it again.`)
  }
  const change = { kind: 'update', id, update: { status: 'enabled' } } as const
  return writeOf(writeWebhook(bookId), { account_id, claim: null, change }, null)
}

/** Refuses (404) an unknown id. */
async function endpointNamed(audit: Sql, id: string): Promise<WebhookEndpoint> {
  const account_id = await accountIdOf(audit, 'webhook endpoint', id)
  const [endpoint] = await findEndpoints(audit, [{ account_id, id }])
  return known('webhook endpoint', id, endpoint)
}

function presentState({ id, account_id, url, status, disabled_reason }: WebhookEndpoint) {
  return { id, account_id, host: new URL(url).host, status, disabled_reason }
}

interface FailingEndpoint {
  readonly account_id: string
  readonly id: string
  readonly url: string
  readonly status: 'enabled' | 'disabled'
  /** Why it is disabled: by its account, or because it answered 410; '' while it is enabled. */
  readonly disabled_reason: '' | 'account' | 'gone'
  /** How many events have a dead last delivery; at most MAX_COUNTED. */
  readonly dead: number
  readonly dead_since: Instant | null
}

/** The oldest first. */
export async function listFailing(
  audit: Sql,
  starting_after: string,
  limit: number,
): Promise<FailingEndpoint[]> {
  return audit<FailingEndpoint[]>`
    select e.account_id, e.id, e.url, e.status, e.disabled_reason, d.dead, d.dead_since
    from webhook_endpoints e
    cross join lateral (
      select count(*)::integer as dead, min(created_at) as dead_since from (
        select d.created_at from webhook_deliveries d
        where d.account_id = e.account_id and d.endpoint_id = e.id and d.status = 'dead'
          and not exists (
            select from webhook_deliveries l
            where l.account_id = e.account_id and l.event_id = d.event_id and l.event_id <> ''
              and l.endpoint_id = d.endpoint_id and l.number > d.number)
        order by d.created_at, d.id limit ${MAX_COUNTED}
      ) d
    ) d
    where e.id > ${starting_after} and (e.status = 'disabled' or d.dead > 0)
    order by e.id limit ${limit}`
}

/** How many enabled endpoints have an event or a delivery due for at least `late_s` seconds. */
export async function countLate(audit: Sql, late_s: number): Promise<number> {
  const [row] = await audit<{ endpoints: number }[]>`
    select count(*)::integer as endpoints from webhook_endpoints e
    join books b using (account_id)
    where e.status = 'enabled' and (
      exists (
        select from webhook_deliveries d
        where d.account_id = e.account_id and d.endpoint_id = e.id
          and d.due_at <= statement_timestamp() - make_interval(secs => ${late_s}))
      or exists (
        select from events v
        where v.account_id = e.account_id and v.sequence > e.fanned_out
          and v.created_at
            <= statement_timestamp() + b.clock_ahead - make_interval(secs => ${late_s})))`
  return row?.endpoints ?? 0
}
