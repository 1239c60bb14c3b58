// Users: the people who run the installation, or work for its accounts. By the API an operator
// changes only other users.
import { listEnrolled } from '../accounts/user/factor-store.ts'
import { refuseFirst } from '../accounts/user/rules.ts'
import { hashToken, LINK_MINUTES, LINK_PATH } from '../accounts/user/session.ts'
import { endSessions, insertLink, listLastSeen } from '../accounts/user/session-store.ts'
import {
  deleteAccountRole,
  insertAccountRole,
  insertUser,
  listUsers,
  updateDisabled,
  updateEmail,
  updateRole,
} from '../accounts/user/store.ts'
import { type RoleOnAccount, SERVICE, type User } from '../accounts/user/user.ts'
import { Closed, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { newToken } from '../values/secret.ts'
import { toSecond } from '../values/text/age.ts'
import { type Acting, type ActionGroup, reading, writing } from './action.ts'
import { accountNamed } from './operator-write.ts'
import { AccountId, MAX_NAME, ReasonRequest } from './request.ts'
import { resetFactor } from './second-factor.ts'
import {
  AccountRole,
  checkUserEmail,
  Email,
  listWithRoles,
  OperatorUser,
  Role,
  refuseSecondEmail,
  UserName,
  UserPath,
  UserResponse,
  type UserWithRoles,
  userNamed,
} from './user-response.ts'

const AccountRoleRequest = Closed(
  { account_id: AccountId, role: AccountRole },
  { title: 'AccountRoleRequest' },
)

const list = reading({
  name: 'user list',
  path: '/v3/operator/user',
  operationId: 'listUsers',
  summary: 'List the users, what each may do, and when each was seen last.',
  response: OperatorUser,
  list: { title: 'OperatorUserList', description: 'All users by name, disabled ones too.' },
  async find(audit) {
    const [users, seen, enrolled] = await Promise.all([
      listWithRoles(audit),
      listLastSeen(audit),
      listEnrolled(audit),
    ])
    return users.map(user => ({
      ...user,
      last_seen_at: seen.get(user.name) ?? null,
      second_factor_at: enrolled.get(user.name) ?? null,
    }))
  },
  command: {
    words: users => users.map(columnsOf),
    json: users => users.map(({ last_seen_at: _, second_factor_at: __, ...user }) => user),
    none: 'no user; corridor user create makes one',
    help: '\nExample:\n  corridor user list',
  },
})

const CREATE_HELP = `
An operator reads and changes everything, an auditor reads everything, a member
has the roles on accounts that corridor user give-role gives. The first user is
an operator. From then on each command needs CORRIDOR_USER, the name of
a user who is not disabled, and the audit log has that name. It is no password:
whoever runs commands here has the database.

Example:
  corridor user create ada --full-name "Ada Lovelace" --role operator`

const create = writing({
  name: 'user create',
  path: '/v3/operator/user',
  operationId: 'createUser',
  summary: 'Create a user: a person who runs the installation, or works for accounts.',
  description:
    'A name is never given twice. The call needs a session. The new user logs in with a ' +
    'login link.',
  body: Closed(
    {
      name: UserName,
      full_name: Text(MAX_NAME, { minLength: 1, description: 'The full name of the person.' }),
      role: Role,
      ...optional({ email: Email }),
    },
    { title: 'NewUser' },
  ),
  response: UserResponse,
  asksPassword: true,
  ofSession: true,
  run: (acting, asked) =>
    acting.change(async sql => {
      const { user, is_first } = await makeUser(sql, asked)
      if (is_first) acting.say(`commands now need a user: export CORRIDOR_USER=${user.name}`)
      return user
    }),
  command: {
    arguments: ['name'],
    words({ name, full_name, role }, said) {
      const made = `user ${name}, ${full_name}, is ${role === 'member' ? 'a' : 'an'} ${role}`
      return said === '' ? made : `${made}\n${said}`
    },
    json: ({ name, full_name, role }) => ({ name, full_name, role }),
    options: { name: 'the name for CORRIDOR_USER, such as ada' },
    help: CREATE_HELP,
  },
})

/** They take no caller who changes themselves. */
const OF_ANOTHER = {
  description: 'You cannot change your own user. The call needs a session.',
  params: UserPath,
  asksPassword: true,
  ofSession: true,
} as const

const CHANGE = {
  ...OF_ANOTHER,
  response: UserResponse,
  refusals: ['invalid_transition'],
} as const

const words = (user: UserWithRoles) => [columnsOf(user)]

const role = writing({
  ...CHANGE,
  name: 'user role',
  path: '/v3/operator/user/:name/role',
  operationId: 'giveUserRole',
  summary: 'Give a user another role in the installation.',
  body: Closed({ role: Role }, { title: 'RoleRequest' }),
  run: (acting, { name, role }) => change(acting, name, sql => updateRole(sql, name, role)),
  command: {
    arguments: ['role'],
    words,
    help: '\nExample:\n  corridor user role grace auditor',
  },
})

const email = writing({
  ...CHANGE,
  name: 'user email',
  path: '/v3/operator/user/:name/email',
  operationId: 'setUserEmail',
  summary: 'Set the e-mail address of a user.',
  description: `${OF_ANOTHER.description} An empty address removes it.`,
  body: Closed({ email: Email }, { title: 'EmailRequest' }),
  run(acting, { name, email }) {
    checkUserEmail(email)
    return change(acting, name, sql => updateEmail(sql, name, email).catch(refuseSecondEmail))
  },
  command: {
    arguments: ['email'],
    words,
    help: '\nExample:\n  corridor user email grace grace@example.com',
  },
})

const GIVE_HELP = `
A viewer reads an account, a maker makes its payouts, an approver approves those
of others, an owner invites people and makes keys. A user can have several roles
on an account, and roles on several.

Example:
  corridor user give-role ada maker --account acc_7k2m9x4q`

const giveRole = writing({
  ...CHANGE,
  name: 'user give-role',
  path: '/v3/operator/user/:name/account_role',
  operationId: 'giveAccountRole',
  summary: 'Give a user a role on an account.',
  body: AccountRoleRequest,
  run: (acting, { name, account_id, role }) =>
    change(acting, name, async sql => {
      await accountNamed(sql, account_id)
      await insertAccountRole(sql, { user_name: name, account_id, role })
    }),
  command: { arguments: ['role'], words, help: GIVE_HELP },
})

const takeRole = writing({
  ...CHANGE,
  name: 'user take-role',
  path: '/v3/operator/user/:name/account_role/remove',
  operationId: 'takeAccountRole',
  summary: 'Take a role on an account from a user.',
  body: AccountRoleRequest,
  run: (acting, { name, ...role }) =>
    change(acting, name, sql => takeAccountRole(sql, { user_name: name, ...role })),
  command: {
    arguments: ['role'],
    words,
    help: '\nExample:\n  corridor user take-role ada maker --account acc_7k2m9x4q',
  },
})

const LINK_HELP = `
The link is good once, and for ${LINK_MINUTES} minutes; it ends those made before. Whoever
opens it sets the user's password and is logged in, so give it to nobody else.
HOST and PORT are those of the service here; behind a proxy the name differs.

Example:
  corridor user login-link mary`

const loginLink = writing({
  ...OF_ANOTHER,
  name: 'user login-link',
  path: '/v3/operator/user/:name/login_link',
  operationId: 'makeLoginLink',
  summary: 'Create a link with which a user sets a password and logs in.',
  description: `${OF_ANOTHER.description} A new link ends the earlier ones of the user.`,
  emptyBody: 'NothingMore',
  response: Closed(
    {
      name: Type.String({ description: 'The user whose link it is.' }),
      link: Type.String({
        description: 'The link works once. It is shown in this answer and stored nowhere.',
      }),
      expires_at: Type.String({ format: 'date-time' }),
    },
    { title: 'LoginLink' },
  ),
  refusals: ['invalid_transition'],
  actsAgain: true,
  run(acting, { name }) {
    acting.askOther(name)
    return acting.change(async sql => {
      const { token, expires_at } = await makeLoginLink(sql, name)
      return { name, link: `${acting.origin()}${LINK_PATH}${token}`, expires_at }
    })
  },
  command: {
    words: ({ link, expires_at }) => `${link}\ngood once, until ${toSecond(expires_at)}`,
    json: ({ name, ...made }) => ({ user: name, ...made }),
    help: LINK_HELP,
  },
})

const logOut = writing({
  ...OF_ANOTHER,
  name: 'user log-out',
  path: '/v3/operator/user/:name/log_out',
  operationId: 'logOutUser',
  summary: 'End every session of a user at once.',
  emptyBody: 'NothingMore',
  response: Closed(
    { name: Type.String(), ended: Type.Integer({ description: 'How many sessions were ended.' }) },
    { title: 'LoggedOut' },
  ),
  actsAgain: true,
  run(acting, { name }) {
    acting.askOther(name)
    return acting.change(async sql => {
      await userNamed(sql, name)
      return { name, ended: await endSessions(sql, name) }
    })
  },
  command: {
    words: ({ name, ended }) => `${name}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended`,
    json: ({ name, ended }) => ({ user: name, ended }),
    help: '\nExample:\n  corridor user log-out mary',
  },
})

const disable = writing({
  ...CHANGE,
  name: 'user disable',
  path: '/v3/operator/user/:name/disable',
  operationId: 'disableUser',
  summary: 'Disable a user, whose sessions and keys end at once.',
  body: ReasonRequest,
  run: (acting, { name, reason }) => change(acting, name, sql => updateDisabled(sql, name, reason)),
  command: {
    words,
    options: { reason: 'why, for whoever reads the history' },
    help: '\nExample:\n  corridor user disable alan --reason "Left"',
  },
})

const enable = writing({
  ...CHANGE,
  name: 'user enable',
  path: '/v3/operator/user/:name/enable',
  operationId: 'enableUser',
  summary: 'Enable a disabled user.',
  emptyBody: 'NothingMore',
  run: (acting, { name }) => change(acting, name, sql => updateDisabled(sql, name, '')),
  command: { words, help: '\nExample:\n  corridor user enable alan' },
})

export const users: ActionGroup = {
  actions: [
    ...[list, create, role, email, giveRole, takeRole, loginLink, logOut, disable, enable],
    resetFactor,
  ],
}

/** Refuses (400) a name once given, the service's name, and a first user who is no operator. */
async function makeUser(
  sql: Sql,
  user: Pick<User, 'name' | 'full_name' | 'role'> & { readonly email?: string },
): Promise<{ readonly user: UserWithRoles; readonly is_first: boolean }> {
  const { name, email } = user
  checkUserEmail(email)
  const users = await listUsers(sql)
  const unfit = refuseFirst(users, user.role)
  if (unfit !== undefined) refuseIfAny([invalidField('role', unfit)])
  if (name === SERVICE) {
    refuseIfAny([invalidField('name', `${SERVICE} is the name of the service, and of no user.`)])
  }
  if (!(await insertUser(sql, user).catch(refuseSecondEmail))) {
    refuseIfAny([invalidField('name', `There is a user ${name}, and names are given once.`)])
  }
  return { user: await userNamed(sql, name), is_first: users.length === 0 }
}

/** Refuses (400) a role that the user does not have. */
async function takeAccountRole(sql: Sql, given: RoleOnAccount): Promise<void> {
  const { user_name, account_id, role } = given
  await accountNamed(sql, account_id)
  if (await deleteAccountRole(sql, given)) return
  refuseIfAny([invalidField('role', `${user_name} has no role ${role} on ${account_id}.`)])
}

/** Ends the user's earlier links. Refuses (409) a disabled user. */
export async function makeLoginLink(sql: Sql, name: string) {
  await userNamed(sql, name)
  const token = newToken('login')
  const made = await sql.begin(tx => insertLink(tx, name, hashToken(token) as Buffer))
  if (made === undefined) throw refusal('invalid_transition', `User ${name} is disabled.`)
  return { token, expires_at: made.expires_at }
}

/** Shows the user after. Refuses (404) an unknown name, and (409) to leave no operator. */
function change<Shown>(acting: Acting<Shown>, name: string, write: (sql: Sql) => Promise<unknown>) {
  acting.askOther(name)
  return acting.change(async sql => {
    await userNamed(sql, name)
    await write(sql).catch(refuseLastOperator)
    return userNamed(sql, name)
  })
}

function refuseLastOperator(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'one_operator_left') throw error
  throw refusal('invalid_transition', 'This is the last operator: make another one first.')
}

function columnsOf(user: UserWithRoles) {
  const { accounts, disabled_at, disabled_reason } = user
  return {
    user: user.name,
    name: user.full_name,
    'e-mail': user.email,
    role: user.role,
    'on accounts': accounts.map(({ account_id, role }) => `${role} of ${account_id}`).join(', '),
    created: toSecond(user.created_at),
    disabled: disabled_at === null ? '' : `${toSecond(disabled_at)}: ${disabled_reason}`,
  }
}
