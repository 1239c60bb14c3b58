// corridor user create|list|role|login-link|log-out|disable|enable|history: lists and changes the
// people who run the installation or work for its accounts. key.ts has the commands of their keys.

import type { Command } from 'commander'
import type { Sql } from '../db/connect.ts'
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
} from '../operator/users.ts'
import { toSecond } from '../text/age.ts'
import { readUserName, refuseFirst } from '../user/rules.ts'
import { LINK_MINUTES, LINK_PATH } from '../user/session.ts'
import { listUsers } from '../user/store.ts'
import { ACCOUNT_ROLES, USER_ROLES, type UserRole } from '../user/user.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { readOrRefuse, UsageError } from './failure.ts'
import { historyCommand } from './history.ts'
import { oneOf, readName, readOneOf, readReason } from './input.ts'
import { userKeyCommands } from './key.ts'
import { listing } from './table.ts'

const CREATE_HELP = `
An operator reads and changes everything, an auditor reads everything, a member
has the roles on accounts that corridor user role gives. The first user is an
operator. From then on each command needs CORRIDOR_USER, the name of
a user who is not disabled, and the audit log has that name. It is no password:
whoever runs commands here has the database.

Example:
  npx corridor user create ada --name "Ada Lovelace" --role operator`

const ROLES = [...USER_ROLES, ...ACCOUNT_ROLES]

const ROLE_HELP = `
A viewer reads an account, a maker makes its payouts, an approver approves those
of others. A user can have several roles on an account, and roles on several.

Examples:
  npx corridor user role grace auditor
  npx corridor user role ada maker --account acc_7k2m9x4q
  npx corridor user role ada maker --account acc_7k2m9x4q --remove`

const LINK_HELP = `
The link is good once, and for ${LINK_MINUTES} minutes; it ends those made before. Whoever
opens it sets the user's password and is logged in, so give it to nobody else.
HOST and PORT are those of the service here; behind a proxy the name differs.

Example:
  npx corridor user login-link mary`

export function userCommands(user: Command): void {
  addCommand(user, 'create', 'add a person who runs commands, or works for accounts by the API')
    .argument('<user>', 'the name for CORRIDOR_USER, such as ada')
    .requiredOption('--name <text>', 'the full name of the person', readName)
    .requiredOption('--role <role>', `one of ${USER_ROLES.join(', ')}`, oneOf('role', USER_ROLES))
    .addHelpText('after', CREATE_HELP)
    .action(createAction)
  addCommand(user, 'list', 'list the users, disabled ones too')
    .addHelpText('after', example('user list'))
    .action(async () => {
      const users = await withContext(({ sql }) => listWithRoles(sql))
      print(users, userTable(users))
    })
  userKeyCommands(user.command('key').description('keys by which programs act for a user'))
  addCommand(user, 'role', 'give a user another role, or with --account a role on that account')
    .argument('<user>', 'the user')
    .argument('<role>', `one of ${ROLES.join(', ')}`)
    .option('--account <id>', `the account, for ${ACCOUNT_ROLES.join(', ')}`)
    .option('--remove', 'take this role on the account away')
    .addHelpText('after', ROLE_HELP)
    .action(roleAction)
  loginCommands(user)
  addCommand(user, 'disable', 'take no command from a user any more')
    .argument('<user>', 'the user')
    .requiredOption('--reason <text>', 'why, for whoever reads the history', readReason)
    .addHelpText('after', example('user disable alan --reason "Left"'))
    .action((name: string, { reason }: { reason: string }) =>
      change(sql => disableUser(sql, name, reason)),
    )
  addCommand(user, 'enable', 'take commands from a disabled user again')
    .argument('<user>', 'the user')
    .addHelpText('after', example('user enable alan'))
    .action((name: string) => change(sql => disableUser(sql, name, '')))
  historyCommand(user, {
    table_name: 'users',
    description: 'list what changed in the users, newest first',
    argument: { name: 'user', meaning: 'only this user', read: name => ({ name }) },
    subject: row => String(row.name),
    describe: ({ full_name, role, disabled_reason }) =>
      `${full_name}, ${role}${disabled_reason ? `, disabled: ${disabled_reason}` : ''}`,
    example: 'user history --limit 20',
  })
}

function loginCommands(user: Command): void {
  addCommand(user, 'login-link', 'print a link by which a user sets a password and logs in')
    .argument('<user>', 'the user')
    .addHelpText('after', LINK_HELP)
    .action(linkAction)
  addCommand(user, 'log-out', 'end every session of a user at once')
    .argument('<user>', 'the user')
    .addHelpText('after', example('user log-out mary'))
    .action(async (name: string) => {
      const ended = await withContext(({ sql }) => logOutUser(sql, name))
      const words = `${name}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended`
      print({ user: name, ended }, words)
    })
}

async function createAction(
  text: string,
  { name: full_name, role }: { name: string; role: UserRole },
): Promise<void> {
  const name = readOrRefuse(readUserName(text))
  const is_first = await withContext(async ({ sql, audit }) => {
    const users = await listUsers(audit)
    const refused = refuseFirst(users, role)
    if (refused !== undefined) throw new UsageError(refused)
    await makeUser(sql, { name, full_name, role })
    return users.length === 0
  })
  const words = [
    `user ${name}, ${full_name}, is ${role === 'member' ? 'a' : 'an'} ${role}`,
    ...(is_first ? [`commands now need a user: export CORRIDOR_USER=${name}`] : []),
  ]
  print({ name, full_name, role }, words.join('\n'))
}

async function roleAction(
  name: string,
  text: string,
  { account, remove = false }: { account?: string; remove?: boolean },
): Promise<void> {
  if (account === undefined) {
    if (remove) throw new UsageError('--remove is for a role on an account; name it by --account')
    const account_role = ACCOUNT_ROLES.find(role => role === text)
    if (account_role !== undefined) throw new UsageError(`${text} is a role on an --account`)
    const role = readOneOf('role', text, USER_ROLES)
    return change(sql => giveRole(sql, name, role))
  }
  const role = readOneOf('role', text, ACCOUNT_ROLES)
  const role_on_account = { user_name: name, account_id: account, role }
  await change(sql => (remove ? takeAccountRole : giveAccountRole)(sql, role_on_account))
}

/** Changes a user, and shows the user after the change. */
async function change(write: (sql: Sql) => Promise<UserWithRoles>): Promise<void> {
  const user = await withContext(({ sql }) => write(sql))
  print(user, userTable([user]))
}

function userTable(users: readonly UserWithRoles[]): string {
  const rows = users.map(user => ({
    user: user.name,
    name: user.full_name,
    role: user.role,
    'on accounts': user.accounts
      .map(({ account_id, role }) => `${role} of ${account_id}`)
      .join(', '),
    created: toSecond(user.created_at),
    disabled:
      user.disabled_at === null ? '' : `${toSecond(user.disabled_at)}: ${user.disabled_reason}`,
  }))
  return listing(rows, 'no user; corridor user create makes one')
}

async function linkAction(name: string): Promise<void> {
  const { config, made } = await withContext(async ({ sql, config }) => {
    return { config, made: await makeLoginLink(sql, name) }
  })
  const { token, expires_at } = made
  const link = `http://${hostInUrl(config.host)}:${config.port}${LINK_PATH}${token}`
  const words = `${link}\ngood once, until ${toSecond(expires_at)}`
  print({ user: name, link, expires_at }, words)
}

/** HOST as a URL has it; localhost for a service that listens on every address. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
