// The SQL statements of erasures. They run under the lock of the account's book.
import type { KeptReply } from '../http/idempotency/kept-reply.ts'
import { KEPT_HOURS } from '../http/idempotency/rules.ts'
import type { Act } from '../ledger/audit/act.ts'
import { recordActs } from '../ledger/audit/store.ts'
import { EMPTY_HASH } from '../ledger/rules.ts'
import { findBeneficiaries, updateBeneficiaries } from '../parties/beneficiary/store.ts'
import { judge } from '../parties/entity/duplicates.ts'
import { findEntities, rowOf, updateEntities } from '../parties/entity/store.ts'
import { payeeOf } from '../parties/payee.ts'
import { writtenPayout } from '../payouts/columns.ts'
import { removeMetadata } from '../payouts/metadata-store.ts'
import { ERASED_HASH } from '../screening/match.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { findAccountOf } from '../sql/keys.ts'
import type { Tag } from '../sql/sql.ts'
import { EVENT_SEAL } from '../statements/event/rules.ts'
import { type ErasedRow, type Party, partyKind, type Retention } from './privacy.ts'
import type { Erased, KeepReasons, StoredParty } from './rules.ts'

/** The account of a party, of which people give the id alone. */
export function findPartyAccount(sql: Sql, id: string): Promise<string | undefined> {
  return findAccountOf(sql, partyKind(id) === 'entity' ? 'entities' : 'beneficiaries', id)
}

export async function findParty(sql: Tag, party: Party): Promise<StoredParty | undefined> {
  if (partyKind(party.id) === 'entity') {
    const [row] = await findEntities(sql, [party])
    return row && { kind: 'entity', row }
  }
  const [row] = await findBeneficiaries(sql, [party])
  return row && { kind: 'beneficiary', row }
}

/** Rows with personal data, with their digests after the erasure. */
export async function findEventsToErase(
  sql: TransactionSql,
  account_id: string,
  ids: readonly string[],
): Promise<ErasedRow[]> {
  const rows = await sql.unsafe<{ key: string; was: string; becomes: string }[]>(
    `select r.sequence::text as key, encode(r.hash, 'hex') as was,
        encode(${EVENT_SEAL.sql('r')}, 'hex') as becomes
      from (
        select coalesce((
            select b.hash from events b
            where b.account_id = e.account_id and b.sequence < e.sequence
            order by b.sequence desc limit 1
          ), (
            select c.hash from event_cuts c where c.account_id = e.account_id
            order by c.sequence desc limit 1
          ), decode('${EMPTY_HASH}', 'hex')) as previous, e.account_id, e.sequence, e.created_at,
          e.told, e.type, e.object_id, erased_event(e.type, e.object_id, e.data) as data,
          e.content, e.kept, e.hash, e.data::text as said
        from events e
        where e.account_id = $1 and e.object_id = any ($2::text[]) and e.object_id <> ''
      ) r where r.data::text <> r.said order by r.sequence`,
    [account_id, [...ids]],
  )
  return rows.map(row => ({ table_name: 'events', ...row }))
}

export function findRepliesOf(
  sql: TransactionSql,
  { account_id, id }: Party,
): Promise<KeptReply[]> {
  return sql<KeptReply[]>`
    select account_id, operation, key, encode(request_hash, 'hex') as request_hash, status, body,
      headers, created_at
    from idempotency_keys
    where account_id = ${account_id} and strpos(body, ${id}) > 0
      and (operation like '%/v3/beneficiary%' or operation like '%/v3/entity%')
      and body::json #>> '{data,id}' = ${id}
    order by operation, key`
}

