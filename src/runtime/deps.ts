// The parts of a running service that have state or do I/O. Tests open them on their database.
import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { type KeyUses, openKeyUses } from '../accounts/key-uses.ts'
import { OpenRails, RAIL_KINDS } from '../adapters/registry.ts'
import type { Config } from '../config/config.ts'
import { connectionsFor, openLanes } from '../engine/lanes.ts'
import { MAX_WAIT_MS } from '../engine/late.ts'
import { openReads, type Reads } from '../engine/reads.ts'
import { type Limits, openLimits } from '../http/limits.ts'
import { clock } from '../ledger/clock.ts'
import { type OperatorConnections, openOperatorConnections } from '../operator/connections.ts'
import { KnownFigures } from '../rails/figures.ts'
import type { AnyRailKind } from '../rails/kind.ts'
import type { Rails } from '../rails/rail.ts'
import { openRequestLog, type RequestLog } from '../sandbox/request-log/keep.ts'
import { Lists } from '../screening/lists-in-memory.ts'
import { ScreeningRounds } from '../screening/rounds.ts'
import { BATCH_WITHIN, type ConnectOptions, connect, type Sql } from '../sql/connect.ts'
import { Machines } from '../sql/machines.ts'
import { learnShards } from '../sql/shard.ts'
import { urlAt } from '../sql/url.ts'
import { type Lanes, planAllLanes } from './lanes.ts'
import type { Metrics } from './metrics.ts'
import { openReaders, type Readers } from './reads.ts'
import { openReference, type Reference, type ReferenceOptions } from './reference.ts'

/** The number of connections for the settling worker and the deletion of old rows. */
const WORK_CONNECTIONS = 3

/** Log-ins use the pool for reads without turns, and anybody may send one. */
const READS = { wait_ms: MAX_WAIT_MS }

export interface Deps extends Reads {
  readonly config: Config
  readonly log: FastifyBaseLogger
  /** The pool of the workers. Requests use other pools, so neither waits for the other. */
  readonly sql: Sql
  readonly finder: Sql
  readonly reference: Reference
  readonly limits: Limits
  readonly keyUses: KeyUses
  /** The log of sandboxes' last requests; undefined when it is off. */
  readonly requestLog: RequestLog | undefined
  readonly metrics: Metrics
  readonly rails: Rails
  readonly railFigures: KnownFigures
  readonly lists: Lists
  readonly screening: ScreeningRounds
  readonly lanes: Lanes
  readonly readers: Readers
  /** Runs people's acts through the operator API. */
  readonly operators: OperatorConnections
  close(): Promise<void>
}

/** The origin that the audit log shows for the service's own changes. */
const VIA = `service at ${hostname()}`

/** Expects a migrated database. `kinds` are the kinds of rails that it can open. */
export async function openDeps(
  url: string,
  config: Config,
  log: FastifyBaseLogger,
  metrics: Metrics,
  kinds: readonly AnyRailKind[] = RAIL_KINDS,
): Promise<Deps> {
  const { pools, open, disconnect } = poolsOn(url)
  // A separate pool: every request needs reference data, so its polls must not wait behind reads.
  const watch = open(1)
  let machines: Machines | undefined
  const sql = open(WORK_CONNECTIONS)
  const lists = new Lists(sql, warner(log, 'sanctions lists could not be read'))
  const onPoll = (data: { lists_version: bigint }) => void lists.at(data.lists_version)
  const onError = warner(log, 'reference data could not be looked at')
  const pollAlso = async (on: Sql) => machines?.follow(on)
  const learned = learn(watch, lists, { onError, pollAlso, onPoll, renew: () => open(1) })
  // After the lists, over the same connection: beside them it would open two more.
  const watched = learned.then(() => watchClock(sql, log))
  const [reference, stopWatching] = await bothOr(disconnect, learned, watched)
  const usage = openUsageLogs(sql, config, log)
  const reads = openReads(open(config.read_connections, READS), config.read_connections)
  const lanes = planAllLanes(config, metrics, reference, lists)
  const needed = connectionsFor(lanes)
  const openWrites = (spread: boolean, at: string) =>
    open(needed, { transaction_within: BATCH_WITHIN, spread }, at)
  const openOn = (machine: string) => openWrites(true, urlAt(url, machine))
  machines = new Machines({ coordinator: openWrites(false, url), open: openOn, log })
  await machines.follow(watch)
  await machines.reached
  const finder = open(2, { as: 'finder' })
  const operators = openOperatorConnections(url, () => reference.refresh())
  pools.push(operators.audit, operators.sql)
  const rails = new OpenRails({ reference, kinds, config, sql, finder, log })
  return {
    ...reads,
    ...usage,
    config,
    log,
    sql,
    finder,
    reference,
    limits: openLimits(config),
    metrics,
    rails,
    railFigures: new KnownFigures(),
    lists,
    screening: new ScreeningRounds(),
    lanes: openLanes(lanes, machines),
    readers: openReaders(reads),
    operators,
    async close() {
      stopWatching()
      const flushed = [usage.keyUses.close(), usage.requestLog?.close()]
      await Promise.all([rails.close(), lists.idle(), reference.close(), ...flushed])
      await disconnect()
    },
  }
}

/** Resolves to both. Disconnects first if one rejects: open connections keep the process alive. */
async function bothOr<A, B>(disconnect: () => Promise<unknown>, a: Promise<A>, b: Promise<B>) {
  return Promise.all([a, b]).catch(async error => {
    await disconnect()
    throw error
  })
}

/** How often a process looks at the database's clock. */
const LOOK_AT_CLOCK_MS = 5_000

/** Looks at the database's clock now and from time to time. Returns the function that ends it. */
async function watchClock(sql: Sql, log: FastifyBaseLogger) {
  const look = async () => {
    const before = clock.jump
    const jump = await clock.look(sql, { keeps: true })
    if (jump !== null && before === null) {
      log.error({ jump }, 'the clock of the database has jumped: corridor clock confirm')
    }
  }
  await look()
  const onError = warner(log, 'the clock of the database could not be looked at')
  const timer = setInterval(() => void look().catch(onError), LOOK_AT_CLOCK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function poolsOn(url: string) {
  const pools: Sql[] = []
  const open = (max: number, options: Partial<ConnectOptions> = {}, at = url) => {
    const pool = connect(at, { max, as: 'service', look_ups: true, via: VIA, ...options })
    pools.push(pool)
    return pool
  }
  const disconnect = () => Promise.all(pools.map(pool => pool.end({ timeout: 5 })))
  return { pools, open, disconnect }
}

/** Opens the logs that requests fill in memory and a timer writes to the database. */
function openUsageLogs(sql: Sql, { request_log }: Config, log: FastifyBaseLogger) {
  const onError = warner(log, 'requests were not logged')
  return {
    keyUses: openKeyUses(sql, warner(log, 'uses of keys could not be written')),
    requestLog: request_log ? openRequestLog(sql, onError) : undefined,
  }
}

async function learn(watch: Sql, lists: Lists, options: ReferenceOptions): Promise<Reference> {
  await learnShards(watch)
  await lists.read()
  return openReference(watch, options)
}

function warner(log: FastifyBaseLogger, message: string) {
  return (error: unknown) => log.warn({ err: error }, message)
}
