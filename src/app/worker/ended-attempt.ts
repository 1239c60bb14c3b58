// What an attempt to deliver a webhook leaves to record.
import type { ClaimedDelivery, DeliveryResult } from '../../webhooks/queue-store.ts'
import { afterAttempt } from '../../webhooks/rules.ts'
import { NO_ANSWER, type SendResult } from '../../webhooks/send.ts'

export interface EndedAttempt {
  /** By performance.now(). */
  readonly at_ms: number
  readonly result: DeliveryResult
  readonly disables: boolean
  readonly label: 'succeeded' | 'refused' | 'unanswered'
  readonly account: 'live' | 'sandbox'
}

/** The result of a request that could not be made. It is retried like every other failure. */
export const NOT_MADE: SendResult = { ...NO_ANSWER, error: 'failed', duration_ms: 0 }

export function endedBy(delivery: ClaimedDelivery, sent: SendResult): EndedAttempt {
  const after = afterAttempt(delivery.attempts, sent, Math.random())
  const { retry_after_s: _, ...answered } = sent
  const refused = sent.status_code === null ? 'unanswered' : 'refused'
  return {
    at_ms: performance.now(),
    disables: after.disables,
    label: after.status === 'succeeded' ? 'succeeded' : refused,
    account: delivery.sandbox ? 'sandbox' : 'live',
    result: {
      delivery_id: delivery.id,
      claimed_until: delivery.due_at,
      number: delivery.attempts,
      status: after.status,
      retry_in_ms: after.status === 'pending' ? after.retry_in_ms : null,
      ...answered,
    },
  }
}
