// The SQL statements of entities. Writes run under the lock of the account's book.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { narrowToText } from '../../sql/find-by-text.ts'
import { findByKeys, keysOf } from '../../sql/keys.ts'
import { byId } from '../../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../../sql/page.ts'
import { inserter, updater } from '../../sql/rows.ts'
import { dropOutdated } from '../../sql/search-blocks.ts'
import { eachShard, isSpread, within } from '../../sql/shard.ts'
import type { Fragment, Tag } from '../../sql/sql.ts'
import { cutPage, type Followed, withinBytes } from '../../sql/within-bytes.ts'
import { type Key, nameOf } from '../../values/id.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { foundBy, partsOf } from '../../values/text/found-by.ts'
import { ENTITY_KINDS } from './columns.ts'
import { type Judged, keysByRule, MAX_REJECTED, type RuleName } from './duplicates.ts'
import { type Approval, approvalOf, type Entity, type FoundDuplicate } from './entity.ts'
import { type ApprovalStatus, IN_REVIEW } from './states.ts'

/** The column of each rule's identity key. */
export const KEY_COLUMNS = {
  email: 'email_key',
  national_identification_number: 'national_identification_key',
  name_and_address: 'name_address_key',
  registration_number: 'registration_key',
} as const satisfies Record<RuleName, string>

/** A row of an entity: its record, and the columns that indexes need. */
interface EntityRow extends Entity {
  readonly on_behalf_of: string
  readonly reference_id: string
  readonly email_key: string | null
  readonly national_identification_key: string | null
  readonly name_address_key: string | null
  readonly registration_key: string | null
  readonly import_key: string | null
  readonly found_by: string
}

/** The text by which lists find an entity of this record. */
export const foundByOf = (details: Entity['details']) =>
  foundBy({ ...details, names: [details.name] })

export function rowOf(
  entity: Entity,
  judged: readonly Judged[],
  import_key: string | null,
): EntityRow {
  const keys = keysByRule(judged)
  return {
    ...entity,
    on_behalf_of: entity.details.on_behalf_of ?? '',
    reference_id: entity.details.reference_id ?? '',
    email_key: keys.email,
    national_identification_key: keys.national_identification_number,
    name_address_key: keys.name_and_address,
    registration_key: keys.registration_number,
    import_key,
    found_by: foundByOf(entity.details),
  }
}

/** The columns that follow from the record. */
const INDEX_KINDS = {
  on_behalf_of: 'text',
  reference_id: 'text',
  email_key: 'hex',
  national_identification_key: 'hex',
  name_address_key: 'hex',
  registration_key: 'hex',
  found_by: 'text',
} as const

/** Partial unique indexes refuse a second live entity with the same identity. */
export const insertEntities = inserter<EntityRow>('entities', {
  ...ENTITY_KINDS,
  ...INDEX_KINDS,
  import_key: 'hex',
})

/** Inserts findings. The same one is kept once, and an entity keeps 100. */
export const insertDuplicates = inserter<FoundDuplicate>(
  'entity_duplicates',
  {
    account_id: 'text',
    entity_id: 'text',
    rule: 'text',
    differs: 'words',
    found_at: 'timestamptz',
  },
  'on conflict (account_id, entity_id, rule, differs) do nothing',
)

/** The findings of an entity, the oldest first. */
export function listDuplicates(sql: Tag, { account_id, id }: Key): Promise<FoundDuplicate[]> {
  return sql<FoundDuplicate[]>`
    select account_id, entity_id, rule, differs, found_at from entity_duplicates
    where account_id = ${account_id} and entity_id = ${id}
    order by found_at, rule, differs limit 100`
}

type ChangedRow = Omit<EntityRow, 'type' | 'import_key' | 'made_by' | 'created_at'>

/** Writes the columns that can change; a trigger refuses a step outside the table of states. */
export function updateEntities(tx: TransactionSql, entities: readonly ChangedRow[]) {
  return Promise.all([updateRows(tx, entities), ...dropOutdated(tx, 'entities', entities)])
}

const updateRows = updater<ChangedRow>('entities', ['account_id', 'id'], {
  account_id: 'text',
  id: 'text',
  details: 'json',
  approval_status: 'text',
  approval_status_description: 'text',
  approval_history: 'json',
  ...INDEX_KINDS,
  updated_at: 'timestamptz',
})

