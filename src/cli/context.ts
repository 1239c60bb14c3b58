// What every command shares: the database, the person who runs it, and how it prints.
import { readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { isatty } from 'node:tty'
import type { Command } from 'commander'
import { readCaller, refuseCommand } from '../accounts/user/rules.ts'
import { listUsers } from '../accounts/user/store.ts'
import { SERVICE, type UserRole } from '../accounts/user/user.ts'
import { type Config, readConfig } from '../config/config.ts'
import { Lane } from '../engine/lane.ts'
import { recordedLong } from '../ledger/audit/recorded.ts'
import type { Author, Origin } from '../ledger/audit/store.ts'
import { clock } from '../ledger/clock.ts'
import {
  audited,
  type LongOperatorWrite,
  type Operator,
  type OperatorWrite,
  Unknown,
} from '../operator/operator-write.ts'
import { openDatabase } from '../postgres/open.ts'
import { connect, type Sql } from '../sql/connect.ts'
import { isReadOnly } from '../sql/failure.ts'
import { migrate, refuseUnready, refuseWithoutSchema } from '../sql/migrate.ts'
import { learnShards } from '../sql/shard.ts'
import { CommandFailed, NotFound, readOrRefuse, UsageError } from './failure.ts'
import { pasteable } from './pasteable.ts'
import { visible } from './terminal.ts'

export interface Context {
  readonly config: Config
  readonly role: UserRole
  readonly url: string
  /** Names the caller to the audit log, on each connection that writes. */
  readonly author: Author
  /** The service's role. An auditor's command cannot write at all. */
  readonly sql: Sql
  /** The auditor's role: it reads the rows of all accounts. */
  readonly audit: Sql
  /** Runs one write through a lane of its own, as the API runs it. */
  run<C, S, O>(write: OperatorWrite<C, S, O>): Promise<O>
  /** Runs one long write, in a transaction of its own. */
  runLong<C, S, O, P>(write: LongOperatorWrite<C, S, O, P>): Promise<O>
}

/** `words` are the words of the call. */
export const running = { command: '', json: false, words: [] as readonly string[] }

/** Works whether or not the service runs. */
export async function withContext<T>(
  work: (context: Context) => Promise<T>,
  config = readConfig(),
): Promise<T> {
  const database = await openDatabase(config, { create: false })
  try {
    await asOwner(database.url, async owner => {
      await refuseWithoutSchema(owner)
      // Only `corridor migrate` and `corridor start` migrate an external database.
      if (config.database_url === undefined) await migrate(owner)
      await refuseUnready(owner)
    })
    return await onDatabase(config, database.url, work)
  } finally {
    await database.release()
  }
}

/** A service acts for no person: it also starts after the person who set it up has left. */
export async function onDatabase<T>(
  config: Config,
  url: string,
  work: (context: Context) => Promise<T>,
  by: 'person' | 'service' = 'person',
): Promise<T> {
  const author = {
    operator: config.user,
    act: running.command,
    via: `cli at ${hostname()}`,
    origin: originOfCommand(),
  }
  const cli = { max: 2, application_name: 'corridor cli', ...author }
  const audit = connect(url, { ...cli, as: 'auditor' })
  const opened = [audit]
  try {
    const role =
      by === 'service' ? 'operator' : readOrRefuse(readCaller(await listUsers(audit), config))
    const refused = refuseCommand(config.user, role, running.command)
    if (refused !== undefined) throw new CommandFailed(refused)
    const read_only = role === 'auditor'
    const sql = connect(url, { ...cli, as: 'service', read_only })
    opened.push(sql)
    await learnShards(sql)
    await clock.look(audit, { keeps: false })
    const run: Context['run'] = write =>
      new Lane(sql, audited(write), { max_batch: 1 }).run(write.command)
    const runLong: Context['runLong'] = ({ operation, command, act }) =>
      new Lane(sql, recordedLong(operation, act), { max_batch: 1 }).run(command)
    return await work({ config, role, url, author, sql, audit, run, runLong }).catch(error => {
      if (error instanceof Unknown) throw new NotFound(error.kind, error.id, error.known)
      if (!isReadOnly(error)) throw error
      throw new CommandFailed(`${config.user} is an auditor, who reads and changes nothing`)
    })
  } finally {
    await Promise.all(opened.map(connection => connection.end({ timeout: 5 })))
  }
}

/** Works without a role, as the owner who migrates. */
export async function asOwner<T>(url: string, work: (owner: Sql) => Promise<T>): Promise<T> {
  const owner = connect(url, { max: 1, as: 'owner' })
  try {
    return await work(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

export function operatorOf({ config }: Context): Operator {
  return { name: config.user, is_login: config.user_is_login }
}

/** @throws UsageError for a log-in, which several people may share, and for the service's name */
export const personOf = ({ config }: Pick<Context, 'config'>): string => personIn(config)

/** The same by the settings alone, before a database is open. */
export function personIn(config: Pick<Config, 'user' | 'user_is_login'>): string {
  if (config.user === SERVICE) {
    throw new UsageError(`${SERVICE} is the name of the service: say by CORRIDOR_USER who you are`)
  }
  if (!config.user_is_login && config.user !== '') return config.user
  throw new UsageError(
    `say who you are by CORRIDOR_USER: "${config.user}" is the log-in, which others may share`,
  )
}

export function addCommand(group: Command, name: string, description: string): Command {
  return group.command(name).description(description)
}

export function example(words: string): string {
  return `\nExample:\n  corridor ${words}`
}

export function pathOf(command: Command): string {
  const { parent } = command
  if (parent === null) return ''
  return `${pathOf(parent)} ${command.name()}`.trimStart()
}

export function print(data: unknown, words: string): void {
  if (running.json) printJson(data)
  else process.stdout.write(`${pasteable(words)}\n`)
}

/** Prints JSON. Escapes the characters that a terminal would obey, which JSON may contain. */
export function printJson(data: unknown): void {
  const lines = JSON.stringify(data, null, 2).split('\n')
  process.stdout.write(`${lines.map(visible).join('\n')}\n`)
}

/** In characters. */
const MAX_LENGTH = 100

/** Leaves out what is not known. */
function originOfCommand(): Origin {
  const known = {
    os_user: userName(),
    host: hostname(),
    terminal: terminalName(),
    sudo_user: process.env.SUDO_USER ?? '',
  }
  const told = Object.entries(known).filter(([, value]) => value !== '')
  return Object.fromEntries(told.map(([name, value]) => [name, value.slice(0, MAX_LENGTH)]))
}

/** The name of the user that the process runs as; its number if it has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The terminal of the first standard stream that has one; '' for a command without a terminal. */
function terminalName(): string {
  const stream = [0, 1, 2].find(isatty)
  if (stream === undefined) return ''
  try {
    return readlinkSync(`/proc/self/fd/${stream}`)
  } catch {
    // A system without /proc does not tell its name.
    return 'a terminal'
  }
}
