// corridor key create|list|revoke: makes, lists and revokes API keys.
import type { Command } from 'commander'
import { SCOPES } from '../account/rules.ts'
import type { ApiKeyListing } from '../account/store.ts'
import { listKeysOf, makeKey, revokeKey } from '../operator/keys.ts'
import { named, print, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { table, toSecond } from './table.ts'

const KEY_CREATE_HELP = `
Example:
  npx corridor key create acc_7k2m9x4q \\
    --scope ${SCOPES[0]} --name "monthly report"`

export function keyCommands(key: Command): void {
  named(key, 'create', 'make a key; prints its id and, once, its secret')
    .argument('<account>', 'account id')
    .option('--scope <scope>', `one of ${SCOPES.join(', ')}`, 'write')
    .option('--name <name>', 'what the key is for', '')
    .option('--owner <user>', 'whose key it is, who then approves none of its payouts')
    .option('--makes-only', 'each payout that it makes needs an approval')
    .addHelpText('after', KEY_CREATE_HELP)
    .action(async (account_id: string, options: CreateOptions) => {
      const scope = SCOPES.find(s => s === options.scope)
      if (scope === undefined) throw new UsageError(`scope must be one of ${SCOPES.join(', ')}`)
      const { name, owner = null, makesOnly: makes_only = false } = options
      const asked = { scope, name, owner, makes_only }
      const made = await withContext(({ sql }) => makeKey(sql, account_id, asked))
      const words = [
        `key id   ${made.key_id}`,
        `secret   ${made.secret}   (shown once)`,
        `account  ${account_id}`,
        `scope    ${scope}`,
        ...(made.owner === null ? [] : [`owner    ${made.owner}`]),
        ...(made.makes_only ? ['payouts  each needs an approval'] : []),
      ].join('\n')
      print(made, words)
    })
  named(key, 'list', 'list the keys of an account, and when each was used last, to the minute')
    .argument('<account>', 'account id')
    .addHelpText('after', '\nExample:\n  npx corridor key list acc_7k2m9x4q')
    .action(async (account_id: string) => {
      const keys = await withContext(({ sql }) => listKeysOf(sql, account_id))
      print(keys, keyTable(keys))
    })
  named(key, 'revoke', 'revoke a key; every process refuses it within a second')
    .argument('<key>', 'key id')
    .addHelpText('after', '\nExample:\n  npx corridor key revoke key_01m7xpm2kz8t3vqw5n0r')
    .action(async (key_id: string) => {
      const key = await withContext(({ sql }) => revokeKey(sql, key_id))
      const named = key.name === '' ? '' : ` "${key.name}"`
      const is = key.was_revoked ? 'was revoked before' : 'is revoked'
      const words =
        `${key_id} ${is}: a ${key.scope} key${named} of ${key.account_id}; ` +
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

export function keyTable(keys: readonly ApiKeyListing[]): string {
  if (keys.length === 0) return 'no key; corridor key create makes one'
  const rows = keys.map(key => [
    key.key_id,
    key.scope,
    key.name,
    key.owner ?? '',
    key.makes_only ? 'yes' : '',
    toSecond(key.created_at),
    key.last_used_at === null ? 'never' : toSecond(key.last_used_at),
    key.revoked_at === null ? '' : toSecond(key.revoked_at),
  ])
  return table(
    ['key id', 'scope', 'name', 'owner', 'makes only', 'created', 'last used', 'revoked'],
    rows,
  )
}
