// The machines of a distributed database that have rows of accounts, and connections to each of
// them. A write of one machine's rows goes directly to that machine. The coordinator would first
// plan each statement, and rewrite its text with all rows.
import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from './connect.ts'
import { describePlaces, isSpread, learnShards, listKnownMachines, machineOf } from './shard.ts'

interface MachinesOptions {
  /** Connections to the coordinator, or to the only PostgreSQL. */
  readonly coordinator: Sql
  /** Opens connections to host:port. */
  open(machine: string): Sql
  readonly log: FastifyBaseLogger
}

/** The connections on which lanes write. */
export type WriteConnections = Pick<Machines, 'coordinator' | 'at'>

export class Machines {
  readonly coordinator: Sql
  readonly #options: MachinesOptions
  readonly #pools = new Map<string, Sql>()
  /** The machine of each shard, as the coordinator last answered (describePlaces). */
  #places = ''
  /** Resolves when each machine is connected or has proved unreachable. */
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
   * Asks the coordinator where the shards are. Closes the connections to a machine without shards
   * at once, so that a write there fails: if the machine came back, nobody would read its rows.
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
    // Not awaited: an unreachable machine must delay nobody.
    this.reached = Promise.all(machines.map(machine => this.#reach(machine)))
  }

  /** Connects to a machine. If it cannot be reached, the coordinator writes its rows. */
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
