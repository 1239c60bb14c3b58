// The statements of accounts and API keys, reference tables.
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'
import type { Account, ApiKey, NewApiKey, Scope } from './rules.ts'

export async function listAccounts(sql: Sql): Promise<Account[]> {
  return sql<Account[]>`
    select account_id, name, currencies, primary_currency, deposit_address, sandbox,
      duplicate_window_s
    from accounts order by account_id`
}

/** Whose these deposit addresses are: account id by address. */
export async function findAccountIds(
  sql: Sql | TransactionSql,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ deposit_address: string; account_id: string }[]>`
    select deposit_address, account_id from accounts
    where deposit_address = any (${[...addresses]}::text[])`
  return new Map(rows.map(row => [row.deposit_address, row.account_id]))
}

export async function insertAccount(tx: TransactionSql, account: Account): Promise<void> {
  await tx`
    insert into accounts (account_id, name, currencies, primary_currency, deposit_address, sandbox,
      duplicate_window_s)
    values (${account.account_id}, ${account.name}, ${[...account.currencies]}::text[],
      ${account.primary_currency}, ${account.deposit_address}, ${account.sandbox},
      ${account.duplicate_window_s})`
}

/** False when there is no such account. */
export async function updateDuplicateWindow(
  sql: Sql,
  account_id: string,
  duplicate_window_s: number,
): Promise<boolean> {
  const { count } = await sql`
    update accounts set duplicate_window_s = ${duplicate_window_s}
    where account_id = ${account_id}`
  return count === 1
}

/** Every key, revoked ones too, as the authenticating cache holds them. */
export async function listApiKeys(sql: Sql): Promise<ApiKey[]> {
  return sql<ApiKey[]>`
    select key_id, account_id, secret_hash, scope, revoked_at is not null as revoked
    from api_keys order by key_id`
}

export interface ApiKeyListing {
  readonly key_id: string
  readonly account_id: string
  readonly scope: Scope
  readonly name: string
  readonly created_at: Instant
  readonly revoked_at: Instant | null
}

/** For people: never the hash. */
export async function listKeysOfAccount(sql: Sql, account_id: string): Promise<ApiKeyListing[]> {
  return sql<ApiKeyListing[]>`
    select key_id, account_id, scope, name, created_at, revoked_at
    from api_keys where account_id = ${account_id} order by key_id`
}

export async function insertApiKey(sql: Sql | TransactionSql, key: NewApiKey): Promise<void> {
  await sql`
    insert into api_keys (key_id, account_id, secret_hash, scope, name)
    values (${key.key_id}, ${key.account_id}, ${Buffer.from(key.secret_hash)}, ${key.scope},
      ${key.name})`
}

/** True when the key existed and was live. */
export async function markKeyRevoked(sql: Sql, key_id: string): Promise<boolean> {
  const rows = await sql`
    update api_keys set revoked_at = clock_timestamp()
    where key_id = ${key_id} and revoked_at is null returning key_id`
  return rows.length === 1
}
