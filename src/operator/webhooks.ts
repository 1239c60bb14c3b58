// The deeds by which operators replay the events of an endpoint, or enable it.
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { bookId, type Key } from '../id.ts'
import { writeWebhook } from '../webhook/operations.ts'
import type { ReplayRequest } from '../webhook/request.ts'
import { findEndpoints } from '../webhook/store.ts'
import type { WebhookEndpoint } from '../webhook/webhook.ts'
import { accountIdOf } from './accounts.ts'
import { deedOf, known } from './deed.ts'

/** The deed that delivers events to an endpoint again. */
export function replayDeed({ account_id, id }: Key, request: ReplayRequest) {
  const change = { kind: 'replay', id, request } as const
  const command = { account_id, claim: null, change }
  return deedOf(writeWebhook(bookId), command, ({ endpoint, replayed }) => ({
    table_name: 'events',
    reason: '',
    before: null,
    after: { account_id, id: endpoint.id, delivered_again: String(replayed?.deliveries ?? 0) },
  }))
}

/**
 * The deed that enables an endpoint, which goes on where it stopped. Refuses (409) an endpoint that
 * its account has disabled.
 */
export function enableDeed({ account_id, id, disabled_reason }: WebhookEndpoint) {
  if (disabled_reason === 'account') {
    throw refusal('invalid_transition', `Its account has disabled ${id}, and enables it again.`)
  }
  const change = { kind: 'update', id, update: { status: 'enabled' } } as const
  return deedOf(writeWebhook(bookId), { account_id, claim: null, change }, null)
}

/** An endpoint of any account. Refuses (404) an unknown id. */
export async function endpointNamed(audit: Sql, id: string): Promise<WebhookEndpoint> {
  const account_id = await accountIdOf(audit, 'webhook endpoint', id)
  const [endpoint] = await findEndpoints(audit, [{ account_id, id }])
  return known('webhook endpoint', id, endpoint)
}
