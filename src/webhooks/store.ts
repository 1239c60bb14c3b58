// The SQL statements of endpoints. A request locks the account's book before the endpoint's row;
// the delivery worker locks the row alone.
import type { TransactionSql } from '../sql/connect.ts'
import { keepHistory } from '../sql/keep-history.ts'
import { findByKeys, selectByKeys } from '../sql/keys.ts'
import { byId } from '../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../sql/page.ts'
import { deleter, inserter, updater } from '../sql/rows.ts'
import { among, eachShard } from '../sql/shard.ts'
import type { Tag } from '../sql/sql.ts'
import { inLockOrder, type Key } from '../values/id.ts'
import type { WebhookEndpoint } from './webhook.ts'

const KINDS = {
  account_id: 'text',
  id: 'text',
  url: 'text',
  description: 'text',
  event_types: 'words',
  status: 'text',
  disabled_reason: 'text',
  secret: 'text',
  previous_secret: 'text',
  previous_secret_until: 'timestamptz',
  fanned_out: 'bigint',
  delivery_count: 'bigint',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

export const ENDPOINT_COLUMNS = Object.keys(KINDS) as readonly (keyof typeof KINDS)[]

/** Each endpoint occurs once. */
export function writeEndpoints(
  tx: TransactionSql,
  {
    created,
    changed,
    deleted,
  }: Record<'created' | 'changed' | 'deleted', readonly WebhookEndpoint[]>,
): Promise<unknown> {
  return keepHistory(tx, 'webhook_endpoints', [...created, ...changed, ...deleted], () =>
    Promise.all([
      insertEndpoints(tx, created),
      updateEndpoints(tx, changed),
      deleteEndpoints(tx, deleted),
    ]),
  )
}

const insertEndpoints = inserter<WebhookEndpoint>('webhook_endpoints', KINDS)

const { fanned_out: _cursor, created_at: _created, ...CHANGING } = KINDS

/** The endpoints must be locked in this transaction. */
const updateEndpoints = updater<Omit<WebhookEndpoint, 'fanned_out' | 'created_at'>>(
  'webhook_endpoints',
  ['account_id', 'id'],
  CHANGING,
)

/** Deletes endpoints without pending deliveries. Their other deliveries stay for timelines. */
const deleteEndpoints = deleter<Key>('webhook_endpoints', { account_id: 'text', id: 'text' })

/** Endpoints in no order. Ids that are unknown or of other accounts have no row. */
export async function findEndpoints(sql: Tag, keys: readonly Key[]): Promise<WebhookEndpoint[]> {
  return findByKeys<WebhookEndpoint>(sql, 'webhook_endpoints', ENDPOINT_COLUMNS, keys)
}

/** Locks in the order of nameOf. Their books must be locked. */
export async function lockEndpoints(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<WebhookEndpoint[]> {
  return selectByKeys<WebhookEndpoint>(
    tx,
    'id',
    inLockOrder(keys),
    ofKey => tx`
      select ${tx(ENDPOINT_COLUMNS)} from webhook_endpoints t where ${ofKey} limit 1 for update`,
  )
}

/** An account without any is absent. */
export async function countEndpoints(
  tx: TransactionSql,
  account_ids: readonly string[],
): Promise<{ readonly account_id: string; readonly count: number }[]> {
  return eachShard(
    account_ids.map(account_id => ({ account_id })),
    accounts => tx<{ account_id: string; count: number }[]>`
      select account_id, count(*)::integer as count from webhook_endpoints e
      where ${among('e', accounts)} group by account_id`,
  )
}

const LISTED: Listed = {
  table: 'webhook_endpoints',
  columns: ENDPOINT_COLUMNS,
  order: byId('whe'),
  filters: [{ name: 'status', by: 'status', leads: 'never' }],
}

/** Undefined when the cursor names no endpoint of the account. */
export function listEndpoints(
  sql: Tag,
  account_id: string,
  wanted: Wanted,
): Promise<Page<WebhookEndpoint> | undefined> {
  return findPage<WebhookEndpoint>(sql, LISTED, account_id, wanted)
}
