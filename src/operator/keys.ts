// Makes, lists and revokes the keys of accounts.
import { makeApiKey, type NewApiKey } from '../account/rules.ts'
import {
  type ApiKeyListing,
  findKey,
  insertApiKey,
  listKeysOfAccount,
  markKeyRevoked,
} from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { newId } from '../id.ts'
import { newSecret } from '../secret.ts'
import { listUsers } from '../user/store.ts'
import { accountNamed } from './accounts.ts'
import { known } from './deed.ts'

/** Makes a key; returns it with its secret. Refuses (400) an owner who is no user. */
export async function makeKey(
  sql: Sql,
  account_id: string,
  asked: Pick<NewApiKey, 'scope' | 'name' | 'owner' | 'makes_only'>,
) {
  const secret = newSecret(await accountNamed(sql, account_id))
  const { scope, owner, makes_only } = asked
  if (owner !== null && !(await listUsers(sql)).some(({ name }) => name === owner)) {
    refuseIfAny([invalidField('owner', `There is no user ${owner}.`)])
  }
  const key = makeApiKey(account_id, { ...asked, secret }, newId)
  await insertApiKey(sql, key)
  // The only copy of the secret: the database has its hash.
  return { account_id, key_id: key.key_id, scope, owner, makes_only, secret }
}

export async function listKeysOf(sql: Sql, account_id: string): Promise<ApiKeyListing[]> {
  await accountNamed(sql, account_id)
  return listKeysOfAccount(sql, account_id)
}

/** Revokes a key. Refuses (404) an unknown id. `was_revoked`: whether it was revoked before. */
export async function revokeKey(sql: Sql, key_id: string) {
  const key = known('key', key_id, await findKey(sql, key_id))
  return { ...key, was_revoked: (await markKeyRevoked(sql, key_id)) === undefined }
}
