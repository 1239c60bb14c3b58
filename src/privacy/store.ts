// The statements of erasures. They run under the lock of the account's book.
import type { Act } from '../audit/act.ts'
import { recordActs } from '../audit/store.ts'
import { findBeneficiaries, updateBeneficiaries } from '../beneficiary/store.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { findAccountOf } from '../db/keys.ts'
import { judge } from '../entity/duplicates.ts'
import { findEntities, rowOf, updateEntities } from '../entity/store.ts'
import { EVENT_SEAL } from '../event/rules.ts'
import type { KeptReply } from '../idempotency/kept-reply.ts'
import { EMPTY_HASH } from '../ledger/rules.ts'
import { type ErasedRow, type Party, partyKind, type Retention } from './privacy.ts'
import type { Erased, StoredParty } from './rules.ts'

/** The account of a party: people name it by its id alone. */
export function findPartyAccount(sql: Sql, id: string): Promise<string | undefined> {
  return findAccountOf(sql, partyKind(id) === 'entity' ? 'entities' : 'beneficiaries', id)
}

export async function findParty(
  sql: Sql | TransactionSql,
  party: Party,
): Promise<StoredParty | undefined> {
  if (partyKind(party.id) === 'entity') {
    const [row] = await findEntities(sql, [party])
    return row && { kind: 'entity', row }
  }
  const [row] = await findBeneficiaries(sql, [party])
  return row && { kind: 'beneficiary', row }
}

/** The rows of events that say what a party was like, with what they will be vouched for by. */
export async function findTellingEvents(
  sql: TransactionSql,
  { account_id, id }: Party,
): Promise<ErasedRow[]> {
  const rows = await sql.unsafe<{ key: string; was: string; becomes: string }[]>(
    `select r.sequence::text as key, encode(r.hash, 'hex') as was,
        encode(${EVENT_SEAL.sql('r')}, 'hex') as becomes
      from (
        select coalesce((
            select b.hash from events b
            where b.account_id = e.account_id and b.sequence < e.sequence
            order by b.sequence desc limit 1
          ), decode('${EMPTY_HASH}', 'hex')) as previous, e.account_id, e.sequence, e.created_at,
          e.told, e.type, e.object_id, erased_event(e.type, e.data) as data, e.content, e.kept,
          e.hash, e.data::text as said
        from events e where e.account_id = $1 and e.object_id = $2 and e.object_id <> ''
      ) r where r.data::text <> r.said order by r.sequence`,
    [account_id, id],
  )
  return rows.map(row => ({ table_name: 'events', ...row }))
}

/** The answers that show a party and are kept. */
export function findRepliesOf(
  sql: TransactionSql,
  { account_id, id }: Party,
): Promise<KeptReply[]> {
  return sql<KeptReply[]>`
    select account_id, operation, key, encode(request_hash, 'hex') as request_hash, status, body,
      object_id, state, created_at
    from idempotency_keys
    where account_id = ${account_id} and strpos(body, ${id}) > 0
      and (operation like '%/v3/beneficiary%' or operation like '%/v3/entity%')
      and body::json #>> '{data,id}' = ${id}
    order by operation, key`
}

/** How many payouts were made to a beneficiary, or for an entity. */
export async function countPayoutsOf(
  sql: TransactionSql,
  { account_id, id }: Party,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from payouts
    where account_id = ${account_id} and (beneficiary_id = ${id} or on_behalf_of = ${id})`
  return row?.count ?? 0
}

/** Sends all statements before it returns: what is erased is named first, as triggers want it. */
export function storeErasure(tx: TransactionSql, erased: Erased): Promise<unknown> {
  const { account_id, party_id, party, rows, replies } = erased
  const told = rows.filter(row => row.table_name === 'events').map(row => row.key)
  return Promise.all([
    insertErasures(tx, erased),
    recordActs(tx, [actOf(erased)]),
    party.kind === 'beneficiary'
      ? updateBeneficiaries(tx, [party.row])
      : updateEntities(tx, [rowOf(party.row, judge(party.row), null)]),
    told.length > 0 &&
      tx`update events set data = erased_event(type, data)
        where account_id = ${account_id} and object_id = ${party_id} and object_id <> ''
          and sequence = any (${told}::text[]::bigint[])`.execute(),
    ...replies.map(({ reply }) =>
      tx`update idempotency_keys set body = ${reply.body} where account_id = ${account_id}
        and operation = ${reply.operation} and key = ${reply.key}`.execute(),
    ),
  ])
}

/** In the audit log there are ids and the digest, and nothing of the person. */
function actOf({ account_id, party_id: id, party, digest, rows, reason }: Erased): Act {
  const table_name = party.kind === 'beneficiary' ? 'beneficiaries' : 'entities'
  const after = { account_id, id, erased_rows: String(rows.length), erasure: digest }
  return { table_name, reason, before: null, after }
}

function insertErasures(tx: TransactionSql, erased: Erased): Promise<unknown> {
  const { account_id, party_id, erased_at, erased_by, reason, rows } = erased
  return tx`
    insert into erasures (account_id, party_id, erased_at, erased_by, reason, table_name, key, was,
      becomes)
    select ${account_id}, ${party_id}, ${erased_at}::timestamptz, ${erased_by}, ${reason},
      table_name, key, decode(was, 'hex'), decode(becomes, 'hex')
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(table_name text, key text, was text, becomes text)`.execute()
}

export async function findRetention(sql: Sql | TransactionSql): Promise<Retention> {
  const [row] = await sql<Retention[]>`
    select retention_years as years, set_by, reason from privacy_settings`
  if (row === undefined) throw new Error('privacy_settings has no row')
  return row
}

export async function updateRetention(sql: Sql, retention: Retention): Promise<void> {
  const { years, set_by, reason } = retention
  await sql`update privacy_settings set retention_years = ${years}, set_by = ${set_by},
    reason = ${reason} where only_row`
}
