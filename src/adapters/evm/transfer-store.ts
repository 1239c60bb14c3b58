// The SQL statements of evm_transfers: what moved from and to our wallets in final blocks.
import { rowsAsJson, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Hex, Transfer } from './chain.ts'

/**
 * Inserts transfers of final blocks, without repeats. A transfer of a slot's transaction gets the
 * slot's nonce. Transfers of nothing are left out: strangers send them to be noticed.
 */
export async function insertTransfers(
  tx: TransactionSql,
  chain_id: bigint,
  transfers: readonly Transfer[],
): Promise<void> {
  const rows = transfers.filter(({ units }) => units > 0n)
  if (rows.length === 0) return
  await tx`
    insert into evm_transfers (chain_id, tx_hash, log_index, block, block_hash, token, sender,
      receiver, units, nonce)
    select ${chain_id}::bigint, r.tx_hash, r.log_index, r.block, r.block_hash, r.token, r.sender,
      r.receiver, r.units, t.nonce
    from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(tx_hash text, log_index bigint,
      block bigint, block_hash text, token text, sender text, receiver text, units numeric)
    left join evm_transactions t on t.hash = r.tx_hash and t.wallet = r.sender
    on conflict (chain_id, tx_hash, log_index) do nothing`
}

/** The most transfers that are looked at for a nonce that another transaction has. */
const MOST_FOUND = 200

/** The transactions of a wallet's transfers that no slot has made, the newest first. */
export async function listUnexplained(tx: Tag, chain_id: bigint, sender: Hex): Promise<Hex[]> {
  const rows = await tx<{ tx_hash: Hex }[]>`
    select tx_hash from evm_transfers
    where chain_id = ${chain_id} and sender = ${sender} and nonce is null
    order by block desc, log_index desc limit ${MOST_FOUND}`
  return [...new Set(rows.map(({ tx_hash }) => tx_hash))]
}
