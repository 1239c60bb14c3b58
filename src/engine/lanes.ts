// The lanes of all operations, and the pool of connections that they share: planned first, so that
// its size is the sum of what they need, and opened then.
import type { Sql } from '../db/connect.ts'
import { isSpread, shardOf } from '../db/shard.ts'
import { type AnyOperation, Lane, type LaneOptions, MAX_IN_FLIGHT } from './lane.ts'
import type { LongCommands } from './long-commands.ts'

/** What runs commands, each to its outcome; refuses as the operation does. */
export interface Runs<Command, Outcome> {
  run(command: Command): Promise<Outcome>
}

export interface LanesOptions extends LaneOptions {
  readonly lanes: number
  readonly long_commands?: LongCommands
}

/** The lanes of one operation before there are connections for them. */
export interface PlannedLanes<Command, Outcome> {
  /** How many they hold at once at most. */
  readonly connections: number
  open(sql: Sql): Runs<Command, Outcome>
}

export function planLanes<Command extends { readonly account_id: string }, State, Outcome>(
  operation: AnyOperation<Command, State, Outcome>,
  options: LanesOptions,
): PlannedLanes<Command, Outcome> {
  const lanes = options.lanes + (hasSiding(operation, options) ? 1 : 0)
  return {
    connections: MAX_IN_FLIGHT * lanes,
    open: sql => new Lanes(sql, operation, options),
  }
}

type Plans = Readonly<Record<string, PlannedLanes<never, unknown>>>
export type OpenedLanes<P extends Plans> = {
  readonly [Name in keyof P]: ReturnType<P[Name]['open']>
}

/** How many connections these lanes need, so that no batch ever waits for one. */
export function connectionsFor(plans: Plans): number {
  return Object.values(plans).reduce((sum, { connections }) => sum + connections, 0)
}

/** Opens them under the same names on one pool, which has as many connections as they need. */
export function openLanes<P extends Plans>(plans: P, sql: Sql): OpenedLanes<P> {
  const opened = Object.entries(plans).map(([name, planned]) => [name, planned.open(sql)])
  return Object.fromEntries(opened) as OpenedLanes<P>
}

/** Several lanes of one operation, so that different accounts commit side by side. */
class Lanes<Command extends { readonly account_id: string }, State, Outcome> {
  readonly #lanes: readonly Lane<Command, State, Outcome>[]
  /** For accounts whose long command runs; undefined for the long commands themselves. */
  readonly #siding: Lane<Command, State, Outcome> | undefined
  readonly #long_commands: LongCommands | undefined

  constructor(sql: Sql, operation: AnyOperation<Command, State, Outcome>, options: LanesOptions) {
    const open = () => new Lane<Command, State, Outcome>(sql, operation, options)
    this.#lanes = Array.from({ length: options.lanes }, open)
    this.#long_commands = options.long_commands
    this.#siding = hasSiding(operation, options) ? open() : undefined
  }

  /**
   * All commands of one account go through one lane. Those that come while a long command of their
   * account runs wait in the siding, or a batch with one of them in it would keep other accounts
   * waiting, and hold their books.
   */
  run(command: Command): Promise<Outcome> {
    const { account_id } = command
    if (this.#long_commands?.has(account_id) && this.#siding !== undefined)
      return this.#siding.run(command)
    const lane = this.#lanes[placeOf(account_id) % this.#lanes.length] as Lane<
      Command,
      State,
      Outcome
    >
    if (this.#long_commands === undefined) return lane.run(command)
    const run = () => lane.run(command)
    return this.#siding === undefined
      ? this.#long_commands.long(account_id, run)
      : this.#long_commands.shared(account_id, run)
  }
}

/** Those that share their lanes with commands that may be long. */
function hasSiding(operation: object, { long_commands }: LanesOptions): boolean {
  return long_commands !== undefined && !('settle' in operation)
}

/** Accounts of one shard have one place, so that a lane has few shards. */
function placeOf(account_id: string): number {
  if (isSpread()) return shardOf(account_id)
  let sum = 0
  for (let i = 0; i < account_id.length; i++) sum += account_id.charCodeAt(i)
  return sum
}
