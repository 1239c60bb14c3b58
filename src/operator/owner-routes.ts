// What the owner of an account does: invites people, and makes and revokes keys. An owner gives no
// right that they do not have. Each call needs a session with a password given lately.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { ApiKey, Scope } from '../accounts/rules.ts'
import { listKeysOfAccount } from '../accounts/store.ts'
import {
  countOpenInvitations,
  insertInvitation,
  listInvitations,
  revokeInvitation,
} from '../accounts/user/invitation-store.ts'
import { notGivenBy } from '../accounts/user/rules.ts'
import { hashToken, INVITATION_DAYS, INVITATION_PATH } from '../accounts/user/session.ts'
import { ACCOUNT_ROLES, type AccountRole } from '../accounts/user/user.ts'
import { send, success } from '../http/answer.ts'
import { ownOrigin } from '../http/browser.ts'
import { pathId } from '../http/docs.ts'
import { addRoute, type RouteDocs } from '../http/route.ts'
import {
  Closed,
  emptyBody,
  Id,
  Literals,
  optional,
  Text,
  Timestamp,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { newId } from '../values/id.ts'
import { newToken } from '../values/secret.ts'
import { listAnswer, WholeList } from './action-routes.ts'
import { callWithoutClaim, type NeedsOperators, operatorOf } from './connections.ts'
import { MadeKeyResponse, makeKey, OperatorKey, RevokedKeyResponse, revokeKey } from './keys.ts'
import { known } from './operator-write.ts'
import { checkLines, MAX_NAME } from './request.ts'
import { checkUserEmail, Email, listWithRoles, AccountRole as Role } from './user-response.ts'

/** The most invitations of an account that can be accepted, and the most that are shown. */
const MOST_OPEN = 100
const MOST_SHOWN = 100

const INVITATION = {
  invitation_id: Id('inv', 'The invitation.'),
  account_id: Type.String(),
  email: Type.String({ description: 'Whom it is for; empty if it says nobody.' }),
  roles: Type.Array(Role),
  invited_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
  ended_at: textOrNull({ format: 'date-time', description: 'When it was accepted or revoked.' }),
  accepted_by: textOrNull({ description: 'The user who has accepted it; null for nobody.' }),
}
export const InvitationResponse = Closed(INVITATION, { title: 'Invitation' })

export const MadeInvitation = Closed(
  {
    ...INVITATION,
    link: Type.String({ description: 'For the person. It is shown in this answer alone.' }),
  },
  { title: 'MadeInvitation' },
)

const InvitationRequest = Closed(
  {
    roles: Type.Array(Role, { minItems: 1, maxItems: ACCOUNT_ROLES.length, uniqueItems: true }),
    ...optional({ email: Email }),
  },
  { title: 'InvitationRequest' },
)

export const MemberResponse = Closed(
  {
    user: Type.String(),
    full_name: Type.String(),
    roles: Type.Array(Role),
    disabled: Type.Boolean(),
  },
  { title: 'Member' },
)

const KeyRequest = Closed(
  {
    scope: Literals(['read', 'write'], { description: 'A key of scope `write` needs a maker.' }),
    ...optional({ name: Text(MAX_NAME, { description: 'What the key is for.' }) }),
  },
  { title: 'OwnerKey' },
)

const NOTHING = emptyBody('NothingMore')

interface OwnerRoute<Body extends TSchema, Params extends TSchema>
  extends Omit<RouteDocs, 'refusals' | 'method'> {
  readonly act: string
  readonly body?: Body
  readonly params?: Params
  readonly refusals?: RouteDocs['refusals']
  change(
    sql: Sql,
    asked: FastifyRequest<{ Body: Static<Body>; Params: Static<Params> }>,
  ): Promise<object>
}

export function ownerRoutes(app: FastifyInstance, deps: NeedsOperators): void {
  peopleRoutes(app, deps)
  keyRoutes(app, deps)
}

function peopleRoutes(app: FastifyInstance, deps: NeedsOperators): void {
  readAll(app, deps, '/v3/session/member', {
    operationId: 'listMembers',
    summary: 'List the people who work for the account.',
    item: MemberResponse,
    title: 'MemberList',
    find: membersOf,
  })
  readAll(app, deps, '/v3/session/invitation', {
    operationId: 'listInvitations',
    summary: 'List the newest invitations of the account.',
    item: InvitationResponse,
    title: 'InvitationList',
    find: (audit, account_id) => listInvitations(audit, account_id, MOST_SHOWN),
  })
  change(app, deps, '/v3/session/invitation', {
    act: 'invitation create',
    operationId: 'invite',
    summary: 'Invite a person to the account, by a link that works once.',
    description:
      `The link works for ${INVITATION_DAYS} days, while its maker is an owner. An owner gives ` +
      'the roles that they have, and `viewer`.',
    body: InvitationRequest,
    response: MadeInvitation,
    refusals: ['object_full'],
    change: invite,
  })
  change(app, deps, '/v3/session/invitation/:id/revoke', {
    act: 'invitation revoke',
    operationId: 'revokeInvitation',
    summary: 'Revoke an invitation that nobody has accepted.',
    params: pathId('inv'),
    body: NOTHING,
    response: InvitationResponse,
    refusals: ['not_found'],
    change: async (sql, { account, params }) =>
      found(await revokeInvitation(sql, account.account_id, params.id)),
  })
}

function found<T>(row: T | undefined): T {
  if (row !== undefined) return row
  throw refusal('not_found', 'The account has no such open invitation.')
}

function keyRoutes(app: FastifyInstance, deps: NeedsOperators): void {
  readAll(app, deps, '/v3/session/key', {
    operationId: 'listOwnKeys',
    summary: 'List the keys of the account, and when each was used last.',
    item: OperatorKey,
    title: 'OwnKeyList',
    find: listKeysOfAccount,
  })
  change(app, deps, '/v3/session/key', {
    act: 'key create',
    operationId: 'createOwnKey',
    summary: 'Create a key of the account, which its maker owns.',
    description: 'The secret is in this answer alone. Who owns a key approves none of its payouts.',
    body: KeyRequest,
    response: MadeKeyResponse,
    async change(sql, request) {
      checkLines(request.body)
      return newKey(sql, request, request.body)
    },
  })
  change(app, deps, '/v3/session/key/:id/rotate', {
    act: 'key rotate',
    operationId: 'rotateOwnKey',
    summary: 'Create a key like another one, which works on until it is revoked.',
    params: pathId('key'),
    body: NOTHING,
    response: MadeKeyResponse,
    refusals: ['not_found', 'invalid_transition'],
    async change(sql, request) {
      const key = await keyOf(sql, request.account.account_id, request.params.id)
      if (key.revoked_at !== null) {
        throw refusal('invalid_transition', 'The key is revoked: make another one.')
      }
      return newKey(sql, request, key)
    },
  })
  change(app, deps, '/v3/session/key/:id/revoke', {
    act: 'key revoke',
    operationId: 'revokeOwnKey',
    summary: 'Revoke a key of the account.',
    params: pathId('key'),
    body: NOTHING,
    response: RevokedKeyResponse,
    refusals: ['not_found'],
    async change(sql, { account, params }) {
      await keyOf(sql, account.account_id, params.id)
      return revokeKey(sql, params.id)
    },
  })
}

interface WholeRead {
  readonly operationId: string
  readonly summary: string
  readonly item: TSchema
  readonly title: string
  find(audit: Sql, account_id: string): Promise<readonly object[]>
}

function readAll(
  app: FastifyInstance,
  deps: NeedsOperators,
  path: string,
  { item, title, find, ...docs }: WholeRead,
): void {
  addRoute(app, path, 'own', {
    ...docs,
    config: { ofSession: true },
    response: WholeList(item, { title, description: docs.summary }),
    refusals: [],
    send: async ({ account }, reply) =>
      send(reply, success(listAnswer(await find(deps.operators.audit, account.account_id)))),
  })
}

function change<Body extends TSchema, Params extends TSchema>(
  app: FastifyInstance,
  deps: NeedsOperators,
  path: string,
  { act, change, refusals = [], ...docs }: OwnerRoute<Body, Params>,
): void {
  addRoute<{ Body: Static<Body>; Params: Static<Params> }>(app, path, 'own', {
    ...docs,
    method: 'POST',
    config: { ofSession: true, asksPassword: true, optionalBody: Object.is(docs.body, NOTHING) },
    refusals,
    async send(request, reply) {
      const call = callWithoutClaim(request as FastifyRequest, act)
      return send(reply, await deps.operators.changeOnce(call, sql => change(sql, request)))
    },
  })
}

const rolesOf = ({ person, account }: Pick<FastifyRequest, 'person' | 'account'>) =>
  person?.roles.get(account.account_id) ?? []

const cannotGive = (own: readonly AccountRole[], role: AccountRole) =>
  own.includes(role)
    ? `You may pay and approve, so you make nobody ${role}: ask an operator of the installation.`
    : `You are no ${role} of this account, so you make nobody one.`

async function invite(
  sql: Sql,
  request: FastifyRequest<{ Body: Static<typeof InvitationRequest> }>,
): Promise<object> {
  const { account, body } = request
  const { roles, email = '' } = body
  const { account_id } = account
  checkUserEmail(email)
  refuseIfAny(
    notGivenBy(rolesOf(request), roles).map(role =>
      invalidField('roles', cannotGive(rolesOf(request), role)),
    ),
  )
  if ((await countOpenInvitations(sql, account_id)) >= MOST_OPEN) {
    const message = `The account has ${MOST_OPEN} open invitations, the most: revoke some.`
    throw refusal('object_full', message)
  }
  const token = newToken('invitation')
  const invited_by = operatorOf(request as FastifyRequest).name
  const invitation = { invitation_id: newId('inv'), account_id, email, roles, invited_by }
  const hash = hashToken(token) as Buffer
  const made = await insertInvitation(sql, invitation, hash).catch(refuseFormerOwner)
  return { ...made, link: `${ownOrigin(request as FastifyRequest)}${INVITATION_PATH}${token}` }
}

/** Somebody has just taken a role from the owner. */
function refuseFormerOwner(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'owner_gives') throw error
  throw refusal('insufficient_scope', 'An owner of the account gives roles of their own.')
}

