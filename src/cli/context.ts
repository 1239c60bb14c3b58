// What every command shares: it opens and migrates the database, finds an account by its id, prints
// JSON or words on standard output, and says how a command fails.
import { hostname } from 'node:os'
import { type Command, CommanderError } from 'commander'
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import type { Act } from '../audit/act.ts'
import { recorded, recordedLong } from '../audit/recorded.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import type { Read } from '../csv.ts'
import { connect, type Sql } from '../db/connect.ts'
import { DatabaseProblem, isConnectionLost, isOutcomeUnknown, isReadOnly } from '../db/failure.ts'
import { migrate, refuseUnready, refuseWithoutSchema } from '../db/migrate.ts'
import { learnShards } from '../db/shard.ts'
import { Lane } from '../engine/lane.ts'
import type { Operation } from '../engine/operation.ts'
import { CATALOGUE, Refusal } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { type Deed, type LongDeed, type Operator, Unknown } from '../operator/deed.ts'
import { openDatabase } from '../postgres/open.ts'
import { readCaller, refuseCommand } from '../user/rules.ts'
import { listUsers } from '../user/store.ts'
import { visible } from './terminal.ts'

/** The option that every command has. */
export interface Json {
  readonly json?: boolean
}

export interface Context {
  readonly config: Config
  readonly url: string
  /**
   * Connected as the service's role, which cannot rewrite the books; an auditor's connection writes
   * nothing. For rows of no account.
   */
  readonly sql: Sql
  /** Reads the rows of all accounts, and cannot change them. */
  readonly audit: Sql
  /**
   * Runs one write through a lane of its own. `act` says of its outcome what the audit log has;
   * null: triggers write it.
   */
  write<C, S, O>(
    operation: Operation<C, S, O>,
    command: C,
    act: ((outcome: O) => Act) | null,
  ): Promise<O>
  /** Runs what a person does, as the API runs it. */
  run<C, S, O>(deed: Deed<C, S, O>): Promise<O>
  runLong<C, S, O, P>(deed: LongDeed<C, S, O, P>): Promise<O>
}

/** The command that this process runs, such as `payout transition`, for the audit log. */
export const running = { command: '' }

/** A wrong call: printed as one line, without a stack. */
export class UsageError extends Error {}

/** The call was right but failed: printed as one line, exit code 1. */
export class CommandFailed extends Error {}

/** The value that was read. Everything wrong with it becomes one usage error. */
export function readOrRefuse<T>(read: Read<T>): T {
  if (read.messages === undefined) return read.value
  throw new UsageError(read.messages.join('; '))
}

const WRONG_CALL = new Set<string>(['invalid_field', 'invalid_path_parameter'])

/**
 * What the API refuses as bad input is a wrong call of the command; what is likely a slip may be
 * forced.
 */
export function refuseAsCommand(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  const { problems, message } = error
  if (problems.every(({ reason }) => WRONG_CALL.has(reason))) throw new UsageError(message)
  if (problems.some(({ reason }) => reason === 'likely_slip')) {
    throw new CommandFailed(`${message}; --force sets it all the same`)
  }
  throw error
}

/** Opens the database for one command, whether or not the service runs. */
export async function withContext<T>(
  work: (context: Context) => Promise<T>,
  config = readConfig(),
): Promise<T> {
  const database = await openDatabase(config, { create: false })
  try {
    await prepare(config, database.url)
    return await onDatabase(config, database.url, work)
  } finally {
    await database.release()
  }
}

/**
 * The same, on a database that is already open and migrated. A service is nobody's: it starts at
 * night, and after the person has left who set it up.
 */
export async function onDatabase<T>(
  config: Config,
  url: string,
  work: (context: Context) => Promise<T>,
  by: 'person' | 'service' = 'person',
): Promise<T> {
  const cli = {
    max: 2,
    application_name: 'corridor cli',
    operator: config.user,
    act: running.command,
    via: `cli at ${hostname()}`,
  }
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
    const write: Context['write'] = (operation, command, act) => {
      const audited = act === null ? operation : recorded(operation, made => made.map(act))
      return new Lane(sql, audited, { max_batch: 1 }).run(command)
    }
    const run: Context['run'] = ({ operation, command, act }) => write(operation, command, act)
    const runLong: Context['runLong'] = ({ operation, command, act }) =>
      new Lane(sql, recordedLong(operation, act), { max_batch: 1 }).run(command)
    return await work({ config, url, sql, audit, write, run, runLong }).catch(error => {
      if (error instanceof Unknown) throw new NotThere(error.kind, error.id, error.known)
      if (!isReadOnly(error)) throw error
      throw new CommandFailed(`${config.user} is an auditor, who reads and changes nothing`)
    })
  } finally {
    await Promise.all(opened.map(connection => connection.end({ timeout: 5 })))
  }
}

/** Migrates the embedded database; an external one is migrated only by `corridor migrate`. */
function prepare(config: Config, url: string): Promise<void> {
  return asOwner(url, async owner => {
    await refuseWithoutSchema(owner)
    if (config.database_url === undefined) await migrate(owner)
    await refuseUnready(owner)
  })
}

