// corridor user: the actions on users, and the keys of users.
import type { Command } from 'commander'
import { hashSecret } from '../accounts/rules.ts'
import {
  insertUserKey,
  listKeysOfUser,
  markUserKeyRevoked,
  type UserKeyListing,
} from '../accounts/user/store.ts'
import { userNamed } from '../operator/user-response.ts'
import { users } from '../operator/users.ts'
import { newId } from '../values/id.ts'
import { newUserSecret } from '../values/secret.ts'
import { toSecond } from '../values/text/age.ts'
import { commandsOf } from './action.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { CommandFailed, NotFound } from './failure.ts'
import { listing } from './table.ts'

export function userCommands(user: Command): void {
  commandsOf(users)(user)
  userKeyCommands(user.command('key').description('keys by which programs act for a user'))
}

const CREATE_HELP = `
The key may what the user may, at each moment, and what it does is in the user's
name. It is sent like the key of an account. On the routes of an account, the
header Corridor-Account names the account.

Example:
  corridor user key create ada --name "month-end report"`

function userKeyCommands(key: Command): void {
  addCommand(key, 'create', 'make a key of a user; prints its id and, once, its secret')
    .argument('<user>', 'the user')
    .option('--name <name>', 'what the key is for', '')
    .addHelpText('after', CREATE_HELP)
    .action(createUserKey)
  addCommand(key, 'list', 'list the keys of a user, or of all users')
    .argument('[user]', 'only this user')
    .addHelpText('after', example('user key list ada'))
    .action(async (name: string | undefined) => {
      const keys = await withContext(async ({ audit }) => {
        if (name !== undefined) await userNamed(audit, name)
        return listKeysOfUser(audit, name ?? null)
      })
      print(keys, userKeyTable(keys))
    })
  addCommand(key, 'revoke', 'revoke a key of a user; every process refuses it within a second')
    .argument('<key>', 'key id')
    .addHelpText('after', example('user key revoke usk_01m7xpm2kz8t3vqw5n0r'))
    .action(revokeUserKey)
}

async function createUserKey(user_name: string, { name }: { name: string }): Promise<void> {
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

async function revokeUserKey(key_id: string): Promise<void> {
  const { key, revoked } = await withContext(async ({ sql, audit }) => {
    const known = await listKeysOfUser(audit, null)
    const key = known.find(one => one.key_id === key_id)
    if (key === undefined) throw new NotFound('key of a user', key_id)
    return { key, revoked: await markUserKeyRevoked(sql, key_id) }
  })
  const { user_name: user, name } = key
  const state = revoked === undefined ? 'was revoked before' : 'is revoked'
  const words = `${key_id} ${state}: a key of ${user}; every process refuses it within a second`
  print({ key_id, user, name, revoked: true }, words)
}

function userKeyTable(keys: readonly UserKeyListing[]): string {
  const rows = keys.map(key => ({
    'key id': key.key_id,
    user: key.user_name,
    name: key.name,
    created: toSecond(key.created_at),
    revoked: toSecond(key.revoked_at),
  }))
  return listing(rows, 'no key; corridor user key create makes one')
}
