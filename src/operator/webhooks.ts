// Webhooks whose deliveries have failed, and what operators do about them.
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { bookId, type Key } from '../id.ts'
import { writeWebhook } from '../webhook/operations.ts'
import type { ReplayRequest } from '../webhook/request.ts'
import { findEndpoints } from '../webhook/store.ts'
import type { WebhookEndpoint } from '../webhook/webhook.ts'
import { accountIdOf } from './accounts.ts'
import { deedOf, known } from './deed.ts'

/** Delivers events to an endpoint again. */
export function replay({ account_id, id }: Key, request: ReplayRequest) {
  const change = { kind: 'replay', id, request } as const
  const command = { account_id, claim: null, change }
  return deedOf(writeWebhook(bookId), command, ({ endpoint, replayed }) => ({
    table_name: 'events',
    reason: '',
    before: null,
    after: { account_id, id: endpoint.id, delivered_again: String(replayed?.deliveries ?? 0) },
  }))
}

/** Enables an endpoint that answered 410. It goes on where it stopped. */
export function enabling({ account_id, id, disabled_reason }: WebhookEndpoint) {
  if (disabled_reason === 'account') {
    throw refusal('invalid_transition', `Its account has disabled ${id}, and enables it again.`)
  }
  const change = { kind: 'update', id, update: { status: 'enabled' } } as const
  return deedOf(writeWebhook(bookId), { account_id, claim: null, change }, null)
}

/** An endpoint of any account. Refuses an unknown id. */
export async function endpointNamed(audit: Sql, id: string): Promise<WebhookEndpoint> {
  const account_id = await accountIdOf(audit, 'webhook endpoint', id)
  const [endpoint] = await findEndpoints(audit, [{ account_id, id }])
  return known('webhook endpoint', id, endpoint)
}
