// /v3/operator/user: who there is, and what operators do with others in a session of their own.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { send, sendList, success } from '../http/answer.ts'
import { ownOrigin } from '../http/browser.ts'
import { operationDocs } from '../http/docs.ts'
import { Closed, Envelope, Literals, Text, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { LINK_PATH } from '../user/session.ts'
import { listLastSeen } from '../user/session-store.ts'
import { ACCOUNT_ROLES, USER_ROLES } from '../user/user.ts'
import { authorOf, callOf, type OfDesk, operatorOf } from './desk.ts'
import { AccountId, checkLines, ReasonRequest } from './request.ts'
import {
  disableUser,
  giveAccountRole,
  giveRole,
  listWithRoles,
  logOutUser,
  makeLoginLink,
  makeUser,
  takeAccountRole,
  type UserWithRoles,
} from './users.ts'
import { MAX_NAME } from './words.ts'

interface Named {
  readonly Params: { readonly name: string }
}

const UserName = Type.String({
  pattern: '^[a-z][a-z0-9._-]{1,39}$',
  description: 'What the person logs in as, and what the audit log says.',
  examples: ['bob'],
})

const UserPath = Type.Object({ name: UserName })
const AccountRole = Literals(ACCOUNT_ROLES, {
  description: 'What the user may do for the account.',
})
const UserRole = Literals(USER_ROLES, {
  description: 'What the user may do with the installation.',
})

const NewUser = Closed(
  {
    name: UserName,
    full_name: Text(MAX_NAME, { minLength: 1, description: 'The full name of the person.' }),
    role: UserRole,
  },
  { title: 'NewUser' },
)
const RoleRequest = Closed({ role: UserRole }, { title: 'RoleRequest' })
const AccountRoleRequest = Closed(
  { account_id: AccountId, role: AccountRole },
  { title: 'AccountRoleRequest' },
)
type AccountRoleRequest = Static<typeof AccountRoleRequest>
const Nothing = Closed({}, { title: 'NothingMore', type: ['object', 'null'] })

const at = (description: string) => textOrNull({ format: 'date-time', description })

const rights = {
  name: Type.String(),
  full_name: Type.String(),
  role: UserRole,
  accounts: Type.Array(Closed({ account_id: AccountId, role: AccountRole }), {
    description: 'What the user may do for accounts.',
  }),
  created_at: Type.String({ format: 'date-time' }),
  disabled_at: at('Null while the user may work.'),
  disabled_reason: Type.String(),
}
const User = Closed(rights, { title: 'User' })
export const DeskUser = Closed(
  {
    ...rights,
    last_seen_at: at('When a session of theirs was last used, to the minute; null if none was.'),
  },
  { title: 'DeskUser' },
)
const DeskUserList = Type.Object(
  { object: Type.Literal('list'), has_more: Type.Literal(false), results: Type.Array(DeskUser) },
  { title: 'DeskUserList', description: 'All users by name, disabled ones too.' },
)
const LoginLink = Closed(
  {
    name: Type.String({ description: 'Whose it is.' }),
    link: Type.String({ description: 'Good once. It is shown in this answer and kept nowhere.' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'LoginLink' },
)
const LoggedOut = Closed(
  { name: Type.String(), ended: Type.Integer({ description: 'How many sessions there were.' }) },
  { title: 'LoggedOut' },
)

/** Each asks for the password, which a key cannot give. */
const WRITES = { scope: 'installation_write', asksPassword: true, ofSession: true } as const
const OTHERS = 'Of another user than yourself, in a session.'

export function deskUserRoutes(app: FastifyInstance, deps: OfDesk): void {
  listRoute(app, deps)
  createRoute(app, deps)
  changeRoute<{ role: (typeof USER_ROLES)[number] }>(app, deps, {
    path: 'role',
    act: 'user role',
    body: RoleRequest,
    operationId: 'giveUserRole',
    summary: 'Give a user another role in the installation.',
    change: (sql, name, { role }) => giveRole(sql, name, role),
  })
  changeRoute<AccountRoleRequest>(app, deps, {
    path: 'account_role',
    act: 'user role',
    body: AccountRoleRequest,
    operationId: 'giveAccountRole',
    summary: 'Give a user a role on an account.',
    change: (sql, user_name, given) => giveAccountRole(sql, { user_name, ...given }),
  })
  changeRoute<AccountRoleRequest>(app, deps, {
    path: 'account_role/remove',
    act: 'user role',
    body: AccountRoleRequest,
    operationId: 'takeAccountRole',
    summary: 'Take a role on an account from a user.',
    change: (sql, user_name, given) => takeAccountRole(sql, { user_name, ...given }),
  })
  changeRoute<ReasonRequest>(app, deps, {
    path: 'disable',
    act: 'user disable',
    body: ReasonRequest,
    operationId: 'disableUser',
    summary: 'Disable a user, whose sessions and keys end at once.',
    change: (sql, name, { reason }) => disableUser(sql, name, reason),
  })
  changeRoute(app, deps, {
    path: 'enable',
    act: 'user enable',
    body: Nothing,
    operationId: 'enableUser',
    summary: 'Let a disabled user work again.',
    change: (sql, name) => disableUser(sql, name, ''),
  })
  linkRoute(app, deps)
  logOutRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/user',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listUsers',
        summary: 'List the users, what each may do, and when each was seen last.',
        response: Envelope(DeskUserList),
        refusals: [],
      }),
    },
    async (request, reply) => {
      const { audit } = deps.desk
      const [users, seen] = await Promise.all([listWithRoles(audit), listLastSeen(audit)])
      const results = users.map(user => ({ ...user, last_seen_at: seen.get(user.name) ?? null }))
      return sendList(request, reply, success({ object: 'list', has_more: false, results }))
    },
  )
}

function createRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: Static<typeof NewUser> }>(
    '/v3/operator/user',
    {
      config: { ...WRITES, check: (sent: never) => checkLines(sent, ['full_name']) },
      schema: operationDocs({
        operationId: 'createUser',
        summary: 'Make a user: a person who runs the installation, or works for accounts.',
        description: 'A name is given once. In a session. They log in by a link.',
        body: NewUser,
        response: Envelope(User),
        idempotent: true,
        refusals: [],
      }),
    },
    async (request, reply) => {
      const call = callOf(request, 'user create')
      const answer = await deps.desk.changeOnce(call, sql => makeUser(sql, request.body))
      return send(reply, answer)
    },
  )
}

interface Change<Body> {
  readonly path: string
  /** In the words of the command. */
  readonly act: string
  readonly body: Parameters<typeof operationDocs>[0]['body']
  readonly operationId: string
  readonly summary: string
  change(sql: Sql, name: string, body: Body): Promise<UserWithRoles>
}

function changeRoute<Body extends object>(
  app: FastifyInstance,
  deps: OfDesk,
  { path, act, body, operationId, summary, change }: Change<Body>,
): void {
  app.post<Named & { Body: Body }>(
    `/v3/operator/user/:name/${path}`,
    {
      config: {
        ...WRITES,
        check: (sent: never) => checkLines(sent ?? {}),
        ...(body === Nothing && { optionalBody: true }),
      },
      schema: operationDocs({
        ...{ operationId, summary, description: OTHERS, params: UserPath },
        ...(body !== undefined && { body }),
        response: Envelope(User),
        idempotent: true,
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const name = anotherThan(request)
      const call = callOf(request, act)
      const answer = await deps.desk.changeOnce(call, sql =>
        change(sql, name, request.body as Body),
      )
      return send(reply, answer)
    },
  )
}

function linkRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/user/:name/login_link',
    {
      config: { ...WRITES, optionalBody: true },
      schema: operationDocs({
        operationId: 'makeLoginLink',
        summary: 'Make a link by which a user sets a password and logs in.',
        description: `${OTHERS} It ends those made before, so a repeat makes another.`,
        params: UserPath,
        body: Nothing,
        response: Envelope(LoginLink),
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const name = anotherThan(request)
      const made = await deps.desk.change(authorOf(request, 'user login-link'), sql =>
        makeLoginLink(sql, name),
      )
      const link = `${ownOrigin(request)}${LINK_PATH}${made.token}`
      return send(reply, success({ name, link, expires_at: made.expires_at }))
    },
  )
}

function logOutRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/user/:name/log_out',
    {
      config: { ...WRITES, optionalBody: true },
      schema: operationDocs({
        operationId: 'logOutUser',
        summary: 'End every session of a user at once.',
        description: OTHERS,
        params: UserPath,
        body: Nothing,
        response: Envelope(LoggedOut),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const name = anotherThan(request)
      const ended = await deps.desk.change(authorOf(request, 'user log-out'), sql =>
        logOutUser(sql, name),
      )
      return send(reply, success({ name, ended }))
    },
  )
}

/** The user of the path. What one may oneself, and one's own password, others change. */
function anotherThan(request: FastifyRequest): string {
  const { name } = request.params as Named['Params']
  if (operatorOf(request).name !== name) return name
  throw refusal('insufficient_scope', 'What you may yourself is changed by another operator.')
}
