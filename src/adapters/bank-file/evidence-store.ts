// The SQL statements of rail_item_evidence: the evidence of items, without repeats.
import { rowsAsJson, type TransactionSql } from '../../sql/connect.ts'
import { eachShard } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import { hashJson } from '../../values/digest.ts'
import type { Evidence } from './evidence.ts'
import { type ItemKey, itemKeys, itemName, ofPayout } from './item-store.ts'

export interface NewEvidence extends ItemKey, Omit<Evidence, 'received_at'> {
  /** The hash of the file in hex digits, and the place in the file. */
  readonly sha256: string
  readonly position: string
}

export type StoredEvidence = NewEvidence & Evidence

/** Inserts evidence, without repeats; returns the items with new evidence, each once. */
export async function insertEvidence(
  tx: TransactionSql,
  evidence: readonly NewEvidence[],
): Promise<ItemKey[]> {
  const rows = evidence.map(row => ({ ...row, same: digestOf(row) }))
  const inserted = await tx<ItemKey[]>`
    insert into rail_item_evidence (account_id, payout_id, attempt, level, code, reasons, text,
      amount, currency, is_credit, reference, said_at, sha256, position, same)
    select account_id, payout_id, attempt, level, code, reasons, text, amount, currency, is_credit,
      reference, said_at, decode(sha256, 'hex'), position, decode(same, 'hex')
    from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(account_id text, payout_id text,
      attempt integer, level text, code text, reasons json, text text, amount bigint, currency text,
      is_credit boolean, reference text, said_at text, sha256 text, position text, same text)
    on conflict on constraint said_once do nothing
    returning account_id, payout_id, attempt`
  return [...new Map(inserted.map(key => [itemName(key), key])).values()]
}

/** The digest that finds a repeat, also in another file of the bank. */
function digestOf({ level, code, reasons, amount, currency, is_credit, reference }: NewEvidence) {
  const money = amount === null ? '' : String(amount)
  return hashJson([level, code, [...reasons].sort(), money, currency, is_credit, reference])
}

/** All evidence of these items, that of each item in the order of receipt. */
export async function listEvidence(sql: Tag, keys: readonly ItemKey[]): Promise<StoredEvidence[]> {
  return eachShard(
    keys,
    keys => sql<StoredEvidence[]>`
      select e.* from ${itemKeys(keys)}
      cross join lateral (
        select t.account_id, t.payout_id, t.attempt, t.number, t.received_at, t.level, t.code,
          t.reasons, t.text, t.amount, t.currency, t.is_credit, t.reference, t.said_at,
          encode(t.sha256, 'hex') as sha256, t.position
        from rail_item_evidence t where ${ofPayout(keys)} and t.attempt = k.attempt
      ) e
      order by e.number`,
  )
}
