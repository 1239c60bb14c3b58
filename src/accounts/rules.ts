// Accounts and API keys: what a scope allows, and how secrets are hashed and compared. Pure.
import { hash, timingSafeEqual } from 'node:crypto'
import type { NewId } from '../values/id.ts'
import type { UsState } from '../values/us-state.ts'

export interface Account {
  readonly account_id: string
  readonly name: string
  /** The currencies of its balances. */
  readonly currencies: readonly string[]
  readonly primary_currency: string
  /** Other accounts pay this address by service_account payouts. */
  readonly deposit_address: string
  /** Whether the account is for tests: it can move its clock and fund itself. */
  readonly sandbox: boolean
  /** The time for which a likely duplicate of a payout is refused; 0 means never. */
  readonly duplicate_window_s: number
  /** The most rows, and the most megabytes, that its requests write in a day of UTC. */
  readonly daily_rows: number
  readonly daily_mb: number
  /** The state of the US whose law on money transmission counts the account. */
  readonly us_state: UsState
}

/** The default of `duplicate_window_s`. */
export const DUPLICATE_WINDOW_S = 600
/** The defaults of `daily_rows` and `daily_mb` (docs/decisions/bounds-and-rate-limits.md). */
export const DAILY_QUOTA = { daily_rows: 5_000_000, daily_mb: 5_000 }
/** The highest `daily_rows` and `daily_mb`. */
export const MAX_DAILY = 2_000_000_000
/** The longest `duplicate_window_s`: a week. */
export const MAX_DUPLICATE_WINDOW_S = 604_800

/** Each scope includes the earlier ones. */
export const SCOPES = ['read', 'write', 'operator'] as const
export type Scope = (typeof SCOPES)[number]

export interface ApiKey {
  readonly key_id: string
  readonly account_id: string
  /** 32 bytes. */
  readonly secret_hash: Uint8Array
  readonly scope: Scope
  /** '' for none. */
  readonly name: string
  /**
   * The user who owns the key and may approve none of its payouts; null when the key has no owner.
   */
  readonly owner: string | null
  /** Whether every payout of the key needs an approval. */
  readonly makes_only: boolean
  /** Who made the key and so has seen its secret. */
  readonly made_by: string
  readonly revoked: boolean
}

export type NewApiKey = Omit<ApiKey, 'revoked' | 'made_by'>

/** Whether a key of this scope may act where `needed` is required. */
export function scopeAllows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)
}

/** A plain hash suffices for a secret of 256 random bits (OWASP ASVS 5.0, 6.5.2). */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

const NOBODY = Buffer.alloc(32)

/** Whether the secret belongs to the key. Takes constant time, also for an unknown key. */
export function secretMatches(
  key: Pick<ApiKey, 'secret_hash' | 'revoked'> | undefined,
  secret: string,
): boolean {
  const equal = timingSafeEqual(hashSecret(secret), key?.secret_hash ?? NOBODY)
  return equal && key !== undefined && !key.revoked
}

/** A new key. Only the hash of its secret is kept. */
export function makeApiKey(
  account_id: string,
  options: Pick<NewApiKey, 'scope' | 'name'> &
    Partial<Pick<NewApiKey, 'owner' | 'makes_only'>> & { readonly secret: string },
  newId: NewId,
): NewApiKey {
  const { scope, name, secret, owner = null, makes_only = false } = options
  const secret_hash = hashSecret(secret)
  return { key_id: newId('key'), account_id, scope, name, secret_hash, owner, makes_only }
}
