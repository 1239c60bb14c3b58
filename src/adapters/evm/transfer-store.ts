// The SQL statements of evm_transfers and evm_balances: what moved from and to our wallets in final
// blocks, and what they had at the block up to which that is known.
import { rowsAsJson, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { Block, Hex, Transfer } from './chain.ts'

/** A transfer, and the time of its block. */
export type TimedTransfer = Transfer & { readonly at: Instant }

/**
 * Inserts transfers of final blocks, without repeats. Transfers of nothing are left out: strangers
 * send them to be noticed.
 */
export async function insertTransfers(
  tx: TransactionSql,
  chain_id: bigint,
  transfers: readonly TimedTransfer[],
): Promise<void> {
  const rows = transfers.filter(({ units }) => units > 0n)
  if (rows.length === 0) return
  await tx`
    insert into evm_transfers (chain_id, tx_hash, log_index, block, block_hash, at, token, sender,
      receiver, units)
    select ${chain_id}::bigint, r.tx_hash, r.log_index, r.block, r.block_hash, r.at, r.token,
      r.sender, r.receiver, r.units
    from json_to_recordset(${rowsAsJson(rows)}::text::json) as r(tx_hash text, log_index bigint,
      block bigint, block_hash text, at timestamptz, token text, sender text, receiver text,
      units numeric)
    on conflict (chain_id, tx_hash, log_index) do nothing`
}

/** Transfers that left a wallet since then. */
export interface Left {
  readonly chain_id: bigint
  readonly sender: Hex
  readonly tokens: readonly Hex[]
  readonly since: Instant
}

/** The transactions of these transfers that no slot has made, the oldest first. */
export async function listUnexplained(
  tx: Tag,
  { chain_id, sender, tokens, since }: Left,
  limit: number,
): Promise<Hex[]> {
  const rows = await tx<{ tx_hash: Hex }[]>`
    select m.tx_hash from evm_transfers m
    where m.chain_id = ${chain_id}::bigint and m.token = any (${[...tokens]}::text[])
      and m.at >= ${since}::timestamptz and m.sender = ${sender}
      and not exists (select from evm_transactions t where t.hash = m.tx_hash)
    group by m.tx_hash order by min(m.block), min(m.log_index) limit ${limit}`
  return rows.map(({ tx_hash }) => tx_hash)
}

/** What a wallet has of a token, in its smallest unit. */
export interface Balance {
  readonly wallet: Hex
  readonly token: Hex
  readonly units: bigint
}

/** Notes the balances at a final block. */
export async function noteBalances(
  tx: TransactionSql,
  chain_id: bigint,
  balances: readonly Balance[],
  { number, at }: Pick<Block, 'number' | 'at'>,
): Promise<void> {
  if (balances.length === 0) return
  await tx`
    insert into evm_balances as b (chain_id, wallet, token, block, at, units)
    select ${chain_id}::bigint, wallet, token, ${number}::bigint, ${at}::timestamptz, units
    from json_to_recordset(${rowsAsJson(balances)}::text::json)
      as r(wallet text, token text, units numeric)
    on conflict (chain_id, wallet, token) do update
      set block = excluded.block, at = excluded.at, units = excluded.units
      where b.block < excluded.block`
}

/** A token on the chain, and the wallets that count as one account of the house. */
export interface TokenOf {
  readonly chain_id: bigint
  readonly token: Hex
  readonly wallets: readonly Hex[]
}

/** What a wallet had at the time up to which its transfers are known. */
export interface KnownBalance {
  readonly wallet: Hex
  readonly units: bigint
  readonly block: bigint
  readonly at: Instant
}

export async function findBalances(sql: Tag, of: TokenOf): Promise<KnownBalance[]> {
  const rows = await sql<(Omit<KnownBalance, 'units'> & { readonly units: string })[]>`
    select wallet, units::text, block, at from evm_balances
    where chain_id = ${of.chain_id}::bigint and token = ${of.token}
      and wallet = any (${[...of.wallets]}::text[])`
  return rows.map(row => ({ ...row, units: BigInt(row.units) }))
}

/** A transfer from or to a wallet. The transaction acts for the house. */
export interface KnownTransfer {
  readonly tx_hash: Hex
  readonly log_index: bigint
  readonly block: bigint
  readonly at: Instant
  readonly sender: Hex
  /** '' once the payee is erased. */
  readonly receiver: Hex | ''
  readonly units: bigint
  /** The end-to-end reference of the attempt that it paid; '' for none. */
  readonly uetr: string
}

/** The transfers of blocks from this time on, in the order of the chain. */
export async function listTransfers(
  tx: TransactionSql,
  of: TokenOf,
  from: Instant,
): Promise<KnownTransfer[]> {
  const wallets = [...of.wallets]
  const rows = await tx<(Omit<KnownTransfer, 'units'> & { readonly units: string })[]>`
    select m.tx_hash, m.log_index, m.block, m.at, m.sender, m.receiver, m.units::text,
      coalesce(s.uetr, '') as uetr
    from evm_transfers m
    left join evm_transactions t on t.hash = m.tx_hash and t.wallet = m.sender
    left join evm_slots s on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
    where m.chain_id = ${of.chain_id}::bigint and m.token = ${of.token}
      and m.at >= ${from}::timestamptz
      and (m.sender = any (${wallets}::text[]) or m.receiver = any (${wallets}::text[]))
    order by m.block, m.log_index`
  return rows.map(row => ({ ...row, units: BigInt(row.units) }))
}
