// corridor user key create|list|revoke: keys by which programs act in a person's name.
import type { Command } from 'commander'
import { hashSecret } from '../account/rules.ts'
import { newUserSecret } from '../account/secret.ts'
import { newId } from '../id.ts'
import { userNamed } from '../operator/users.ts'
import {
  insertUserKey,
  listKeysOfUser,
  markUserKeyRevoked,
  type UserKeyListing,
} from '../user/store.ts'
import { named, print, withContext } from './context.ts'
import { CommandFailed, NotThere } from './failure.ts'
import { table, toSecond } from './table.ts'

const CREATE_HELP = `
The key may what the user may, at each moment, and what it does is in the user's
name. It is sent like the key of an account. On the routes of an account, the
header Corridor-Account names the account.

Example:
  npx corridor user key create ada --name "month-end report"`

export function userKeyCommands(key: Command): void {
  named(key, 'create', 'make a key of a user; prints its id and, once, its secret')
    .argument('<user>', 'the user')
    .option('--name <name>', 'what the key is for', '')
    .addHelpText('after', CREATE_HELP)
    .action(createAction)
  named(key, 'list', 'list the keys of a user, or of all users')
    .argument('[user]', 'only this user')
    .addHelpText('after', '\nExample:\n  npx corridor user key list ada')
    .action(async (name: string | undefined) => {
      const keys = await withContext(async ({ audit }) => {
        if (name !== undefined) await userNamed(audit, name)
        return listKeysOfUser(audit, name ?? null)
      })
      print(keys, keyTable(keys))
    })
  named(key, 'revoke', 'revoke a key of a user; every process refuses it within a second')
    .argument('<key>', 'key id')
    .addHelpText('after', '\nExample:\n  npx corridor user key revoke usk_01m7xpm2kz8t3vqw5n0r')
    .action(revokeAction)
}

async function createAction(user_name: string, options: { name: string }): Promise<void> {
  const { name } = options
  const secret = newUserSecret()
  const key_id = newId('usk')
  await withContext(async ({ sql, audit }) => {
    const { disabled_at } = await userNamed(audit, user_name)
    if (disabled_at !== null) throw new CommandFailed(`user ${user_name} is disabled`)
    await insertUserKey(sql, { key_id, user_name, secret_hash: hashSecret(secret), name })
  })
  const words = [`key id   ${key_id}`, `secret   ${secret}   (shown once)`, `user     ${user_name}`]
  print({ key_id, user: user_name, name, secret }, words.join('\n'))
}

async function revokeAction(key_id: string): Promise<void> {
  const { key, revoked } = await withContext(async ({ sql, audit }) => {
    const known = await listKeysOfUser(audit, null)
    const key = known.find(one => one.key_id === key_id)
    if (key === undefined) throw new NotThere('key of a user', key_id)
    return { key, revoked: await markUserKeyRevoked(sql, key_id) }
  })
  const { user_name: user, name } = key
  const is = revoked === undefined ? 'was revoked before' : 'is revoked'
  const words = `${key_id} ${is}: a key of ${user}; every process refuses it within a second`
  print({ key_id, user, name, revoked: true }, words)
}

function keyTable(keys: readonly UserKeyListing[]): string {
  if (keys.length === 0) return 'no key; corridor user key create makes one'
  const rows = keys.map(key => [
    key.key_id,
    key.user_name,
    key.name,
    toSecond(key.created_at),
    key.revoked_at === null ? '' : toSecond(key.revoked_at),
  ])
  return table(['key id', 'user', 'name', 'created', 'revoked'], rows)
}
