// Makes, lists and revokes the keys of accounts.
import { makeApiKey, type NewApiKey, SCOPES } from '../accounts/rules.ts'
import {
  type ApiKeyListing,
  findKey,
  insertApiKey,
  listKeysOfAccount,
  markKeyRevoked,
} from '../accounts/store.ts'
import { listUsers } from '../accounts/user/store.ts'
import { pathId } from '../http/docs.ts'
import { Closed, Literals, optional, Text, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { invalidField, refuseIfAny } from '../values/errors.ts'
import { newId } from '../values/id.ts'
import { newSecret } from '../values/secret.ts'
import { toSecond } from '../values/text/age.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { accountNamed, known } from './operator-write.ts'
import { AccountId, AccountPath, MAX_NAME } from './request.ts'

export const NO_KEY = 'no key; corridor key create makes one'

const NewKeyRequest = Closed(
  {
    scope: Literals(SCOPES, { description: 'What the key may do in its account.' }),
    ...optional({
      name: Text(MAX_NAME, { description: 'What the key is for.' }),
      owner: Text(40, {
        description: 'The user who owns the key, and then approves none of its payouts.',
      }),
      makes_only: Type.Boolean({
        description: 'Whether each payout that the key makes needs an approval.',
        default: false,
      }),
    }),
  },
  { title: 'NewKey' },
)

const KEY = { key_id: Type.String(), account_id: AccountId, scope: Literals(SCOPES) }
const OF_MAKER = {
  owner: Type.Union([Type.String(), Type.Null()], {
    description:
      'The user who owns the key and approves none of its payouts; null if nobody owns it.',
  }),
  makes_only: Type.Boolean({
    description: 'Whether each payout that the key makes needs an approval.',
  }),
}
const Instant = textOrNull({ format: 'date-time' })

export const OperatorKey = Type.Object(
  {
    ...KEY,
    name: Type.String(),
    ...OF_MAKER,
    created_at: Timestamp,
    revoked_at: Instant,
    last_used_at: Instant,
  },
  {
    title: 'OperatorKey',
    description: 'A key of an account. The time of its last use is to the minute.',
  },
)

export const MadeKeyResponse = Type.Object(
  {
    ...KEY,
    ...OF_MAKER,
    secret: Type.String({ description: 'The secret, which is shown only in this answer.' }),
  },
  { title: 'MadeKey' },
)

export const RevokedKeyResponse = Type.Object(
  {
    ...KEY,
    name: Type.String(),
    was_revoked: Type.Boolean({ description: 'Whether the key was already revoked.' }),
  },
  {
    title: 'RevokedKey',
    description: 'The revoked key. Every process refuses it within a second.',
  },
)

const list = reading({
  name: 'key list',
  path: '/v3/operator/account/:id/key',
  operationId: 'listKeys',
  summary: 'List the keys of an account, and when each was used last.',
  params: AccountPath,
  response: OperatorKey,
  list: { title: 'OperatorKeyList', description: 'All keys of the account, revoked ones too.' },
  find: (audit, { id }) => listKeysOf(audit, id),
  command: {
    subject: 'account',
    words: keys => keys.map(keyColumns),
    none: NO_KEY,
    help: '\nExample:\n  corridor key list acc_7k2m9x4q',
  },
})

const create = writing({
  name: 'key create',
  path: '/v3/operator/account/:id/key',
  operationId: 'createKey',
  summary: 'Create a key of an account.',
  description:
    'The secret is shown once and stored nowhere, so a repeat makes another key. If a ' +
    'call had no answer, revoke the key whose secret nobody has.',
  params: AccountPath,
  body: NewKeyRequest,
  response: MadeKeyResponse,
  asksPassword: true,
  actsAgain: true,
  run: (acting, { id, ...asked }) => acting.change(sql => makeKey(sql, id, asked)),
  command: {
    subject: 'account',
    words: ({ key_id, secret, account_id, scope, owner, makes_only }) =>
      [
        `key id   ${key_id}`,
        `secret   ${secret}   (shown once)`,
        `account  ${account_id}`,
        `scope    ${scope}`,
        ...(owner === null ? [] : [`owner    ${owner}`]),
        ...(makes_only ? ['payouts  each needs an approval'] : []),
      ].join('\n'),
    help: `
Example:
  corridor key create acc_7k2m9x4q \\
    --scope ${SCOPES[0]} --name "monthly report"`,
  },
})

const revoke = writing({
  name: 'key revoke',
  path: '/v3/operator/key/:id/revoke',
  operationId: 'revokeKey',
  summary: 'Revoke a key of an account.',
  params: pathId('key'),
  emptyBody: 'RevokeRequest',
  response: RevokedKeyResponse,
  asksPassword: true,
  actsAgain: true,
  run: (acting, { id }) => acting.change(sql => revokeKey(sql, id)),
  command: {
    words({ key_id, account_id, scope, name, was_revoked }) {
      const quoted_name = name === '' ? '' : ` "${name}"`
      const state = was_revoked ? 'was revoked before' : 'is revoked'
      return (
        `${key_id} ${state}: a ${scope} key${quoted_name} of ${account_id}; ` +
        'every process refuses it within a second'
      )
    },
    json: ({ was_revoked: _, ...key }) => ({ ...key, revoked: true }),
    help: '\nExample:\n  corridor key revoke key_01m7xpm2kz8t3vqw5n0r',
  },
})

export const keys: ActionGroup = { actions: [list, create, revoke] }

export const keyColumns = (key: ApiKeyListing) => ({
  'key id': key.key_id,
  scope: key.scope,
  name: key.name,
  owner: key.owner ?? '',
  'makes only': key.makes_only ? 'yes' : '',
  created: toSecond(key.created_at),
  'last used': toSecond(key.last_used_at) || 'never',
  revoked: toSecond(key.revoked_at),
})

type AskedKey = Pick<NewApiKey, 'scope'> & Partial<Pick<NewApiKey, 'name' | 'makes_only'>>

/** Refuses (400) an owner who is no user. */
export async function makeKey(sql: Sql, account_id: string, asked: AskedKey & { owner?: string }) {
  const { scope, name = '', owner = null, makes_only = false } = asked
  const secret = newSecret(await accountNamed(sql, account_id))
  if (owner !== null && !(await listUsers(sql)).some(({ name }) => name === owner)) {
    refuseIfAny([invalidField('owner', `There is no user ${owner}.`)])
  }
  const key = makeApiKey(account_id, { scope, name, owner, makes_only, secret }, newId)
  await insertApiKey(sql, key)
  // The only copy of the secret: the database has its hash.
  return { account_id, key_id: key.key_id, scope, owner, makes_only, secret }
}

export async function listKeysOf(sql: Sql, account_id: string): Promise<ApiKeyListing[]> {
  await accountNamed(sql, account_id)
  return listKeysOfAccount(sql, account_id)
}

/** Refuses (404) an unknown id. */
export async function revokeKey(sql: Sql, key_id: string) {
  const key = known('key', key_id, await findKey(sql, key_id))
  return { key_id, ...key, was_revoked: (await markKeyRevoked(sql, key_id)) === undefined }
}
