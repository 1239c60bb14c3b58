// Starts the parts of a service in order, and stops them in reverse without dropping a request.
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { deleteOldDevices } from '../accounts/user/device-store.ts'
import { deleteOldAttempts } from '../accounts/user/session-store.ts'
import { sweepInbox } from '../adapters/bank-file/inbox-store.ts'
import type { Config } from '../config/config.ts'
import { deleteOldUses } from '../controls/limit/use-store.ts'
import { Connections } from '../http/connections.ts'
import { closeServer } from '../http/drain.ts'
import { deleteExpiredReplies } from '../http/idempotency/store.ts'
import { deleteOldFingerprints } from '../payouts/create/duplicate-store.ts'
import { keepArchive } from '../postgres/archive.ts'
import { clusterFiles, openDatabase } from '../postgres/open.ts'
import { deleteOldQuotes } from '../quotes/expired-store.ts'
import { pauseIfRestored } from '../rails/restored.ts'
import { type Deps, openDeps } from '../runtime/deps.ts'
import { makeMetrics } from '../runtime/metrics.ts'
import { connect } from '../sql/connect.ts'
import { migrate } from '../sql/migrate.ts'
import { eraseOldLines } from '../treasury/statement/store.ts'
import { waitAtMost } from '../values/event-loop.ts'
import { NOTHING } from '../values/log.ts'
import { deleteOldDeliveries } from '../webhooks/queue-store.ts'
import { buildApp, type Lifecycle } from './app.ts'
import { listenForOps } from './ops.ts'
import { startDelivering } from './worker/deliver-webhooks.ts'
import { startDeriving } from './worker/derive-items.ts'
import { startFetchingRates } from './worker/fetch-rates.ts'
import { startIndexingNames } from './worker/index-names.ts'
import { startMatching } from './worker/match-lines.ts'
import { startMeasuring } from './worker/measure-rails.ts'
import { startNotifying } from './worker/notify-people.ts'
import { startProving } from './worker/prove-books.ts'
import { startScreeningParties } from './worker/screen-parties.ts'
import { startSettling } from './worker/settle-payouts.ts'
import { startStatingChains } from './worker/state-chains.ts'
import { startTakingStatements } from './worker/take-statements.ts'
import { startWatchingArchive } from './worker/watch-archive.ts'

export interface Service {
  /** `http://127.0.0.1:8080` */
  readonly address: string
  /** Where probes and metrics have a port of their own; undefined without one. */
  readonly ops_port: number | undefined
  readonly database: string
  readonly deps: Deps
  readonly migrated: readonly string[]
  /**
   * Answers with `Connection: close` for the drain time, then accepts no connections, answers open
   * requests (a batch may take 43 s, a statement 60 s) and closes the database: 9 s more than the
   * drain time and those requests, plus the stop of an embedded database.
   */
  stop(): Promise<void>
}

const DELETIONS = [
  deleteExpiredReplies,
  deleteOldFingerprints,
  deleteOldQuotes,
  deleteOldUses,
  deleteOldDeliveries,
  deleteOldAttempts,
  deleteOldDevices,
  sweepInbox,
  eraseOldLines,
]
const DELETE_EVERY_MS = 600_000

/** The most concurrent transactions of the delivery worker. */
const DELIVERY_CONNECTIONS = 4

/** How long closing may wait for a silent database or trace collector. */
const LEAVE_WITHIN_MS = 1_500

type Close = () => Promise<unknown>

/** `prepare` runs on the migrated database before any part opens it. A failure closes all parts. */
export async function startService(
  config: Config,
  log: FastifyBaseLogger,
  prepare: (url: string) => Promise<void> = () => Promise.resolve(),
): Promise<Service> {
  const opened: Close[] = []
  try {
    return await openService(config, log, prepare, opened)
  } catch (error) {
    for (const close of opened.reverse()) {
      await close().catch(err => log.warn({ err }, 'could not close after a failed start'))
    }
    throw error
  }
}

/**
 * New connections that the kernel keeps until they are accepted. Beyond that, Linux resets some of
 * a burst. Node asks for 511; Linux allows net.core.somaxconn, by default 4096.
 */
const LISTEN_BACKLOG = 4096

const LISTENING = {
  backlog: LISTEN_BACKLOG,
  // Keeps Fastify from logging the address: the command that starts the service prints it.
  listenTextResolver: () => NOTHING,
}

/** How often a running service looks whether the database was restored or promoted. */
const LOOK_EVERY_MS = 5_000