const COLUMNS = Object.keys(ENTITY_KINDS) as readonly (keyof Entity)[]

/** Entities by (account, id), in no order; a key without an entity has no row. */
export async function findEntities(sql: Tag, keys: readonly Key[]): Promise<Entity[]> {
  return findByKeys<Entity>(sql, 'entities', COLUMNS, keys)
}

const LISTED = {
  table: 'entities',
  columns: COLUMNS,
  order: byId('ent'),
  filters: ['reference_id', 'on_behalf_of', 'approval_status', 'type'],
  long: ['details', 'approval_history'],
} as const satisfies Listed

/** A page of the account's entities; undefined when its cursor names none of them. */
export async function listEntities(
  sql: Tag,
  account_id: string,
  { filters: { name, email, metadata, ...filters }, ...asked }: Wanted,
): Promise<Page<Entity> | undefined> {
  const parts = partsOf(omitUndefined({ name, email, metadata }))
  const all = { ...asked, filters }
  const [found, wanted] = await narrowToText(sql, LISTED, account_id, all, parts)
  return findPage<Entity>(sql, found, account_id, wanted)
}

/** An identity to look up; `key` is in hex digits. */
export interface Identity {
  readonly account_id: string
  readonly rule: RuleName
  readonly key: string
}

export interface Found {
  readonly key: string
  readonly entity: Entity
}

/**
 * Entities with these identities, by one index look-up each: the live entity, at most one for each
 * identity, or the oldest rejected entities.
 */
export async function findByIdentity(
  sql: Tag,
  identities: readonly Identity[],
  which: 'live' | 'rejected',
): Promise<Found[]> {
  // Each condition is that of partial indexes, and no index has this order. With an index's order,
  // a plan made while the table was small may scan all entities of the account.
  const condition =
    which === 'live'
      ? sql`and e.approval_status <> 'rejected' limit 1`
      : sql`and e.approval_status = 'rejected'
          order by e.created_at + interval '0', e.id limit ${REJECTED_READ}`
  const byRule = Map.groupBy(identities, ({ rule }) => rule)
  const found = await Promise.all(
    [...byRule].map(([rule, wanted]) => findByKey(sql, KEY_COLUMNS[rule], wanted, condition)),
  )
  return found.flat()
}

/**
 * The number of rejected entities to read: those that an explanation names, the explained entity
 * itself, and one that shows that more exist.
 */
const REJECTED_READ = MAX_REJECTED + 2

/** The entities made from these rows of files. */
export function findImported(
  sql: Tag,
  rows: readonly { readonly account_id: string; readonly import_key: string }[],
): Promise<Found[]> {
  const wanted = rows.map(({ account_id, import_key }) => ({ account_id, key: import_key }))
  return findByKey(sql, 'import_key', wanted, sql`limit 1`)
}

/** The entities with these keys in a column. `condition` limits the entities of each key. */
async function findByKey(
  sql: Tag,
  column: string,
  wanted: readonly { readonly account_id: string; readonly key: string }[],
  condition: Fragment,
): Promise<Found[]> {
  const rows = await eachShard(wanted, wanted => {
    const account_ids = wanted.map(({ account_id }) => account_id)
    const keys = wanted.map(({ key }) => key)
    return sql<(Entity & { key: string })[]>`
      select k.key, r.* from unnest(${account_ids}::text[], ${keys}::text[]) as k(account_id, key)
      cross join lateral (
        select ${sql(COLUMNS)} from entities e
        where e.account_id = k.account_id ${within('e', wanted)}
          and e.${sql(column)} = decode(k.key, 'hex') ${condition}
      ) r`
  })
  return rows.map(({ key, ...entity }) => ({ key, entity }))
}

/**
 * The match status, by `account_id/id`, of the given entities that may be on a sanctions list.
 */
export async function findListedEntities(sql: Tag, keys: readonly Key[]) {
  const columns = ['account_id', 'id', 'screening']
  const rows = await findByKeys<Key & { readonly screening: '' | 'open' | 'confirmed' }>(
    sql,
    'entities',
    columns,
    keys,
  )
  return new Map(
    rows.flatMap(({ screening, ...key }) =>
      screening === '' ? [] : [[nameOf(key), screening] as const],
    ),
  )
}

