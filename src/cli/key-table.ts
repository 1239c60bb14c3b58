// The keys of an account as a table for people.
import type { ApiKeyListing } from '../account/store.ts'
import { table } from './context.ts'

export function keyTable(keys: readonly ApiKeyListing[]): string {
  const rows = keys.map(key => [
    key.key_id,
    key.scope,
    key.name,
    key.created_at,
    key.last_used_at ?? 'never',
    key.revoked_at ?? '',
  ])
  return table(['key id', 'scope', 'name', 'created', 'last used', 'revoked'], rows)
}