async function prepareDatabase(url: string, config: Config, log: FastifyBaseLogger) {
  logTestChains(config, log)
  const owner = connect(url, { max: 1, as: 'owner' })
  try {
    const migrated = await migrate(owner)
    logRestored(log, await pauseIfRestored(owner, await clusterFiles(config)))
    return migrated
  } finally {
    await owner.end({ timeout: 5 })
  }
}

function watchDatabase({ sql, log }: Deps): { stop(): Promise<void> } {
  const timer = setInterval(() => {
    pauseIfRestored(sql, '').then(
      reason => logRestored(log, reason),
      error => log.warn({ err: error }, 'the identity of the database could not be read'),
    )
  }, LOOK_EVERY_MS)
  return { stop: async () => clearInterval(timer) }
}

function logRestored(log: FastifyBaseLogger, reason: string): void {
  if (reason !== '') log.error({ reason }, 'all rails are paused: corridor rail unsent')
}

/** A payout in worthless tokens counts as paid. */
function logTestChains({ test_chains }: Config, log: FastifyBaseLogger): void {
  if (test_chains.length === 0) return
  log.warn({ chains: test_chains.map(String) }, 'rails may pay in worthless tokens on these chains')
}

function startDeleting(deps: Deps): NodeJS.Timeout {
  return setInterval(() => {
    for (const deleteOld of DELETIONS) {
      deleteOld(deps).catch(err => deps.log.warn({ err }, 'old rows could not be deleted'))
    }
  }, DELETE_EVERY_MS)
}

/** What a process that settles payouts does on its own. */
const WORKERS = [
  startSettling,
  startMeasuring,
  startScreeningParties,
  startNotifying,
  startIndexingNames,
  startProving,
  startDeriving,
  startTakingStatements,
  startStatingChains,
  startMatching,
  startWatchingArchive,
  watchDatabase,
] as const

async function openService(
  config: Config,
  log: FastifyBaseLogger,
  prepare: (url: string) => Promise<void>,
  opened: Close[],
): Promise<Service> {
  // Imported only here, to save its memory without tracing.
  const stopTracing =
    config.tracing && (await import('./trace/start.ts')).startTracing(config.tracing, config, log)
  if (stopTracing !== undefined) opened.push(stopTracing)
  const database = await openDatabase(config, { create: true, log: line => log.info(line) })
  opened.push(() => database.release())
  if (config.database_url === undefined) {
    await keepArchive({ ...config, url: database.url, log: line => log.info(line) })
  }
  const migrated = await prepareDatabase(database.url, config, log)
  await prepare(database.url)
  const deps = await openDeps(database.url, config, log, makeMetrics())
  opened.push(() => waitAtMost(LEAVE_WITHIN_MS, deps.close()))
  const lifecycle: Lifecycle = { draining: false, connections: new Connections() }
  const app = await buildApp(deps, lifecycle)
  opened.push(() => app.close())
  const ops = await listenForOps(deps, lifecycle)
  if (ops !== undefined) opened.push(() => ops.close())
  const address = await app.listen({ ...LISTENING, host: config.host, port: config.port })
  const working = config.settle ? WORKERS.map(start => start(deps)) : []
  const fetching = config.rate_feed_url === '' ? undefined : startFetchingRates(deps)
  const queues = connect(database.url, {
    max: DELIVERY_CONNECTIONS,
    as: 'service',
    look_ups: true,
  })
  const delivering = config.webhooks ? startDelivering(deps, queues) : undefined
  const deleting = startDeleting(deps)
  return {
    address,
    ops_port: ops && (ops.server.address() as AddressInfo).port,
    database: database.description,
    deps,
    migrated,
    async stop() {
      lifecycle.draining = true
      clearInterval(deleting)
      const worked = working.map(worker => worker.stop())
      const delivered = delivering?.stop()
      const fetched = fetching?.stop()
      await delay(config.drain_ms)
      const listener_closed = Promise.withResolvers<void>()
      lifecycle.held = listener_closed.promise
      await closeServer(app.server, lifecycle.connections, listener_closed.resolve)
      await app.close()
      // Interrupted work leaves a claim, which expires: its payout is then due again.
      await waitAtMost(LEAVE_WITHIN_MS, Promise.all([...worked, delivered, fetched]))
      const closed = [deps.close(), queues.end({ timeout: 5 }), stopTracing?.()]
      await waitAtMost(LEAVE_WITHIN_MS, Promise.all(closed))
      await database.release()
      await ops?.close()
    },
  }
}
