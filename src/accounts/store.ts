// The SQL statements of accounts and API keys, which are reference tables.
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'
import type { Account, ApiKey, NewApiKey } from './rules.ts'
import type { AccountState } from './states.ts'

export async function listAccounts(sql: Tag): Promise<Account[]> {
  return sql<Account[]>`
    select account_id, name, currencies, primary_currency, deposit_address, sandbox,
      duplicate_window_s, daily_rows, daily_mb, us_state
    from accounts order by account_id`
}

/** An account as operators see it. */
export interface AccountListing extends Account {
  readonly state: AccountState
  /** The operator's reason for the state; '' when it never changed. */
  readonly state_reason: string
  readonly created_at: Instant
}

/** One account, or all accounts without `account_id`, oldest first. */
export async function listAccountsInFull(sql: Tag, account_id: string | null = null) {
  return sql<AccountListing[]>`
    select account_id, name, currencies, primary_currency, deposit_address, sandbox,
      duplicate_window_s, daily_rows, daily_mb, us_state, state, state_reason, created_at
    from accounts where ${account_id}::text is null or account_id = ${account_id}
    order by created_at, account_id`
}

/** The account's book must be locked: a trigger demands it. */
export function updateState(
  tx: TransactionSql,
  { account_id, to, reason }: { account_id: string; to: AccountState; reason: string },
) {
  return tx`
    update accounts set state = ${to}, state_reason = ${reason} where account_id = ${account_id}`
}

/** The settings of an account, which an operator may change. */
export type Settings = Pick<
  Account,
  | 'name'
  | 'currencies'
  | 'primary_currency'
  | 'duplicate_window_s'
  | 'daily_rows'
  | 'daily_mb'
  | 'us_state'
>

export function updateSettings(tx: TransactionSql, account_id: string, settings: Settings) {
  const { name, currencies, primary_currency, duplicate_window_s } = settings
  return tx`
    update accounts set name = ${name}, currencies = ${[...currencies]}::text[],
      primary_currency = ${primary_currency}, duplicate_window_s = ${duplicate_window_s},
      daily_rows = ${settings.daily_rows}, daily_mb = ${settings.daily_mb},
      us_state = ${settings.us_state}
    where account_id = ${account_id}`
}

export async function findAccountIds(sql: Tag, addresses: readonly string[]) {
  const rows = await sql<{ deposit_address: string; account_id: string }[]>`
    select deposit_address, account_id from accounts
    where deposit_address = any (${[...addresses]}::text[])`
  return new Map(rows.map(row => [row.deposit_address, row.account_id]))
}

/** Sends the insert at once, before the account's book, so that this table refuses a taken id. */
export async function insertAccount(tx: TransactionSql, account: Account): Promise<void> {
  await tx`
    insert into accounts (account_id, name, currencies, primary_currency, deposit_address, sandbox,
      duplicate_window_s, daily_rows, daily_mb, us_state)
    values (${account.account_id}, ${account.name}, ${[...account.currencies]}::text[],
      ${account.primary_currency}, ${account.deposit_address}, ${account.sandbox},
      ${account.duplicate_window_s}, ${account.daily_rows}, ${account.daily_mb},
      ${account.us_state})`.execute()
}

/** Every key, also revoked ones. Authentication keeps them in memory. */
export async function listApiKeys(sql: Tag): Promise<ApiKey[]> {
  return sql<ApiKey[]>`
    select key_id, account_id, secret_hash, scope, name, owner, makes_only, made_by,
      revoked_at is not null as revoked
    from api_keys order by key_id`
}

export interface ApiKeyListing
  extends Pick<ApiKey, 'key_id' | 'account_id' | 'scope' | 'owner' | 'makes_only'> {
  readonly name: string
  readonly created_at: Instant
  readonly revoked_at: Instant | null
  /** The last use, to the minute; null when the key was never used. */
  readonly last_used_at: Instant | null
}

/** The keys of an account, without their hashes. */
export async function listKeysOfAccount(sql: Sql, account_id: string): Promise<ApiKeyListing[]> {
  return sql<ApiKeyListing[]>`
    select key_id, account_id, scope, name, owner, makes_only, created_at, revoked_at, last_used_at
    from api_keys left join api_key_uses using (key_id)
    where account_id = ${account_id} order by key_id`
}

/** A key of any account, revoked or not. */
export async function findKey(sql: Sql, key_id: string) {
  const [key] = await sql<Pick<ApiKeyListing, 'account_id' | 'scope' | 'name'>[]>`
    select account_id, scope, name from api_keys where key_id = ${key_id}`
  return key
}

/** Stores last uses by the database's clock. If processes differ, the latest use counts. */
export async function upsertKeyUses(
  sql: Sql,
  uses: readonly { readonly key_id: string; readonly ago_ms: number }[],
): Promise<void> {
  const keys = uses.map(({ key_id }) => key_id)
  const times = uses.map(({ ago_ms }) => ago_ms.toString())
  await sql`
    insert into api_key_uses as known (key_id, last_used_at)
    select key_id, clock_timestamp() - ago_ms * interval '1 ms'
    from unnest(${keys}::text[], ${times}::text[]::float8[]) as used(key_id, ago_ms)
    order by key_id
    on conflict (key_id) do update
      set last_used_at = greatest(known.last_used_at, excluded.last_used_at)`
}

export async function insertApiKey(sql: Tag, key: NewApiKey): Promise<void> {
  await sql`
    insert into api_keys (key_id, account_id, secret_hash, scope, name, owner, makes_only)
    values (${key.key_id}, ${key.account_id}, ${Buffer.from(key.secret_hash)}, ${key.scope},
      ${key.name}, (select name from users where name = ${key.owner}::text), ${key.makes_only})`
}

/** Revokes a key and returns it; undefined when it is unknown or already revoked. */
export async function markKeyRevoked(sql: Sql, key_id: string) {
  const [key] = await sql<Pick<ApiKeyListing, 'key_id' | 'account_id' | 'scope' | 'name'>[]>`
    update api_keys set revoked_at = clock_timestamp()
    where key_id = ${key_id} and revoked_at is null returning key_id, account_id, scope, name`
  return key
}