/** The approvals of entities, which refuse or hold payouts. */
export async function findApprovals(sql: Tag, keys: readonly Key[]): Promise<Approval[]> {
  return (await findEntities(sql, keys)).map(approvalOf)
}

/** Entities in review, in all accounts or in one, the longest unchanged first. */
export function listInReview(
  sql: Sql,
  statuses: readonly ApprovalStatus[],
  account_id: string | null,
  limit: number,
): Promise<Page<Entity>> {
  return cutAt(sql, limit, inReview(sql, statuses, account_id, limit))
}

/** A page of these rows. `rows` has one row more than `limit`. */
async function cutAt(sql: Sql, limit: number, rows: Fragment): Promise<Page<Entity>> {
  return cutPage(await sql<(Entity & Followed)[]>`${withinBytes(LISTED, rows)}`, limit)
}

/** The first condition is that of the partial index; `statuses` are among its values. */
function inReview(
  sql: Sql,
  statuses: readonly ApprovalStatus[],
  account_id: string | null,
  limit: number,
) {
  const within = account_id === null ? sql`` : sql`and account_id = ${account_id}`
  return sql`
    select ${sql(COLUMNS)} from entities
    where approval_status in ('submitted', 'resubmitted')
      and approval_status = any (${[...statuses]}::text[]) ${within}
    order by updated_at, id limit ${limit + 1}`
}

/**
 * Entities that wait for the operator, in all accounts or in one, the longest unchanged first:
 * entities in review, and entities of `holding`, which hold payouts, that were not submitted.
 */
export async function listWaiting(
  sql: Sql,
  holding: readonly Key[],
  account_id: string | null,
  limit: number,
): Promise<Page<Entity>> {
  if (isSpread()) return waitingOfShards(sql, holding, account_id, limit)
  const waiting = sql`
    (${inReview(sql, IN_REVIEW, account_id, limit)})
    union all
    (${notSubmitted(sql, holding)})
    order by updated_at, id limit ${limit + 1}`
  return cutAt(sql, limit, waiting)
}

/** The entities among `keys` that were not submitted, or must be submitted again. */
function notSubmitted(sql: Sql, keys: readonly Key[]) {
  return sql`
    select r.* from ${keysOf(keys)}
    cross join lateral (
      select ${sql(COLUMNS)} from entities e
      where e.account_id = k.account_id and e.id = k.id ${within('e', keys)} limit 1
    ) r
    where r.approval_status in ('pending', 'requires_action')`
}

/** Sends separate statements: Citus has no union of rows of all shards with rows of some keys. */
async function waitingOfShards(
  sql: Sql,
  holding: readonly Key[],
  account_id: string | null,
  limit: number,
): Promise<Page<Entity>> {
  const [reviewed, others] = await Promise.all([
    listInReview(sql, IN_REVIEW, account_id, limit),
    eachShard(holding, keys => sql<Entity[]>`${notSubmitted(sql, keys)}`),
  ])
  // An entity that was submitted between the two statements is in both.
  const all = [
    ...new Map([...others, ...reviewed.rows].map(entity => [entity.id, entity])).values(),
  ]
  const place = ({ updated_at, id }: Entity) => `${updated_at} ${id}`
  const sorted = all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
  // After the last of a page that bytes have cut, there may be others in review.
  const last = reviewed.has_more ? reviewed.rows.at(-1) : undefined
  const known = last && sorted.filter(entity => place(entity) <= place(last))
  const { rows, has_more } = cutPage(known ?? sorted, limit)
  return { rows, has_more: has_more || last !== undefined }
}

/**
 * Entities of one status, in all accounts or in one, newest first. Each account is one index
 * look-up.
 */
export async function listByStatus(
  sql: Sql,
  status: ApprovalStatus,
  account_id: string | null,
  limit: number,
): Promise<Page<Entity>> {
  const within = account_id === null ? sql`` : sql`where b.account_id = ${account_id}`
  const newest = sql`
    select r.* from books b
    cross join lateral (
      select ${sql(COLUMNS)} from entities e
      where e.account_id = b.account_id and e.approval_status = ${status}
      order by e.id desc limit ${limit + 1}
    ) r ${within}
    order by r.created_at desc, r.id desc limit ${limit + 1}`
  return cutAt(sql, limit, newest)
}
