// Makes an endpoint's deliveries from the events after its cursor, and moves the cursor.
import type { TransactionSql } from '../../sql/connect.ts'
import { listSubjectsAfter } from '../../statements/event/store.ts'
import { newId } from '../../values/id.ts'
import { deliveriesOf } from '../../webhooks/decide.ts'
import { insertDeliveries } from '../../webhooks/delivery-store.ts'
import { type LockedEndpoint, moveCursor } from '../../webhooks/queue-store.ts'
import { wants } from '../../webhooks/rules.ts'

const FAN_OUT = 500

/** Returns the sequence of the last event read. */
export async function fanOut(tx: TransactionSql, endpoint: LockedEndpoint): Promise<bigint> {
  const { account_id, account_now, fanned_out: after, event_count: to } = endpoint
  const events = await listSubjectsAfter(tx, account_id, { after, to }, FAN_OUT)
  const wanted = events.filter(event => wants(endpoint, event))
  const deliveries = deliveriesOf(endpoint, wanted, () => newId('whd'), account_now)
  const newest = events.at(-1)?.sequence ?? after
  await Promise.all([
    insertDeliveries(tx, deliveries),
    moveCursor(tx, endpoint, newest, deliveries.length),
  ])
  return newest
}
