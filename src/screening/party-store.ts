// The SQL statements of stored parties: the queue of changed ones, their state of screening, and
// the pass that compares all of them with a new version of the lists.
import { findBeneficiaries } from '../parties/beneficiary/store.ts'
import { findEntities } from '../parties/entity/store.ts'
import { transactConfined } from '../sql/confine.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import type { PartyScreening } from './match.ts'
import { beneficiaryParties, entityParties, type NamedParty } from './parties.ts'

function tableOf(id: string): 'beneficiaries' | 'entities' {
  return id.startsWith('bnf_') ? 'beneficiaries' : 'entities'
}

/** Claimed parties of one account. No other process compares them before `due_at`. */
export interface ClaimedParties {
  readonly account_id: string
  readonly party_ids: readonly string[]
  /**
   * The lease's end, which identifies the claim: a change meanwhile gives the party another one.
   */
  readonly due_at: Instant
}

/**
 * Claims up to `limit` due parties for `lease_ms`. A party that is still in the queue after that is
 * due again.
 */
export async function claimQueued(
  { finder, sql }: { readonly finder: Sql; readonly sql: Sql },
  limit: number,
  lease_ms: number,
): Promise<ClaimedParties[]> {
  const due = await finder<{ account_id: string; party_id: string }[]>`
    select account_id, party_id from screening_queue
    where due_at <= statement_timestamp() order by due_at limit ${limit}`
  const claims: ClaimedParties[] = []
  for (const [account_id, rows_due] of Map.groupBy(due, row => row.account_id)) {
    const due_ids = rows_due.map(({ party_id }) => party_id)
    const rows = await transactConfined(
      sql,
      [account_id],
      tx => tx<{ party_id: string; due_at: Instant }[]>`
        update screening_queue
        set due_at = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
        where account_id = ${account_id} and party_id = any (${due_ids}::text[])
          and due_at <= statement_timestamp()
        returning party_id, due_at`,
    )
    const [first] = rows
    if (first === undefined) continue
    const party_ids = rows.map(({ party_id }) => party_id)
    claims.push({ account_id, party_ids, due_at: first.due_at })
  }
  return claims
}

/** Deletes a claim's parties from the queue, except parties that have changed since the claim. */
export async function deleteQueued(sql: Sql, { account_id, party_ids, due_at }: ClaimedParties) {
  await transactConfined(
    sql,
    [account_id],
    tx => tx`
      delete from screening_queue where account_id = ${account_id}
        and party_id = any (${[...party_ids]}::text[]) and due_at = ${due_at}`,
  )
}

/** Queues a party for another comparison. The caller holds the lock of its account's book. */
export function queueParty(tx: TransactionSql, { account_id, id }: Key): Promise<unknown> {
  return tx`
    insert into screening_queue as q (account_id, party_id, due_at)
    values (${account_id}, ${id}, statement_timestamp())
    on conflict (account_id, party_id) do update set due_at = excluded.due_at`.execute()
}

/** A stored party with its queries to the lists. */
export interface ReadParty extends Key {
  readonly updated_at: Instant
  /** The entity and its representatives, or the beneficiary under each of its names. */
  readonly parties: readonly NamedParty[]
}

export async function readParties(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  const keys = Map.groupBy(
    ids.map(id => ({ account_id, id })),
    ({ id }) => tableOf(id),
  )
  const [entities, beneficiaries] = await Promise.all([
    findEntities(tx, keys.get('entities') ?? []),
    findBeneficiaries(tx, keys.get('beneficiaries') ?? []),
  ])
  const read = (
    { account_id, id, updated_at }: Omit<ReadParty, 'parties'>,
    parties: readonly NamedParty[],
  ) => ({ account_id, id, updated_at, parties })
  return [
    ...entities.map(entity => read(entity, entityParties(entity))),
    ...beneficiaries.map(one => read(one, beneficiaryParties(one.details))),
  ]
}

/** A party's row without its details, read under the lock of its account's book. */
export interface LockedParty extends Key {
  readonly updated_at: Instant
  readonly screening: PartyScreening
}

/** A party's row; undefined for an unknown id. The caller holds the lock of its account's book. */
export async function findParty(tx: Tag, { account_id, id }: Key) {
  const [row] = await tx<LockedParty[]>`
    select account_id, id, updated_at, screening from ${tx(tableOf(id))}
    where account_id = ${account_id} and id = ${id}`
  return row
}

