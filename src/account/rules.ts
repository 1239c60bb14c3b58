// Accounts and API keys, as pure functions: what a key may do, how a secret is kept and compared.
import { hash, timingSafeEqual } from 'node:crypto'
import type { NewId } from '../id.ts'

export interface Account {
  readonly account_id: string
  readonly name: string
  /** The balance currencies. */
  readonly currencies: readonly string[]
  readonly primary_currency: string
  /** Where other accounts of this installation send a service_account payout. */
  readonly deposit_address: string
  /** Whether it is for tests: its clock can be moved, and money comes from nowhere. */
  readonly sandbox: boolean
  /** How long a payout like an earlier one is refused; 0: never. */
  readonly duplicate_window_s: number
}

/** How long, in seconds, unless the operator says otherwise. */
export const DUPLICATE_WINDOW_S = 600
/** A week. */
export const MAX_DUPLICATE_WINDOW_S = 604_800

/** Each scope includes the ones before it. */
export const SCOPES = ['read', 'write', 'operator'] as const
export type Scope = (typeof SCOPES)[number]

export interface ApiKey {
  readonly key_id: string
  readonly account_id: string
  /** 32 bytes. */
  readonly secret_hash: Uint8Array
  readonly scope: Scope
  readonly revoked: boolean
}

export type NewApiKey = Omit<ApiKey, 'revoked'> & { readonly name: string }

/** Does a key of this scope reach what needs `needed`? */
export function scopeAllows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)
}

/** A plain hash suffices for a secret of 256 random bits (OWASP ASVS 5.0, 6.5.2). */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

const NOBODY = Buffer.alloc(32)

/** In constant time, and in the same time for a key that does not exist. */
export function secretMatches(key: ApiKey | undefined, secret: string): boolean {
  const equal = timingSafeEqual(hashSecret(secret), key?.secret_hash ?? NOBODY)
  return equal && key !== undefined && !key.revoked
}

/** A key and its secret; the secret is shown once and only its hash kept. */
export function makeApiKey(
  account_id: string,
  options: { readonly scope: Scope; readonly name: string; readonly secret: string },
  newId: NewId,
): NewApiKey {
  const { scope, name, secret } = options
  return { key_id: newId('key'), account_id, scope, name, secret_hash: hashSecret(secret) }
}
