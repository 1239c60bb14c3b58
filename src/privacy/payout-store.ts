// The SQL statements that erase payouts, with all beside them that names people. Each function
// sends its statements at once. Triggers accept only the erased form, and only for payouts that
// `erasures` names.

import { payeeOf } from '../parties/payee.ts'
import { writtenPayout } from '../payouts/columns.ts'
import { removeMetadata } from '../payouts/metadata-store.ts'
import type { TransactionSql } from '../sql/connect.ts'
import type { Erased } from './rules.ts'

/** A digest of zeros, in place of a person's. */
const NO_DIGEST = '00'.repeat(32)

export function erasePayouts(tx: TransactionSql, erased: Erased): Promise<unknown> {
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

/** Erases the texts of rails and people about the payments. */
function eraseWords(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  const condition = tx`account_id = ${account_id} and payout_id = any (${[...ids]}::text[])`
  return Promise.all([
    tx`update rail_inbox_lines set said = '{}', reason = 'erased'
      where payment in (select end_to_end_id from rail_items where ${condition})`.execute(),
    tx`update rail_items set payment = '{}' where ${condition} and payment::text <> '{}'`.execute(),
    tx`update rail_evidence set message = '', detail = '{}'
      where ${condition} and (message <> '' or detail::text <> '{}')`.execute(),
    tx`update rail_item_evidence set text = '' where ${condition} and text <> ''`.execute(),
    tx`update rail_exceptions set message = 'erased', note = 'erased', notice = null
      where ${condition}`.execute(),
    tx`update payout_attempts set not_taken = (not_taken::jsonb || '{"message":""}')::json
      where ${condition} and not_taken is not null`.execute(),
  ])
}

function eraseScreening(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  const condition = tx`account_id = ${account_id} and object_id = any (${[...ids]}::text[])`
  return Promise.all([
    tx`update screening_matches set pieces = '[]', reason = 'erased',
        party_hash = decode(${NO_DIGEST}, 'hex') where ${condition}`.execute(),
    tx`delete from screening_clears where ${condition}`.execute(),
  ])
}

/** Erases the kept beginnings of webhook receivers' answers. */
function eraseAnswers(tx: TransactionSql, account_id: string, object_ids: readonly string[]) {
  return tx`
    update webhook_attempts a set answer = ''
    from webhook_deliveries d
    where d.account_id = ${account_id} and d.object_id = any (${[...object_ids]}::text[])
      and a.account_id = d.account_id and a.delivery_id = d.id and a.answer <> ''`.execute()
}
