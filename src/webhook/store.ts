// The SQL statements of webhook endpoints. A request locks the account's book and then the
// endpoint's row; the delivery worker locks the row alone.
import { rowsAsJson, type TransactionSql } from '../db/connect.ts'
import { keepHistory } from '../db/keep-history.ts'
import { findByKeys, keysOf } from '../db/keys.ts'
import { byId } from '../db/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import { among, eachShard, within } from '../db/shard.ts'
import type { Tag } from '../db/sql.ts'
import { type Key, nameOf } from '../id.ts'
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

/** Writes new, changed and deleted endpoints. An endpoint may occur once, in one of the lists. */
export function writeEndpoints(
  tx: TransactionSql,
  { created, changed, deleted }: Record<'created' | 'changed' | 'deleted', WebhookEndpoint[]>,
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

/** Writes the columns that may change. The endpoints must be locked in this transaction. */
async function updateEndpoints(
  tx: TransactionSql,
  rows: readonly WebhookEndpoint[],
): Promise<void> {
  await eachShard(
    rows,
    rows => tx`
    update webhook_endpoints e set
      url = r.url,
      description = r.description,
      event_types = r.event_types,
      status = r.status,
      disabled_reason = r.disabled_reason,
      secret = r.secret,
      previous_secret = r.previous_secret,
      previous_secret_until = r.previous_secret_until,
      delivery_count = r.delivery_count,
      updated_at = r.updated_at
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(account_id text, id text, url text, description text, event_types text[], status text,
        disabled_reason text, secret text, previous_secret text, previous_secret_until timestamptz,
        delivery_count bigint, updated_at timestamptz)
    where e.account_id = r.account_id and e.id = r.id ${within('e', rows)}`,
  )
}

/**
 * Deletes endpoints, which have no pending deliveries. Their other deliveries stay for timelines.
 */
async function deleteEndpoints(tx: TransactionSql, keys: readonly Key[]): Promise<void> {
  await eachShard(
    keys,
    keys => tx`
      delete from webhook_endpoints e using ${keysOf(keys)}
      where e.account_id = k.account_id and e.id = k.id ${within('e', keys)}`,
  )
}

/**
 * Endpoints by (account, id), in no order. Ids that are unknown or of other accounts have no row.
 */
export async function findEndpoints(sql: Tag, keys: readonly Key[]): Promise<WebhookEndpoint[]> {
  return findByKeys<WebhookEndpoint>(sql, 'webhook_endpoints', ENDPOINT_COLUMNS, keys)
}

/** Like findEndpoints, and locks the rows in the order of nameOf. Their books must be locked. */
export async function lockEndpoints(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<WebhookEndpoint[]> {
  const ordered = keys.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return eachShard(
    ordered,
    keys => tx<WebhookEndpoint[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select ${tx(ENDPOINT_COLUMNS)} from webhook_endpoints e
        where e.account_id = k.account_id and e.id = k.id ${within('e', keys)}
        limit 1 for update
      ) r`,
  )
}

/** The number of endpoints of each account; an account without any is absent. */
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

/** A page of the account's endpoints; undefined when the cursor names none of them. */
export function listEndpoints(
  sql: Tag,
  account_id: string,
  wanted: Wanted,
): Promise<Page<WebhookEndpoint> | undefined> {
  return findPage<WebhookEndpoint>(sql, LISTED, account_id, wanted)
}