/** Works on a connection without a role, as the owner who migrates. */
export async function asOwner<T>(url: string, work: (owner: Sql) => Promise<T>): Promise<T> {
  const owner = connect(url, { max: 1, as: 'owner' })
  try {
    return await work(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** Who runs the command, by name. */
export function operatorOf({ config }: Context): Operator {
  return { name: config.user, is_login: config.user_is_login }
}

/** The person who runs the command. A log-in does not say which of several people that is. */
export function personOf({ config }: Context): string {
  if (!config.user_is_login && config.user !== '') return config.user
  throw new UsageError(
    `say who you are by CORRIDOR_USER: "${config.user}" is the log-in, which others may share`,
  )
}

/** The words of a command, without the program's name. */
export function pathOf(command: Command): string {
  const { parent } = command
  if (parent === null) return ''
  return `${pathOf(parent)} ${command.name()}`.trimStart()
}

/** Adds --json to every command that does not describe it itself. */
export function offerJson(program: Command): void {
  for (const command of program.commands) {
    const has = command.options.some(({ long }) => long === '--json')
    if (command.commands.length > 0) offerJson(command)
    else if (!has) command.option('--json', 'print JSON')
  }
}

/** Prints one JSON document with --json, else the words. */
export function print(options: { readonly json?: boolean }, data: unknown, words: string): void {
  process.stdout.write(options.json === true ? `${jsonText(data)}\n` : `${words}\n`)
}

/** Escapes characters that a terminal would act on and that JSON lets pass. */
function jsonText(data: unknown): string {
  return JSON.stringify(data, null, 2).split('\n').map(visible).join('\n')
}

/** Where to find ids. */
const WAYS_OUT = {
  account: 'corridor account list shows those there are',
  'approval rule': 'corridor approval-rule list shows those there are',
  payout: 'corridor payout list shows the newest',
  'payout batch': 'GET /v3/payout_batch lists those of an account',
  'payout import': 'corridor payout approval POT shows the import that has made a payout',
  beneficiary: 'corridor privacy find ACCOUNT finds them by name, e-mail or IBAN',
  entity: 'corridor entity list shows those that wait for review',
  rail: 'corridor rail list shows those there are',
  file: 'corridor file list shows the newest',
  limit: 'corridor limit list shows those there are',
  key: 'corridor key list ACCOUNT shows those of an account',
  user: 'corridor user list shows those there are',
  'key of a user': 'corridor user key list shows those there are',
  'webhook endpoint': 'GET /v3/webhook_endpoint lists those of an account',
  'balance transaction': 'corridor statement ACCOUNT shows those of an account',
  event: 'GET /v3/event lists those of an account',
}

export class NotThere extends CommandFailed {
  constructor(what: keyof typeof WAYS_OUT, id: string, known: readonly string[] = []) {
    super(`there is no ${what} ${id}${didYouMean(id, known) || `; ${WAYS_OUT[what]}`}`)
  }
}

export async function findAccount(sql: Sql, account_id: string): Promise<Account> {
  const accounts = await listAccounts(sql)
  const account = accounts.find(known => known.account_id === account_id)
  if (account !== undefined) return account
  const ids = accounts.map(known => known.account_id)
  throw new NotThere('account', account_id, ids)
}

/** The exit code of a command that failed or was refused. */
const FAILED = 1
/** The exit code of a wrong call or a wrong setting. */
const WRONG = 2

/** The member `error` that --json prints. */
interface Failure {
  readonly message: string
  readonly exit_code: number
  /** What the rules refuse, as the API answers it. */
  readonly errors?: readonly object[]
}

/** Reports what went wrong, and returns the exit code. */
export function report(error: unknown, json: boolean): number {
  const exit_code = exitCodeOf(error)
  if (json && exit_code !== 0) {
    const failure: Failure = { message: sentenceOf(error), exit_code, ...errorsOf(error) }
    process.stderr.write(`${visible(JSON.stringify({ error: failure }))}\n`)
  } else if (!(error instanceof CommanderError)) {
    // Commander has already reported its own errors.
    process.stderr.write(`corridor: ${sentenceOf(error)}\n`)
  }
  return exit_code
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG
  return error instanceof UsageError || error instanceof ConfigError ? WRONG : FAILED
}

/** For a command that may do the same thing twice if it is run again. */
const UNCONFIRMED =
  'the database did not confirm it; whether it was done is not known: look whether it was, and ' +
  'run the same command again if not'

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommanderError) {
    // Commander shows the help of a group that was called without a command.
    if (error.code === 'commander.help') return 'a command is missing: corridor --help lists them'
    return error.message.replace(/^error: /, '')
  }
  if (isOutcomeUnknown(error)) return UNCONFIRMED
  const expected = [UsageError, CommandFailed, ConfigError, DatabaseProblem, Refusal]
  if (expected.some(kind => error instanceof kind)) return error.message
  if (isConnectionLost(error)) return `the database cannot be reached: ${error.message}; try again`
  const { syscall, stack } = error as NodeJS.ErrnoException
  // A file or a socket: the message names it and what the system said.
  return syscall === undefined ? (stack ?? error.message) : error.message
}

function errorsOf(error: unknown): Pick<Failure, 'errors'> {
  if (!(error instanceof Refusal)) return {}
  const errors = error.problems.map(({ reason, message, remarks }) => ({
    code: CATALOGUE[reason].code,
    reason,
    message,
    remarks,
  }))
  return { errors }
}
