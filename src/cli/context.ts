// What every command shares: the database opened and migrated, an account found by its id, JSON or
// words on standard output, and how a command ends that could not be done.
import { CommanderError } from 'commander'
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import type { Read } from '../csv.ts'
import { connect, type Sql } from '../db/connect.ts'
import { DatabaseProblem, isConnectionLost, isOutcomeUnknown } from '../db/failure.ts'
import { migrate, refuseUnready, refuseWithoutSchema } from '../db/migrate.ts'
import { learnShards } from '../db/shard.ts'
import { Lane } from '../engine/lane.ts'
import type { Operation } from '../engine/operation.ts'
import { CATALOGUE, Refusal } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { openDatabase } from '../postgres/open.ts'
import { visible } from './terminal.ts'

/** An option of every command. */
export interface Json {
  readonly json?: boolean
}

export interface Context {
  readonly config: Config
  readonly url: string
  /** As the service's role: it cannot rewrite the books either. For what belongs to no account. */
  readonly sql: Sql
  /** Reads the rows of all accounts, and changes none. */
  readonly audit: Sql
  /** Runs one write through a lane of its own. */
  write<C, S, O>(operation: Operation<C, S, O>, command: C): Promise<O>
}

/** A mistake of the person at the keyboard: printed as one line, without a stack. */
export class UsageError extends Error {}

/** What could not be done although the call was right: printed as one line, exit code 1. */
export class CommandFailed extends Error {}

/** What was read of the command line; all that is wrong with it is one usage error. */
export function readOrRefuse<T>(read: Read<T>): T {
  if (read.messages === undefined) return read.value
  throw new UsageError(read.messages.join('; '))
}

/** Opens the database for one command, whether or not the service is running beside it. */
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

/** The same on a database that is open and migrated already. */
export async function onDatabase<T>(
  config: Config,
  url: string,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const cli = { max: 2, application_name: 'corridor cli', operator: config.user }
  const sql = connect(url, { ...cli, as: 'service' })
  const audit = connect(url, { ...cli, as: 'auditor' })
  const write = <C, S, O>(operation: Operation<C, S, O>, command: C) =>
    new Lane(sql, operation, { max_batch: 1 }).run(command)
  try {
    await learnShards(sql)
    return await work({ config, url, sql, audit, write })
  } finally {
    await Promise.all([sql, audit].map(connection => connection.end({ timeout: 5 })))
  }
}

/** The embedded database is brought up to date in passing; an external one only by `migrate`. */
function prepare(config: Config, url: string): Promise<void> {
  return asOwner(url, async owner => {
    await refuseWithoutSchema(owner)
    if (config.database_url === undefined) await migrate(owner)
    await refuseUnready(owner)
  })
}

/** On a connection without a role, as whoever migrates. */
export async function asOwner<T>(url: string, work: (owner: Sql) => Promise<T>): Promise<T> {
  const owner = connect(url, { max: 1, as: 'owner' })
  try {
    return await work(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** One JSON document with --json, else the words. */
export function print(options: { readonly json?: boolean }, data: unknown, words: string): void {
  process.stdout.write(options.json === true ? `${jsonText(data)}\n` : `${words}\n`)
}

/** JSON leaves some of them as they are, and they stand only in texts, which may escape them. */
function jsonText(data: unknown): string {
  return JSON.stringify(data, null, 2).split('\n').map(visible).join('\n')
}

/** Where the ids stand. */
const WAYS_OUT = {
  account: 'corridor account list shows those there are',
  payout: 'corridor payout list shows the newest',
  entity: 'corridor entity list shows those that wait for review',
  key: 'corridor key list ACCOUNT shows those of an account',
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

/** Failed, or refused. */
const FAILED = 1
/** A wrong call, or a setting that cannot be read. */
const WRONG = 2

/** What --json prints, as the member `error`. */
interface Failure {
  readonly message: string
  readonly exit_code: number
  /** Of what the rules refuse: as in an answer of the API. */
  readonly errors?: readonly object[]
}

/** Says what went wrong, and returns the exit code. */
export function report(error: unknown, json: boolean): number {
  const exit_code = exitCodeOf(error)
  if (json && exit_code !== 0) {
    const failure: Failure = { message: sentenceOf(error), exit_code, ...errorsOf(error) }
    process.stderr.write(`${visible(JSON.stringify({ error: failure }))}\n`)
  } else if (!(error instanceof CommanderError)) {
    // Commander has said it, with the help that was asked for.
    process.stderr.write(`corridor: ${sentenceOf(error)}\n`)
  }
  return exit_code
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG
  return error instanceof UsageError || error instanceof ConfigError ? WRONG : FAILED
}

/** Where nothing says that the same command does not do it twice. */
const UNCONFIRMED =
  'the database did not confirm it; whether it was done is not known: look whether it was, and ' +
  'run the same command again if not'

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommanderError) {
    // For a group of commands without one, Commander shows the help.
    if (error.code === 'commander.help') return 'a command is missing: corridor --help lists them'
    return error.message.replace(/^error: /, '')
  }
  if (isOutcomeUnknown(error)) return UNCONFIRMED
  const expected = [UsageError, CommandFailed, ConfigError, DatabaseProblem, Refusal]
  if (expected.some(kind => error instanceof kind)) return error.message
  if (isConnectionLost(error)) return `the database cannot be reached: ${error.message}; try again`
  const { syscall, stack } = error as NodeJS.ErrnoException
  // A file or a socket of the operator's: the message names it, and what the system said.
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