async function membersOf(audit: Sql, account_id: string) {
  return (await listWithRoles(audit)).flatMap(({ name, full_name, accounts, disabled_at }) => {
    const roles = accounts.filter(one => one.account_id === account_id).map(({ role }) => role)
    return roles.length === 0
      ? []
      : [{ user: name, full_name, roles, disabled: disabled_at !== null }]
  })
}

/** Refuses (404) a key of another account, as one that never was. */
async function keyOf(sql: Sql, account_id: string, key_id: string) {
  const keys = await listKeysOfAccount(sql, account_id)
  return known(
    'key',
    key_id,
    keys.find(one => one.key_id === key_id),
  )
}

const SCOPE_NEEDS: Readonly<Record<Scope, AccountRole | null>> = {
  read: 'viewer',
  write: 'maker',
  operator: null,
}

/** Refuses (400) a scope with rights that the caller does not have. */
async function newKey(
  sql: Sql,
  request: Pick<FastifyRequest, 'person' | 'account'>,
  {
    scope,
    name = '',
    makes_only = false,
  }: Partial<Pick<ApiKey, 'name' | 'makes_only'>> & {
    readonly scope: Scope
  },
) {
  const needed = SCOPE_NEEDS[scope]
  if (needed === null || (needed !== 'viewer' && !rolesOf(request).includes(needed))) {
    const message =
      needed === null
        ? 'Only an operator of this installation makes such a key.'
        : `You are no ${needed} of this account, so you make no key of scope ${scope}.`
    refuseIfAny([invalidField('scope', message)])
  }
  const owner = request.person?.user ?? ''
  return makeKey(sql, request.account.account_id, { scope, name, makes_only, owner })
}
