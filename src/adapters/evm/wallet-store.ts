// The SQL statements of evm_wallets: the next nonce of each hot wallet, the lease to sign with it,
// and why it is stopped.
import type { Sql } from '../../sql/connect.ts'
import { sql, type Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { Block, Hex } from './chain.ts'

export type StoppedAs = 'history_lost' | 'foreign_transaction'

export interface Wallet {
  readonly chain_id: bigint
  readonly address: Hex
  /** The rail that had the wallet first. */
  readonly rail: string
  readonly next_nonce: bigint
  readonly state: 'active' | 'stopped'
  /** Why it is stopped, and in words; '' while it is not. */
  readonly stopped_as: StoppedAs | ''
  readonly problem: string
  readonly stopped_at: Instant | null
  /** Transfers are read up to and with this block. */
  readonly read_block: bigint
  readonly read_hash: Hex
}

const COLUMNS = sql`
  chain_id, address, rail, next_nonce, state, stopped_as, problem, stopped_at, read_block,
  read_hash`

/** The wallets that have begun, in no order. */
export async function findWallets(
  sql: Tag,
  chain_id: bigint,
  addresses: readonly Hex[],
): Promise<Wallet[]> {
  return sql<Wallet[]>`
    select ${COLUMNS} from evm_wallets
    where chain_id = ${chain_id} and address = any (${[...addresses]}::text[])`
}

/** When the last payment of a wallet was made; when it began, for none. */
export async function findLastMade(
  sql: Tag,
  { chain_id, address, next_nonce }: Pick<Wallet, 'chain_id' | 'address' | 'next_nonce'>,
): Promise<Instant> {
  const [row] = await sql<{ made_at: Instant }[]>`
    select coalesce(s.made_at, w.begun_at) as made_at from evm_wallets w
    left join evm_slots s on s.chain_id = w.chain_id and s.wallet = w.address
      and s.nonce = ${next_nonce}::bigint - 1
    where w.chain_id = ${chain_id}::bigint and w.address = ${address}`
  if (row === undefined) throw new Error('the wallet has not begun')
  return row.made_at
}

/** A wallet of rails, and since when its transfers are known. */
export type BegunWallet = Pick<Wallet, 'address'> & { readonly begun_at: Instant }

/** The wallets that these rails have or had. */
export async function listBegun(sql: Tag, chain_id: bigint, rails: readonly string[]) {
  return sql<BegunWallet[]>`
    select address, begun_at from evm_wallets
    where chain_id = ${chain_id}::bigint and rail = any (${[...rails]}::text[])`
}

/** The wallet begins with a nonce of the chain. Another process may have begun it before. */
export async function beginWallet(
  sql: Tag,
  wallet: Pick<Wallet, 'chain_id' | 'address' | 'rail' | 'next_nonce'>,
  at: Pick<Block, 'number' | 'hash' | 'at'>,
): Promise<void> {
  const { chain_id, address, rail, next_nonce } = wallet
  await sql`
    insert into evm_wallets (chain_id, address, rail, next_nonce, begun_at, read_block, read_hash)
    values (${chain_id}, ${address}, ${rail}, ${next_nonce}, ${at.at}::timestamptz, ${at.number},
      ${at.hash})
    on conflict (chain_id, address) do nothing`
}

/** Acquires or renews the lease to sign with a wallet. False while another process has it. */
export async function holdWallet(
  sql: Sql,
  { chain_id, address }: Pick<Wallet, 'chain_id' | 'address'>,
  holder: string,
  lease_ms: number,
): Promise<boolean> {
  const { count } = await sql`
    update evm_wallets set held_by = ${holder},
      held_until = clock_timestamp() + ${`${lease_ms} milliseconds`}::interval
    where chain_id = ${chain_id} and address = ${address}
      and (held_by = ${holder} or held_until < clock_timestamp())`
  return count === 1
}

export async function releaseWallet(
  sql: Sql,
  { chain_id, address }: Pick<Wallet, 'chain_id' | 'address'>,
  holder: string,
): Promise<void> {
  await sql`
    update evm_wallets set held_until = '-infinity'
    where chain_id = ${chain_id} and address = ${address} and held_by = ${holder}`
}

/**
 * Counts nonces on, from the one that was read. False when another process has counted, has the
 * lease, or the wallet is stopped: the bytes that were signed with them must be dropped.
 */
export async function reserveNonces(
  tx: Tag,
  { chain_id, address, next_nonce }: Pick<Wallet, 'chain_id' | 'address' | 'next_nonce'>,
  count: number,
  holder: string,
): Promise<boolean> {
  const reserved = await tx`
    update evm_wallets set next_nonce = next_nonce + ${count}
    where chain_id = ${chain_id} and address = ${address} and next_nonce = ${next_nonce}
      and held_by = ${holder} and state = 'active'`
  return reserved.count === 1
}

/** Stops a wallet: nothing is signed with it or sent from it until a person has looked. */
export async function stopWallet(
  sql: Tag,
  { chain_id, address }: Pick<Wallet, 'chain_id' | 'address'>,
  why: StoppedAs,
  words: string,
): Promise<boolean> {
  const { count } = await sql`
    update evm_wallets set state = 'stopped', stopped_as = ${why}, problem = ${words.slice(0, 500)},
      stopped_at = clock_timestamp()
    where chain_id = ${chain_id} and address = ${address} and state = 'active'`
  return count === 1
}

/** Notes up to which block the transfers of wallets are read. */
export async function noteRead(
  tx: Tag,
  chain_id: bigint,
  addresses: readonly Hex[],
  { number, hash }: Pick<Block, 'number' | 'hash'>,
): Promise<void> {
  await tx`
    update evm_wallets set read_block = ${number}, read_hash = ${hash}
    where chain_id = ${chain_id} and address = any (${[...addresses]}::text[])
      and read_block < ${number}`
}

/** Notes for how many payments the native coin of a wallet pays. */
export async function noteGasLeft(
  sql: Tag,
  { chain_id, address }: Pick<Wallet, 'chain_id' | 'address'>,
  gas_left: bigint,
): Promise<void> {
  await sql`
    update evm_wallets set gas_left = ${gas_left}
    where chain_id = ${chain_id} and address = ${address} and gas_left is distinct from ${gas_left}`
}

/**
 * Counts nonces on that the chain has used, and opens the wallet again. False when another process
 * has moved it since it was read.
 */
export async function reopenWallet(
  tx: Tag,
  { chain_id, address, next_nonce }: Pick<Wallet, 'chain_id' | 'address' | 'next_nonce'>,
  to_nonce: bigint,
): Promise<boolean> {
  const { count } = await tx`
    update evm_wallets set next_nonce = ${to_nonce}, state = 'active', stopped_as = '',
      problem = '', stopped_at = null
    where chain_id = ${chain_id} and address = ${address} and next_nonce = ${next_nonce}
      and state = 'stopped'`
  return count === 1
}
