// What every command shares: the database opened and migrated, JSON or words on standard output,
// errors as one line on standard error with exit code 1, and nothing on a terminal that it would
// take for a command.
import { type Config, readConfig } from '../config.ts'
import type { Read } from '../csv.ts'
import { connect, type Sql } from '../db/connect.ts'
import { migrate, refuseUnready, refuseWithoutSchema } from '../db/migrate.ts'
import { learnShards } from '../db/shard.ts'
import { Lane } from '../engine/lane.ts'
import type { Operation } from '../engine/operation.ts'
import { openDatabase } from '../postgres/open.ts'
import { visible } from './terminal.ts'

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

/** The two largest units: `45d 3h`, `12m 5s`. */
export function describeAge(seconds: number): string {
  if (seconds < 0) return '0s'
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return '0s'
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}
