// corridor user create|list|role|disable|enable|history: the people who run the installation.
import type { Command } from 'commander'
import { readUserName, refuseFirst } from '../user/rules.ts'
import { insertUser, listUsers, updateDisabled, updateRole } from '../user/store.ts'
import { USER_ROLES, type User, type UserRole } from '../user/user.ts'
import {
  CommandFailed,
  type Context,
  type Json,
  NotThere,
  print,
  readOrRefuse,
  UsageError,
  withContext,
} from './context.ts'
import { historyCommand } from './history.ts'
import { MAX_NAME, readOneOf, readReason, readText } from './input.ts'
import { table, toSecond } from './table.ts'

const CREATE_HELP = `
An operator reads and changes everything, an auditor reads everything. The first
user is an operator. From then on each command needs CORRIDOR_USER, the name of
a user who is not disabled, and the audit log has that name. It is no password:
whoever runs commands here has the database.

Example:
  npx corridor user create ada --name "Ada Lovelace" --role operator`

export function userCommands(user: Command): void {
  user
    .command('create')
    .description('add a person who runs commands')
    .argument('<user>', 'the name for CORRIDOR_USER, such as ada')
    .requiredOption('--name <text>', 'the full name of the person')
    .requiredOption('--role <role>', `one of ${USER_ROLES.join(', ')}`)
    .addHelpText('after', CREATE_HELP)
    .action(createAction)
  user
    .command('list')
    .description('list the users, disabled ones too')
    .addHelpText('after', '\nExample:\n  npx corridor user list')
    .action(async (options: Json) => {
      const users = await withContext(({ sql }) => listUsers(sql))
      print(options, users, userTable(users))
    })
  user
    .command('role')
    .description('give a user another role')
    .argument('<user>', 'the user')
    .argument('<role>', `one of ${USER_ROLES.join(', ')}`)
    .addHelpText('after', '\nExample:\n  npx corridor user role grace auditor')
    .action(async (name: string, text: string, options: Json) => {
      const role = readOneOf('role', text, USER_ROLES)
      await change(name, options, ({ sql }) => updateRole(sql, name, role))
    })
  user
    .command('disable')
    .description('take no command from a user any more')
    .argument('<user>', 'the user')
    .requiredOption('--reason <text>', 'why, for whoever reads the history')
    .addHelpText('after', '\nExample:\n  npx corridor user disable alan --reason "Left"')
    .action(async (name: string, options: Json & { reason: string }) => {
      const reason = readReason(options.reason)
      await change(name, options, ({ sql }) => updateDisabled(sql, name, reason))
    })
  user
    .command('enable')
    .description('take commands from a disabled user again')
    .argument('<user>', 'the user')
    .addHelpText('after', '\nExample:\n  npx corridor user enable alan')
    .action((name: string, options: Json) =>
      change(name, options, ({ sql }) => updateDisabled(sql, name, '')),
    )
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

async function createAction(
  text: string,
  options: Json & { name: string; role: string },
): Promise<void> {
  const name = readOrRefuse(readUserName(text))
  const full_name = readText('--name', options.name, MAX_NAME)
  const role: UserRole = readOneOf('role', options.role, USER_ROLES)
  const is_first = await withContext(async ({ sql, audit }) => {
    const users = await listUsers(audit)
    const refused = refuseFirst(users, role)
    if (refused !== undefined) throw new UsageError(refused)
    if (await insertUser(sql, { name, full_name, role })) return users.length === 0
    throw new CommandFailed(`there is a user ${name}, and names are given once`)
  })
  const words = [
    `user ${name}, ${full_name}, is an ${role}`,
    ...(is_first ? [`commands now need a user: export CORRIDOR_USER=${name}`] : []),
  ]
  print(options, { name, full_name, role }, words.join('\n'))
}

/** Changes a user, and shows them as they are then. */
async function change(
  name: string,
  options: Json,
  write: (context: Context) => Promise<void>,
): Promise<void> {
  const user = await withContext(async context => {
    const users = await listUsers(context.audit)
    if (!users.some(known => known.name === name)) {
      const names = users.map(known => known.name)
      throw new NotThere('user', name, names)
    }
    await write(context).catch(refuseLast)
    return (await listUsers(context.audit)).find(known => known.name === name)
  })
  print(options, user, userTable(user === undefined ? [] : [user]))
}

function refuseLast(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'one_operator_left') throw error
  throw new CommandFailed('this is the last operator: make another one first')
}

function userTable(users: readonly User[]): string {
  if (users.length === 0) return 'no user; corridor user create makes one'
  const rows = users.map(({ name, full_name, role, created_at, disabled_at, disabled_reason }) => [
    name,
    full_name,
    role,
    toSecond(created_at),
    disabled_at === null ? '' : `${toSecond(disabled_at)}: ${disabled_reason}`,
  ])
  return table(['user', 'name', 'role', 'created', 'disabled'], rows)
}
