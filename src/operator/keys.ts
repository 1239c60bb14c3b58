// Keys of accounts, as operators make and revoke them.
import { makeApiKey, type Scope } from '../account/rules.ts'
import { newSecret } from '../account/secret.ts'
import {
  type ApiKeyListing,
  findKey,
  insertApiKey,
  listKeysOfAccount,
  markKeyRevoked,
} from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import { newId } from '../id.ts'
import { accountNamed } from './accounts.ts'
import { Unknown } from './deed.ts'

export interface MadeKey {
  readonly account_id: string
  readonly key_id: string
  readonly scope: Scope
  /** Shown once; the database has its hash alone. */
  readonly secret: string
}

export async function makeKey(
  sql: Sql,
  account_id: string,
  { scope, name }: { readonly scope: Scope; readonly name: string },
): Promise<MadeKey> {
  const secret = newSecret(await accountNamed(sql, account_id))
  const key = makeApiKey(account_id, { scope, name, secret }, newId)
  await insertApiKey(sql, key)
  return { account_id, key_id: key.key_id, scope, secret }
}

export async function listKeysOf(sql: Sql, account_id: string): Promise<ApiKeyListing[]> {
  await accountNamed(sql, account_id)
  return listKeysOfAccount(sql, account_id)
}

export interface RevokedKey extends Pick<ApiKeyListing, 'account_id' | 'scope' | 'name'> {
  /** Whether it was revoked already. */
  readonly was_revoked: boolean
}

export async function revokeKey(sql: Sql, key_id: string): Promise<RevokedKey> {
  const key = await findKey(sql, key_id)
  if (key === undefined) throw new Unknown('key', key_id)
  return { ...key, was_revoked: (await markKeyRevoked(sql, key_id)) === undefined }
}