export function updateScreening(
  tx: TransactionSql,
  { account_id, id }: Key,
  screening: PartyScreening,
): Promise<unknown> {
  return tx`
    update ${tx(tableOf(id))} set screening = ${screening}
    where account_id = ${account_id} and id = ${id}`.execute()
}

/** A claimed pass: one comparison of all parties with a version of the lists. */
interface ClaimedPass {
  readonly lists_version: bigint
  /** The account of the last compared party; '' before the first. */
  readonly after_account: string
  /** The last compared party; '' before the first. */
  readonly after_party: string
  /** The lease's end, which identifies the claim. */
  readonly due_at: Instant
}

/**
 * Claims the pass of this version, and begins it if no process has. Undefined when the pass is
 * done, another process has the claim, or there is a newer version.
 */
export async function claimPass(sql: Sql, version: bigint, lease_ms: number) {
  const [claimed] = await sql<ClaimedPass[]>`
    update screening_pass set lists_version = ${version}::bigint, is_done = false,
      after_account = case when lists_version < ${version}::bigint then '' else after_account end,
      after_party = case when lists_version < ${version}::bigint then '' else after_party end,
      due_at = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
    where due_at <= statement_timestamp() and (lists_version < ${version}::bigint
      or (lists_version = ${version}::bigint and not is_done))
    returning lists_version, after_account, after_party, due_at`
  return claimed
}

/** Ends a claim of the pass. The next process goes on after `last`; undefined ends the pass. */
export async function endTurn(
  sql: Sql,
  { lists_version, due_at }: ClaimedPass,
  last: Key | undefined,
): Promise<void> {
  await sql`
    update screening_pass set is_done = ${last === undefined},
      after_account = ${last?.account_id ?? ''}, after_party = ${last?.id ?? ''},
      due_at = statement_timestamp()
    where lists_version = ${lists_version} and due_at = ${due_at}`
}

export async function listPartiesAfter(
  finder: Sql,
  { after_account, after_party }: ClaimedPass,
  limit: number,
): Promise<Key[]> {
  const next = (table: string) => finder`
    (select account_id, id from ${finder(table)}
      where (account_id, id) > (${after_account}, ${after_party})
      order by account_id, id limit ${limit})`
  return finder<Key[]>`
    ${next('beneficiaries')} union all ${next('entities')}
    order by account_id, id limit ${limit}`
}

/** The count of a state stops here. */
const COUNTED = 100_000

/** The number of parties by state of screening, and in the queue as state `queued`. */
export async function countParties(finder: Sql) {
  return finder<{ state: string; parties: number }[]>`
    select state, count(*)::integer as parties from (
      (select screening as state from entities where screening <> '' limit ${COUNTED})
      union all
      (select screening from beneficiaries where screening <> '' limit ${COUNTED})
      union all
      (select 'queued' from screening_queue limit ${COUNTED})
    ) counted group by state`
}

/** A party with an open or confirmed match, as the operator's lists show it. */
interface ListedParty extends Key {
  readonly screening: 'open' | 'confirmed'
  readonly status: string
  /** The earliest `found_at` of the party's matches that nobody has cleared. */
  readonly found_at: Instant
}

/** A filter; '' is any. */
interface PartyFilter {
  readonly account_id: string
  readonly state: string
  readonly starting_after: string
}

/** A table's parties with an open or confirmed match, the oldest party first. */
export async function listListedParties(
  sql: Sql,
  table: 'beneficiaries' | 'entities',
  { account_id, state, starting_after }: PartyFilter,
  limit: number,
): Promise<ListedParty[]> {
  const status = {
    beneficiaries: sql`coalesce(p.details ->> 'status', 'active')`,
    entities: sql`p.approval_status`,
  }
  return sql<ListedParty[]>`
    select p.account_id, p.id, p.screening, ${status[table]} as status, m.found_at
    from ${sql(table)} p
    cross join lateral (
      select min(found_at) as found_at from screening_matches m
      where m.account_id = p.account_id and m.object_id = p.id and m.state <> 'cleared'
    ) m
    where p.screening <> '' and (${account_id} = '' or p.account_id = ${account_id})
      and (${state} = '' or p.screening = ${state}) and p.id > ${starting_after}
    order by p.id limit ${limit}`
}
