// The machines of a spread database that have rows of accounts, and connections to each of them for
// writes that are about such rows alone: every machine can be asked about all accounts, and what is
// its own it runs without sending it on. Else the coordinator would plan each statement first, and
// write its text anew with all the rows.
import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from './connect.ts'
import { describePlaces, isSpread, learnShards, listKnownMachines, machineOf } from './shard.ts'

export interface MachinesOptions {
  /** What the service is told to connect to: the coordinator, or the one engine that there is. */
  readonly coordinator: Sql
  /** Opens connections to host:port. */
  open(machine: string): Sql
  readonly log: FastifyBaseLogger
}

/** What lanes write by. */
export type Connected = Pick<Machines, 'coordinator' | 'at'>

export class Machines {
  readonly coordinator: Sql
  readonly #options: MachinesOptions
  readonly #pools = new Map<string, Sql>()
  /** Where the shards are, as the coordinator has it. */
  #places = ''
  /** Resolves once each machine was connected to, or could not be. */
  reached: Promise<unknown> = Promise.resolve()

  constructor(options: MachinesOptions) {
    this.coordinator = options.coordinator
    this.#options = options
  }

  /** Connections to the machine that has the rows of an account, where there are any. */
  at(account_id: string): Sql | undefined {
    return this.#pools.get(machineOf(account_id) ?? '')
  }

  /**
   * Asks the coordinator where the shards are. A machine that has none any more is left at once,
   * and what is being written there fails: should it come back, nobody would read what it has.
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

  /** One that cannot be reached is written by way of the coordinator. */
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

/** The same database on another machine. */
export function urlAt(url: string, machine: string): string {
  const there = new URL(url)
  there.host = machine
  there.searchParams.delete('host')
  return there.href
}
