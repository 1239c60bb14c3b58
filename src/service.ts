// One running service: a database, everything opened on it, the HTTP server and the workers,
// started in order and stopped in the opposite one without dropping a request.
import type { FastifyBaseLogger } from 'fastify'
import { buildApp, type Lifecycle } from './app.ts'
import type { Config } from './config.ts'
import { connect } from './db/connect.ts'
import { migrate } from './db/migrate.ts'
import { type Deps, openDeps } from './deps.ts'
import { Connections } from './http/connections.ts'
import { closeServer, within } from './http/drain.ts'
import { deleteOutlivedReplies } from './idempotency/store.ts'
import { NOTHING } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { deleteOldLikenesses } from './payout/duplicate-store.ts'
import { openDatabase } from './postgres/open.ts'
import { deleteOldDeliveries } from './webhook/queue-store.ts'
import { startDelivering } from './worker/deliver-webhooks.ts'
import { startFetchingRates } from './worker/fetch-rates.ts'
import { startSettling } from './worker/settle-payouts.ts'

export interface Service {
  /** `http://127.0.0.1:8080` */
  readonly address: string
  readonly database: string
  readonly deps: Deps
  /** Names of the migrations this start applied. */
  readonly migrated: readonly string[]
  /**
   * Says `Connection: close` for the drain time, takes no new connections, answers what was asked,
   * however long it takes (a batch of payouts up to 43 s, a statement up to 60), and leaves the
   * database: within drain time and 8 s when nothing long is in hand and the embedded one needs not
   * be stopped.
   */
  stop(): Promise<void>
}

/** How often answers past their 24 hours, and deliveries of a month ago, are forgotten. */
const FORGET_EVERY_MS = 600_000

/** Transactions of the delivery worker that are open at once. */
const DELIVERY_CONNECTIONS = 4

/** For a database, or a collector of traces, that does not answer any more. */
const LEAVE_WITHIN_MS = 1_500

type Close = () => Promise<unknown>

/**
 * `prepare` runs on the migrated database before anything is opened on it. Rejects with the first
 * thing that fails, after closing all that was open.
 */
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

/** Whoever starts us says that we listen, in words of their own. */
const LISTENING = { listenTextResolver: () => NOTHING }

/** Adds to `opened` how each thing that is open is closed. */
async function openService(
  config: Config,
  log: FastifyBaseLogger,
  prepare: (url: string) => Promise<void>,
  opened: Close[],
): Promise<Service> {
  // Imported only now: what is not asked for takes no memory.
  const stopTracing =
    config.tracing && (await import('./trace/start.ts')).startTracing(config.tracing, config, log)
  if (stopTracing !== undefined) opened.push(stopTracing)
  const database = await openDatabase(config, { create: true, log: line => log.info(line) })
  opened.push(() => database.release())
  const owner = connect(database.url, { max: 1, as: 'owner' })
  const migrated = await migrate(owner).finally(() => owner.end({ timeout: 5 }))
  await prepare(database.url)
  const deps = await openDeps(database.url, config, log, makeMetrics())
  opened.push(() => within(LEAVE_WITHIN_MS, deps.close()))
  const lifecycle: Lifecycle = { draining: false, connections: new Connections() }
  const app = await buildApp(deps, lifecycle)
  opened.push(() => app.close())
  const address = await app.listen({ ...LISTENING, host: config.host, port: config.port })
  const settling = config.settle ? startSettling(deps) : undefined
  const fetching = config.rate_feed_url === '' ? undefined : startFetchingRates(deps)
  const queues = connect(database.url, {
    max: DELIVERY_CONNECTIONS,
    as: 'service',
    look_ups: true,
  })
  const delivering = config.webhooks ? startDelivering(deps, queues) : undefined
  const forget = setInterval(() => {
    for (const forgetOld of [deleteOutlivedReplies, deleteOldLikenesses, deleteOldDeliveries]) {
      forgetOld(deps).catch(error => log.warn({ err: error }, 'forgetting failed'))
    }
  }, FORGET_EVERY_MS)
  return {
    address,
    database: database.description,
    deps,
    migrated,
    async stop() {
      lifecycle.draining = true
      clearInterval(forget)
      const settled = settling?.stop()
      const delivered = delivering?.stop()
      const fetched = fetching?.stop()
      await pause(config.drain_ms)
      const deaf = Promise.withResolvers<void>()
      lifecycle.held = deaf.promise
      await closeServer(app.server, lifecycle.connections, deaf.resolve)
      await app.close()
      // What is cut off leaves a claim, which comes due again.
      await within(LEAVE_WITHIN_MS, Promise.all([settled, delivered, fetched]))
      const left = [deps.close(), queues.end({ timeout: 5 }), stopTracing?.()]
      await within(LEAVE_WITHIN_MS, Promise.all(left))
      await database.release()
    },
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}
