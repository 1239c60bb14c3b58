// The lanes of all operations on one pool of connections. Lanes are planned before they are opened,
// because the pool must be as large as all of them need.
import type { WriteConnections } from '../sql/machines.ts'
import { isSpread, shardOf } from '../sql/shard.ts'
import { type AnyOperation, Lane, type LaneOptions, MAX_IN_FLIGHT } from './lane.ts'

/** Runs commands of one operation. Rejects with the operation's Refusals. */
export interface Runs<Command, Outcome> {
  run(command: Command): Promise<Outcome>
}

export interface LanesOptions extends LaneOptions {
  readonly lanes: number
  readonly long_commands?: LongCommands
}

/** The lanes of one operation, not yet opened. */
interface PlannedLanes<Command, Outcome> {
  /** The most connections that the lanes hold at once. */
  readonly connections: number
  open(machines: WriteConnections): Runs<Command, Outcome>
}

export function planLanes<Command extends { readonly account_id: string }, State, Outcome>(
  operation: AnyOperation<Command, State, Outcome>,
  options: LanesOptions,
): PlannedLanes<Command, Outcome> {
  const extra = [hasBypass(operation, options), hasCrossShard(operation)]
  const lanes = options.lanes + extra.filter(needed => needed).length
  return {
    connections: MAX_IN_FLIGHT * lanes,
    open: machines => new Lanes(machines, operation, options),
  }
}

type Plans = Readonly<Record<string, PlannedLanes<never, unknown>>>
export type OpenedLanes<P extends Plans> = {
  readonly [Name in keyof P]: ReturnType<P[Name]['open']>
}

/** The connections these lanes need so that no batch waits for one. */
export function connectionsFor(plans: Plans): number {
  return Object.values(plans).reduce((sum, { connections }) => sum + connections, 0)
}

/** Opens the lanes, by the same names, on pools of at least `connectionsFor` connections. */
export function openLanes<P extends Plans>(plans: P, machines: WriteConnections): OpenedLanes<P> {
  const opened = Object.entries(plans).map(([name, planned]) => [name, planned.open(machines)])
  return Object.fromEntries(opened) as OpenedLanes<P>
}

/** The lanes of one operation: accounts in different lanes commit concurrently. */
class Lanes<Command extends { readonly account_id: string }, State, Outcome> {
  readonly #lanes: readonly Lane<Command, State, Outcome>[]
  /** For short commands of accounts that have a long command; undefined in lanes of long ones. */
  readonly #bypass: Lane<Command, State, Outcome> | undefined
  /** For commands that touch accounts of several shards. */
  readonly #crossShard: Lane<Command, State, Outcome> | undefined
  readonly #operation: AnyOperation<Command, State, Outcome>
  readonly #long_commands: LongCommands | undefined

  constructor(
    machines: WriteConnections,
    operation: AnyOperation<Command, State, Outcome>,
    options: LanesOptions,
  ) {
    const lane_options = { ...options, sqlAt: (account_id: string) => machines.at(account_id) }
    const open = () =>
      new Lane<Command, State, Outcome>(machines.coordinator, operation, lane_options)
    this.#lanes = Array.from({ length: options.lanes }, open)
    this.#operation = operation
    this.#long_commands = options.long_commands
    this.#bypass = hasBypass(operation, options) ? open() : undefined
    this.#crossShard = hasCrossShard(operation)
      ? new Lane(machines.coordinator, operation, { ...options, ...CROSS_SHARD })
      : undefined
  }

  /**
   * All commands of an account go through one lane. While a long command of the account waits or
   * runs, its short commands go through the bypass. In a shared batch, one of them would wait for
   * the long command while it holds the books of other accounts.
   */
  run(command: Command): Promise<Outcome> {
    const { account_id } = command
    if (this.#long_commands?.has(account_id) && this.#bypass !== undefined)
      return this.#bypass.run(command)
    const lane = this.#laneOf(command)
    if (this.#long_commands === undefined) return lane.run(command)
    const run = () => lane.run(command)
    return this.#bypass === undefined
      ? this.#long_commands.long(account_id, run)
      : this.#long_commands.shared(account_id, run)
  }

  #laneOf(command: Command): Lane<Command, State, Outcome> {
    if (this.#crossShard !== undefined && this.#operation.ofOneShard?.(command) !== true) {
      return this.#crossShard
    }
    const place = placeOf(command.account_id) % this.#lanes.length
    return this.#lanes[place] as Lane<Command, State, Outcome>
  }
}

/** Whether some commands touch one shard, and others several, on a spread database. */
function hasCrossShard({ ofOneShard }: { ofOneShard?: unknown }): boolean {
  return isSpread() && ofOneShard !== undefined
}

/**
 * How the cross-shard lane runs. Each batch locks the books of many shards, and writes to one shard
 * after the other, so a second batch would wait for all of the first. One batch runs at a time,
 * with all commands that have come meanwhile.
 */
const CROSS_SHARD = { max_batch: 32, in_flight: 1 }

/** Whether an operation has short commands that share accounts with long ones. */
function hasBypass(operation: object, { long_commands }: LanesOptions): boolean {
  return long_commands !== undefined && !('settle' in operation)
}

/** Assigns an account to a lane. Accounts of one shard share a place, so a lane has few shards. */
function placeOf(account_id: string): number {
  if (isSpread()) return shardOf(account_id)
  let sum = 0
  for (let i = 0; i < account_id.length; i++) sum += account_id.charCodeAt(i)
  return sum
}

/** The accounts with long commands in this process, running or waiting. */
export class LongCommands {
  /** The number of long commands, by account. */
  readonly #long = new Counts()
  /** The number of commands in lanes shared with other accounts, by account. */
  readonly #shared = new Counts()
  /** Resolves when an account has no command in a shared lane; its long commands wait for it. */
  readonly #emptied = new Map<string, PromiseWithResolvers<void>>()

  has(account_id: string): boolean {
    return this.#long.has(account_id)
  }

  /** Runs a command in a shared lane. The account's later long commands wait for it. */
  async shared<T>(account_id: string, work: () => Promise<T>): Promise<T> {
    this.#shared.add(account_id)
    try {
      return await work()
    } finally {
      this.#shared.remove(account_id)
      if (!this.#shared.has(account_id)) {
        this.#emptied.get(account_id)?.resolve()
        this.#emptied.delete(account_id)
      }
    }
  }

  /** Runs a long command once no other command of the account is in a shared lane. */
  async long<T>(account_id: string, work: () => Promise<T>): Promise<T> {
    this.#long.add(account_id)
    try {
      if (this.#shared.has(account_id)) await this.#untilEmptied(account_id)
      return await work()
    } finally {
      this.#long.remove(account_id)
    }
  }

  #untilEmptied(account_id: string): Promise<void> {
    const emptied = this.#emptied.get(account_id) ?? Promise.withResolvers<void>()
    this.#emptied.set(account_id, emptied)
    return emptied.promise
  }
}

/** Counts by name. */
class Counts {
  readonly #counts = new Map<string, number>()

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  remove(name: string): void {
    const left = (this.#counts.get(name) ?? 1) - 1
    if (left === 0) this.#counts.delete(name)
    else this.#counts.set(name, left)
  }
}
