// The machines of a distributed database that have rows of accounts, and connections to each of
// them. A write about rows of one machine alone is sent to that machine, which runs it by itself.
// Sent to the coordinator, each statement would be planned there first, and its text written anew
// with all the rows.
import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from './connect.ts'
import { describePlaces, isSpread, learnShards, listKnownMachines, machineOf } from './shard.ts'

export interface MachinesOptions {
  /** Connections to the coordinator, or to the one PostgreSQL that there is. */
  readonly coordinator: Sql
  /** Opens connections to host:port. */
  open(machine: string): Sql
  readonly log: FastifyBaseLogger
}

/** What lanes need for writing. */
export type Connected = Pick<Machines, 'coordinator' | 'at'>

export class Machines {
  readonly coordinator: Sql
  readonly #options: MachinesOptions
  readonly #pools = new Map<string, Sql>()
  /** Where the shards are, as the coordinator has it. */
  #places = ''
  /** Resolves when each machine either is connected or could not be reached. */
  reached: Promise<unknown> = Promise.resolve()

  constructor(options: MachinesOptions) {
    this.coordinator = options.coordinator
    this.#options = options
  }

  /** Connections to the machine that has the account's rows; undefined if there are none. */
  at(account_id: string): Sql | undefined {
    return this.#pools.get(machineOf(account_id) ?? '')
  }

  /**
   * Asks the coordinator where the shards are. A machine that no longer has any is left at once,
   * and what is being written there fails: nobody would read those rows if it came back.
   */
  async follow(sql: Sql): Promise<void> {
    if (!isSpread()) return
    const places = await describePlaces(sql)
    if (places === this.#places) return
    await learnShards(sql)
    const machines = listKnownMachines()
    for (const [machine, pool] of this.#pools) {
      if (machines.includes(machine)) continue
      this.#pools.delete(machine)
      void pool.end({ timeout: 0 })
    }
    this.#places = places
    // Nobody waits for a machine that is away.
    this.reached = Promise.all(machines.map(machine => this.#reach(machine)))
  }

  /**
   * Connects to a machine. The rows of one that cannot be reached are written by the coordinator.
   */
  async #reach(machine: string): Promise<void> {
    if (this.#pools.has(machine)) return
    const pool = this.#options.open(machine)
    try {
      await pool`select 1`
      this.#pools.set(machine, pool)
    } catch (err) {
      this.#options.log.warn({ err, machine }, 'a machine is written by way of the coordinator')
      await pool.end({ timeout: 0 })
    }
  }
}

/** The URL of the same database on another machine. */
export function urlAt(url: string, machine: string): string {
  const there = new URL(url)
  there.host = machine
  there.searchParams.delete('host')
  return there.href
}