/** The payouts to or for the party, the oldest first. */
export async function findPayoutsOf(sql: Tag, { account_id, id }: Party): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payouts
    where account_id = ${account_id} and (beneficiary_id = ${id} or on_behalf_of = ${id})
    order by id`
  return rows.map(row => row.id)
}

const MAX_NAMED = 3

/** `ids` are those of all the party's payouts. */
export async function findKeepReasons(
  tx: TransactionSql,
  { account_id, id: party_id }: Party,
  ids: readonly string[],
): Promise<KeepReasons> {
  const of_payouts = tx`account_id = ${account_id} and payout_id = any (${[...ids]}::text[])`
  const by_id = tx`account_id = ${account_id} and id = any (${[...ids]}::text[])`
  const [row] = await tx<KeepReasons[]>`
    select a.sandbox as is_sandbox, s.retention_years as years,
      array(select id from open_payouts where ${by_id}
        union
        select payout_id from evm_slots
        where ${of_payouts} and purpose = 'pay' and state in ('signed', 'sent', 'mined')
        order by 1 limit ${MAX_NAMED}) as open,
      array(select distinct object_id from screening_matches
        where account_id = ${account_id} and state <> 'cleared'
          and (object_id = ${party_id} or object_id = any (${[...ids]}::text[]))
        order by 1 limit ${MAX_NAMED}) as matched,
      array(select distinct payout_id from (
        select payout_id from rail_exceptions where ${of_payouts} and closed_at is null
        union all
        select i.payout_id from rail_items i join rail_inbox_lines l
          on l.payment = i.end_to_end_id and l.closed_by = ''
        where i.account_id = ${account_id} and i.payout_id = any (${[...ids]}::text[])
      ) d order by 1 limit ${MAX_NAMED}) as in_doubt,
      (select max(created_at) + ${`${KEPT_HOURS} hours`}::interval from idempotency_keys i
        where account_id = ${account_id} and exists (
          select from unnest(${[...ids]}::text[]) as p (id) where strpos(i.body, p.id) > 0)
        ) as answers_until,
      (select max(greatest(p.created_at, o.updated_at)) + make_interval(years => s.retention_years)
        from payouts p left join payout_outcomes o on o.account_id = p.account_id and o.id = p.id
        where p.account_id = ${account_id} and p.id = any (${[...ids]}::text[])
        ) as retained_until
    from accounts a cross join privacy_settings s where a.account_id = ${account_id}`
  if (row === undefined) throw new Error(`there is no account ${account_id}`)
  return row
}

/** Files with these payouts that are older than the retention. */
export async function findOldFiles(
  tx: TransactionSql,
  account_id: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ msg_id: string }[]>`
    select f.msg_id from rail_files f
    where f.msg_id in (
      select unnest(i.earlier_files || i.msg_id) from rail_items i
      where i.account_id = ${account_id} and i.payout_id = any (${[...ids]}::text[]))
      and f.bytes <> '' and f.state in ('sent', 'acknowledged', 'rejected', 'withdrawn')
      and f.sealed_at <= clock_timestamp()
        - make_interval(years => (select retention_years from privacy_settings))
    order by 1`
  return rows.map(row => row.msg_id)
}

/** Files from banks about these payouts that are older than the retention. */
export async function findOldInbox(
  tx: TransactionSql,
  account_id: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ sha256: string }[]>`
    select encode(f.sha256, 'hex') as sha256 from rail_inbox f
    where f.sha256 in (
      select sha256 from rail_item_evidence
      where account_id = ${account_id} and payout_id = any (${[...ids]}::text[]))
      and f.kept and (f.state = 'read' or f.closed_by <> '')
      and f.received_at <= clock_timestamp()
        - make_interval(years => (select retention_years from privacy_settings))
      and not exists (
        select from rail_inbox_lines l where l.sha256 = f.sha256 and l.closed_by = '')
    order by 1`
  return rows.map(row => row.sha256)
}

/** Sends all statements before it returns, first the insert that triggers require. */
export function storeErasure(tx: TransactionSql, erased: Erased): Promise<unknown> {
  const { account_id, party, rows, replies } = erased
  const event_keys = rows.filter(row => row.table_name === 'events').map(row => row.key)
  return Promise.all([
    insertErasures(tx, erased),
    recordActs(tx, [actOf(erased)]),
    party.kind === 'beneficiary'
      ? updateBeneficiaries(tx, [party.row])
      : updateEntities(tx, [rowOf(party.row, judge(party.row), null)]),
    event_keys.length > 0 &&
      tx`update events set data = erased_event(type, object_id, data)
        where account_id = ${account_id}
          and sequence = any (${event_keys}::text[]::bigint[])`.execute(),
    erasePayouts(tx, erased),
    ...replies.map(({ reply }) =>
      tx`update idempotency_keys set body = ${reply.body} where account_id = ${account_id}
        and operation = ${reply.operation} and key = ${reply.key}`.execute(),
    ),
  ])
}

/** Ids and the digest, but no personal data. */
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

export async function findRetention(sql: Tag): Promise<Retention> {
  const [row] = await sql<Retention[]>`
    select retention_years as years, event_days, inbox_days, set_by, reason from privacy_settings`
  if (row === undefined) throw new Error('privacy_settings has no row')
  return row
}

export async function updateRetention(sql: Sql, retention: Retention): Promise<void> {
  const { years, event_days, inbox_days, set_by, reason } = retention
  await sql`update privacy_settings set retention_years = ${years}, event_days = ${event_days},
    inbox_days = ${inbox_days}, set_by = ${set_by}, reason = ${reason} where only_row`
}

function erasePayouts(tx: TransactionSql, erased: Erased): Promise<unknown> {
  const { account_id, party_id, payouts, before } = erased
  const ids = payouts.map(({ id }) => id)
  const payees = [
    ...new Set(before.map(({ beneficiary_details: d }) => payeeOf(d.destination_details))),
  ]
  const keysOf = (table: string) =>
    erased.rows.flatMap(row => (row.table_name === table ? [row.key] : []))
  const [files, inbox] = [keysOf('rail_files'), keysOf('rail_inbox_bytes')]
  if (ids.length === 0) {
    return Promise.all([
      eraseScreening(tx, account_id, [party_id]),
      eraseAnswers(tx, account_id, [party_id]),
    ])
  }
  return Promise.all([
    updatePayouts(tx, erased),
    eraseWords(tx, account_id, ids),
    eraseScreening(tx, account_id, [party_id, ...ids]),
    eraseAnswers(tx, account_id, [party_id, ...ids]),
    removeMetadata(tx, account_id, before),
    tx`delete from limit_payees
      where account_id = ${account_id} and payee = any (${payees}::text[])`.execute(),
    tx`update payout_approvals set payee = ''
      where account_id = ${account_id} and payout_id = any (${ids}::text[])
        and payee <> ''`.execute(),
    tx`delete from approved_payees
      where account_id = ${account_id} and payout_id = any (${ids}::text[])`.execute(),
    tx`select erase_files(${files}::text[])`.execute(),
    tx`select sweep_inbox(${inbox}::text[], ${inbox.length}::integer)`.execute(),
  ])
}

function updatePayouts(tx: TransactionSql, { account_id, payouts }: Erased): Promise<unknown> {
  const rows = payouts.map(payout => {
    const { id, beneficiary_details, particulars, mt103, failure } = writtenPayout(payout)
    return { id, beneficiary_details, particulars, mt103, failure: JSON.stringify(failure) }
  })
  const rows_json = JSON.stringify(rows)
  return Promise.all([
    tx`update payouts p set beneficiary_details = r.beneficiary_details::json,
        particulars = r.particulars::json, mt103 = r.mt103
      from json_to_recordset(${rows_json}::text::json)
        as r(id text, beneficiary_details text, particulars text, mt103 text)
      where p.account_id = ${account_id} and p.id = r.id`.execute(),
    tx`update payout_outcomes s set status_description = '', answers = '[]', metadata = null,
        failure = nullif(r.failure, 'null')::json
      from json_to_recordset(${rows_json}::text::json) as r(id text, failure text)
      where s.account_id = ${account_id} and s.id = r.id`.execute(),
  ])
}

/** Texts of rails and people about the payments. */
function eraseWords(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  const condition = tx`account_id = ${account_id} and payout_id = any (${[...ids]}::text[])`
  return Promise.all([
    tx`update rail_inbox_lines set said = '{}', reason = 'erased'
      where payment in (select end_to_end_id from rail_items where ${condition})`.execute(),
    tx`update bank_lines set counterparty = '', counterparty_name = '', text = ''
      where (end_to_end_id <> '' and end_to_end_id in (
          select end_to_end_id from rail_items where ${condition}))
        or match in (
          select match from nostro_items where ${condition} and match is not null)`.execute(),
    tx`update rail_items set payment = '{}' where ${condition} and payment::text <> '{}'`.execute(),
    tx`update rail_evidence set message = '', detail = '{}'
      where ${condition} and (message <> '' or detail::text <> '{}')`.execute(),
    eraseOnChain(tx, account_id, ids),
    tx`update rail_item_evidence set text = '' where ${condition} and text <> ''`.execute(),
    tx`update rail_exceptions set message = 'erased', note = 'erased', notice = null
      where ${condition}`.execute(),
    tx`update payout_attempts set not_taken = (not_taken::jsonb || '{"message":""}')::json
      where ${condition} and not_taken is not null`.execute(),
  ])
}

/** The chain itself keeps its payments for ever. The slots come first: the others follow them. */
function eraseOnChain(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  const ours = tx`s.account_id = ${account_id} and s.payout_id = any (${[...ids]}::text[])`
  return Promise.all([
    tx`update evm_slots s set payee = '', calldata = ''
      where ${ours} and s.payee <> ''`.execute(),
    tx`update evm_transactions t set raw = '' from evm_slots s
      where ${ours} and t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
        and t.raw <> ''`.execute(),
    tx`update evm_transfers m set receiver = '' from evm_slots s
      join evm_transactions t on t.chain_id = s.chain_id and t.wallet = s.wallet
        and t.nonce = s.nonce
      where ${ours} and m.chain_id = s.chain_id and m.sender = s.wallet and m.tx_hash = t.hash
        and m.receiver <> ''`.execute(),
  ])
}

function eraseScreening(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  const condition = tx`account_id = ${account_id} and object_id = any (${[...ids]}::text[])`
  return Promise.all([
    tx`update screening_matches set pieces = '[]', listed_name = '', reason = 'erased',
        party_hash = decode(${ERASED_HASH}, 'hex') where ${condition}`.execute(),
    tx`delete from screening_clears where ${condition}`.execute(),
  ])
}

/** The kept beginnings of webhook receivers' answers. */
function eraseAnswers(tx: TransactionSql, account_id: string, object_ids: readonly string[]) {
  return tx`
    update webhook_attempts a set answer = ''
    from webhook_deliveries d
    where d.account_id = ${account_id} and d.object_id = any (${[...object_ids]}::text[])
      and a.account_id = d.account_id and a.delivery_id = d.id and a.answer <> ''`.execute()
}
