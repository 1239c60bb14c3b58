// /v3/operator/user: lists users; an operator in a session makes users and changes others.
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { ownOrigin } from '../http/browser.ts'
import { Closed, Literals, Text, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { LINK_PATH } from '../user/session.ts'
import { listLastSeen } from '../user/session-store.ts'
import { ACCOUNT_ROLES, USER_ROLES } from '../user/user.ts'
import { callOf, callWithoutClaim, operatorOf } from './desk.ts'
import { type DeskRoutes, listAnswer, WholeList } from './desk-routes.ts'
import { MAX_NAME } from './lengths.ts'
import { AccountId, checkLines, checkWords, ReasonRequest } from './request.ts'
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

const timeOrNull = (description: string) => textOrNull({ format: 'date-time', description })

const USER = {
  name: Type.String(),
  full_name: Type.String(),
  role: UserRole,
  accounts: Type.Array(Closed({ account_id: AccountId, role: AccountRole }), {
    description: 'What the user may do for accounts.',
  }),
  created_at: Type.String({ format: 'date-time' }),
  disabled_at: timeOrNull('Null while the user is enabled.'),
  disabled_reason: Type.String(),
}
const User = Closed(USER, { title: 'User' })
export const DeskUser = Closed(
  {
    ...USER,
    last_seen_at: timeOrNull(
      'When a session of the user was last used, to the minute; null if none was.',
    ),
  },
  { title: 'DeskUser' },
)
const LoginLink = Closed(
  {
    name: Type.String({ description: 'The user whose link it is.' }),
    link: Type.String({
      description: 'The link works once. It is shown in this answer and stored nowhere.',
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'LoginLink' },
)
const LoggedOut = Closed(
  { name: Type.String(), ended: Type.Integer({ description: 'How many sessions were ended.' }) },
  { title: 'LoggedOut' },
)

/** The configuration of each write: it asks for the caller's password, which a key cannot give. */
const WRITES = { asksPassword: true, ofSession: true } as const
const OTHERS = 'You cannot change your own user. The call needs a session.'

export function deskUserRoutes(routes: DeskRoutes): void {
  routes.list('/v3/operator/user', {
    operationId: 'listUsers',
    summary: 'List the users, what each may do, and when each was seen last.',
    response: WholeList(DeskUser, {
      title: 'DeskUserList',
      description: 'All users by name, disabled ones too.',
    }),
    async answer(_, { audit }) {
      const [users, seen] = await Promise.all([listWithRoles(audit), listLastSeen(audit)])
      return listAnswer(users.map(user => ({ ...user, last_seen_at: seen.get(user.name) ?? null })))
    },
  })
  routes.change('/v3/operator/user', {
    act: 'user create',
    config: { ...WRITES, check: (sent: never) => checkLines(sent, ['full_name']) },
    operationId: 'createUser',
    summary: 'Create a user: a person who runs the installation, or works for accounts.',
    description:
      'A name is never given twice. The call needs a session. The new user logs in with a ' +
      'login link.',
    body: NewUser,
    response: User,
    change: (sql, { body }) => makeUser(sql, body),
  })
  changeRoutes(routes)
  linkRoute(routes)
  logOutRoute(routes)
}

function changeRoutes(routes: DeskRoutes): void {
  changeRoute(routes, {
    path: 'role',
    act: 'user role',
    body: RoleRequest,
    operationId: 'giveUserRole',
    summary: 'Give a user another role in the installation.',
    change: (sql, name, { role }) => giveRole(sql, name, role),
  })
  changeRoute(routes, {
    path: 'account_role',
    act: 'user role',
    body: AccountRoleRequest,
    operationId: 'giveAccountRole',
    summary: 'Give a user a role on an account.',
    change: (sql, user_name, role) => giveAccountRole(sql, { user_name, ...role }),
  })
  changeRoute(routes, {
    path: 'account_role/remove',
    act: 'user role',
    body: AccountRoleRequest,
    operationId: 'takeAccountRole',
    summary: 'Take a role on an account from a user.',
    change: (sql, user_name, role) => takeAccountRole(sql, { user_name, ...role }),
  })
  changeRoute(routes, {
    path: 'disable',
    act: 'user disable',
    body: ReasonRequest,
    operationId: 'disableUser',
    summary: 'Disable a user, whose sessions and keys end at once.',
    change: (sql, name, { reason }) => disableUser(sql, name, reason),
  })
  changeRoute(routes, {
    path: 'enable',
    act: 'user enable',
    emptyBody: 'NothingMore',
    operationId: 'enableUser',
    summary: 'Enable a disabled user.',
    change: (sql, name) => disableUser(sql, name, ''),
  })
}

interface UserChange<Body extends TSchema> {
  readonly path: string
  /** The act in the words of the command. */
  readonly act: string
  readonly body?: Body
  readonly emptyBody?: string
  readonly operationId: string
  readonly summary: string
  change(sql: Sql, name: string, body: Static<Body>): Promise<UserWithRoles>
}

function changeRoute<Body extends TSchema>(
  routes: DeskRoutes,
  { path, act, change, ...docs }: UserChange<Body>,
): void {
  routes.write(`/v3/operator/user/:name/${path}`, {
    config: { ...WRITES, check: checkWords },
    ...docs,
    description: OTHERS,
    params: UserPath,
    response: User,
    idempotent: true,
    refusals: ['invalid_transition'],
    answer(request, desk) {
      const name = otherUserOf(request)
      return desk.changeOnce(callOf(request, act), sql =>
        change(sql, name, request.body as Static<Body>),
      )
    },
  })
}

function linkRoute(routes: DeskRoutes): void {
  routes.write('/v3/operator/user/:name/login_link', {
    config: WRITES,
    operationId: 'makeLoginLink',
    summary: 'Create a link with which a user sets a password and logs in.',
    description: `${OTHERS} A new link ends the earlier ones of the user.`,
    params: UserPath,
    emptyBody: 'NothingMore',
    response: LoginLink,
    refusals: ['invalid_transition'],
    answer(request, desk) {
      const name = otherUserOf(request)
      return desk.changeOnce(callWithoutClaim(request, 'user login-link'), async sql => {
        const { token, expires_at } = await makeLoginLink(sql, name)
        return { name, link: `${ownOrigin(request)}${LINK_PATH}${token}`, expires_at }
      })
    },
  })
}

function logOutRoute(routes: DeskRoutes): void {
  routes.write('/v3/operator/user/:name/log_out', {
    config: WRITES,
    operationId: 'logOutUser',
    summary: 'End every session of a user at once.',
    description: OTHERS,
    params: UserPath,
    emptyBody: 'NothingMore',
    response: LoggedOut,
    answer(request, desk) {
      const name = otherUserOf(request)
      return desk.changeOnce(callWithoutClaim(request, 'user log-out'), async sql => ({
        name,
        ended: await logOutUser(sql, name),
      }))
    },
  })
}

/** The user of the path. Refuses (403) the caller: nobody changes their own rights or password. */
function otherUserOf(request: FastifyRequest<{ Params: { name: string } }>): string {
  const { name } = request.params
  if (operatorOf(request).name !== name) return name
  throw refusal('insufficient_scope', 'What you may yourself is changed by another operator.')
}
