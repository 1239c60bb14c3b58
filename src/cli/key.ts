// corridor key create|list|revoke: makes, lists and revokes API keys of accounts. corridor user key
// does the same for keys of users, by which programs act in a person's name.
import type { Command } from 'commander'
import { hashSecret, SCOPES } from '../account/rules.ts'
import type { ApiKeyListing } from '../account/store.ts'
import { newId } from '../id.ts'
import { listKeysOf, makeKey, revokeKey } from '../operator/keys.ts'
import { userNamed } from '../operator/users.ts'
import { newUserSecret } from '../secret.ts'
import { toSecond } from '../text/age.ts'
import {
  insertUserKey,
  listKeysOfUser,
  markUserKeyRevoked,
  type UserKeyListing,
} from '../user/store.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { CommandFailed, NotFound, UsageError } from './failure.ts'
import { listing } from './table.ts'

const KEY_CREATE_HELP = `
Example:
  npx corridor key create acc_7k2m9x4q \\
    --scope ${SCOPES[0]} --name "monthly report"`

export function keyCommands(key: Command): void {
  addCommand(key, 'create', 'make a key; prints its id and, once, its secret')
    .argument('<account>', 'account id')
    .option('--scope <scope>', `one of ${SCOPES.join(', ')}`, 'write')
    .option('--name <name>', 'what the key is for', '')
    .option('--owner <user>', 'whose key it is, who then approves none of its payouts')
    .option('--makes-only', 'each payout that it makes needs an approval')
    .addHelpText('after', KEY_CREATE_HELP)
    .action(createAction)
  addCommand(key, 'list', 'list the keys of an account, and when each was used last, to the minute')
    .argument('<account>', 'account id')
    .addHelpText('after', example('key list acc_7k2m9x4q'))
    .action(async (account_id: string) => {
      const keys = await withContext(({ sql }) => listKeysOf(sql, account_id))
      print(keys, keyTable(keys))
    })
  addCommand(key, 'revoke', 'revoke a key; every process refuses it within a second')
    .argument('<key>', 'key id')
    .addHelpText('after', example('key revoke key_01m7xpm2kz8t3vqw5n0r'))
    .action(async (key_id: string) => {
      const key = await withContext(({ sql }) => revokeKey(sql, key_id))
      const quoted_name = key.name === '' ? '' : ` "${key.name}"`
      const state = key.was_revoked ? 'was revoked before' : 'is revoked'
      const words =
        `${key_id} ${state}: a ${key.scope} key${quoted_name} of ${key.account_id}; ` +
        'every process refuses it within a second'
      const { account_id, scope, name } = key
      print({ key_id, account_id, scope, name, revoked: true }, words)
    })
}

interface CreateOptions {
  readonly scope: string
  readonly name: string
  readonly owner?: string
  readonly makesOnly?: boolean
}

async function createAction(account_id: string, options: CreateOptions): Promise<void> {
  const { name, owner = null, makesOnly: makes_only = false } = options
  const scope = SCOPES.find(s => s === options.scope)
  if (scope === undefined) throw new UsageError(`scope must be one of ${SCOPES.join(', ')}`)
  const new_key = { scope, name, owner, makes_only }
  const made = await withContext(({ sql }) => makeKey(sql, account_id, new_key))
  const words = [
    `key id   ${made.key_id}`,
    `secret   ${made.secret}   (shown once)`,
    `account  ${account_id}`,
    `scope    ${scope}`,
    ...(owner === null ? [] : [`owner    ${owner}`]),
    ...(makes_only ? ['payouts  each needs an approval'] : []),
  ]
  print(made, words.join('\n'))
}

export function keyTable(keys: readonly ApiKeyListing[]): string {
  const rows = keys.map(key => ({
    'key id': key.key_id,
    scope: key.scope,
    name: key.name,
    owner: key.owner ?? '',
    'makes only': key.makes_only ? 'yes' : '',
    created: toSecond(key.created_at),
    'last used': toSecond(key.last_used_at) || 'never',
    revoked: toSecond(key.revoked_at),
  }))
  return listing(rows, 'no key; corridor key create makes one')
}

const USER_CREATE_HELP = `
The key may what the user may, at each moment, and what it does is in the user's
name. It is sent like the key of an account. On the routes of an account, the
header Corridor-Account names the account.

Example:
  npx corridor user key create ada --name "month-end report"`

export function userKeyCommands(key: Command): void {
  addCommand(key, 'create', 'make a key of a user; prints its id and, once, its secret')
    .argument('<user>', 'the user')
    .option('--name <name>', 'what the key is for', '')
    .addHelpText('after', USER_CREATE_HELP)
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
