// The SQL statements of evm_transactions: the signed bytes of slots. Bytes are committed before any
// provider has them, and never change.
import { rowsAsJson, type TransactionSql } from '../../sql/connect.ts'
import { sql, type Tag } from '../../sql/sql.ts'
import type { Hex, Receipt } from './chain.ts'
import type { Place, SlotTransaction } from './slot.ts'

export type NewTransaction = Pick<
  SlotTransaction,
  'hash' | 'chain_id' | 'wallet' | 'nonce' | 'number' | 'kind' | 'raw' | 'gas' | 'max_fee' | 'tip'
>

type Wei = 'max_fee' | 'tip' | 'cost_wei'
type Row = Omit<SlotTransaction, Wei> & {
  readonly max_fee: string
  readonly tip: string
  readonly cost_wei: string | null
}

const COLUMNS = sql`
  t.hash, t.chain_id, t.wallet, t.nonce, t.number, t.kind, t.raw, t.gas, t.max_fee, t.tip,
  t.signed_at, t.first_sent_at, t.sends, t.last_answer, t.block, t.block_hash, t.succeeded,
  t.gas_used, t.cost_wei`

/** Inserts transactions; fails by `one_of_a_number` when another process has signed one. */
export async function insertTransactions(
  tx: TransactionSql,
  transactions: readonly NewTransaction[],
): Promise<void> {
  if (transactions.length === 0) return
  await tx`
    insert into evm_transactions (hash, chain_id, wallet, nonce, number, kind, raw, gas, max_fee,
      tip)
    select hash, chain_id, wallet, nonce, number, kind, raw, gas, max_fee, tip
    from json_to_recordset(${rowsAsJson(transactions)}::text::json) as r(hash text, chain_id bigint,
      wallet text, nonce bigint, number integer, kind text, raw text, gas bigint, max_fee numeric,
      tip numeric)`
}

const placesAsJson = (places: readonly Place[]) =>
  rowsAsJson(places.map(({ chain_id, wallet, nonce }) => ({ chain_id, wallet, nonce })))

/** The transactions of slots, those of one slot by number. */
export async function listTransactions(
  tx: Tag,
  places: readonly Place[],
): Promise<SlotTransaction[]> {
  if (places.length === 0) return []
  const rows = await tx<Row[]>`
    select ${COLUMNS}
    from json_to_recordset(${placesAsJson(places)}::text::json)
      as k(chain_id bigint, wallet text, nonce bigint)
    cross join lateral (
      select * from evm_transactions t where t.chain_id = k.chain_id and t.wallet = k.wallet
        and t.nonce = k.nonce order by t.number limit 10
    ) t
    order by t.wallet, t.nonce, t.number`
  return rows.map(({ max_fee, tip, cost_wei, ...row }) => ({
    ...row,
    max_fee: BigInt(max_fee),
    tip: BigInt(tip),
    cost_wei: cost_wei === null ? null : BigInt(cost_wei),
  }))
}

/** What the providers said when they were sent the bytes. */
export interface SendNote {
  readonly hash: Hex
  readonly taken: boolean
  readonly answer: string
}

const MOST_ANSWER = 500

/** Notes the answers to sent bytes. Only a provider that took them counts as a sending. */
export async function noteSent(tx: TransactionSql, notes: readonly SendNote[]): Promise<void> {
  if (notes.length === 0) return
  const rows = notes.map(note => ({ ...note, answer: note.answer.slice(0, MOST_ANSWER) }))
  await tx`
    update evm_transactions t set last_answer = r.answer,
      sends = t.sends + case when r.taken then 1 else 0 end,
      first_sent_at = case when r.taken then coalesce(t.first_sent_at, clock_timestamp())
        else t.first_sent_at end
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(hash text, taken boolean, answer text)
    where t.hash = r.hash`
}

/** Notes the blocks of transactions. */
export async function noteMined(tx: TransactionSql, receipts: readonly Receipt[]): Promise<void> {
  if (receipts.length === 0) return
  const rows = receipts.map(({ hash, block, block_hash, succeeded, gas_used, cost_wei }) => {
    return { hash, block, block_hash, succeeded, gas_used, cost_wei }
  })
  await tx`
    update evm_transactions t set block = r.block, block_hash = r.block_hash,
      succeeded = r.succeeded, gas_used = r.gas_used, cost_wei = r.cost_wei
    from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(hash text, block bigint,
      block_hash text, succeeded boolean, gas_used bigint, cost_wei numeric)
    where t.hash = r.hash`
}

/** Notes that transactions are in no block any more. */
export async function noteReorged(tx: TransactionSql, hashes: readonly Hex[]): Promise<void> {
  if (hashes.length === 0) return
  await tx`
    update evm_transactions t set block = null, block_hash = '', succeeded = null, gas_used = null,
      cost_wei = null
    where t.hash = any (${[...hashes]}::text[])`
}
