// The keys of an account as a table for people.
import type { ApiKeyListing } from '../account/store.ts'
import { toSecond } from './outline.ts'
import { table } from './table.ts'

export function keyTable(keys: readonly ApiKeyListing[]): string {
  if (keys.length === 0) return 'no key; corridor key create makes one'
  const rows = keys.map(key => [
    key.key_id,
    key.scope,
    key.name,
    toSecond(key.created_at),
    key.last_used_at === null ? 'never' : toSecond(key.last_used_at),
    key.revoked_at === null ? '' : toSecond(key.revoked_at),
  ])
  return table(['key id', 'scope', 'name', 'created', 'last used', 'revoked'], rows)
}
