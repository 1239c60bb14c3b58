// Probes and metrics. They need no credentials: HOST is loopback unless the operator says so.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { clock } from '../ledger/clock.ts'
import { goodUntil } from '../prices/rate/rules.ts'
import type { Deps } from '../runtime/deps.ts'
import { writeMetrics } from '../runtime/metrics.ts'
import { pendingMigrations } from '../sql/migrate.ts'
import { waitAtMost } from '../values/event-loop.ts'
import { secondsBetween } from '../values/instant.ts'

/** /readyz waits this long for the database, so that it answers within two seconds. */
const READY_TIMEOUT_MS = 1_500

/** These routes accept any Host header: they show no data of accounts. */
const PROBED = { config: { anyHost: true } }

export function opsRoutes(
  app: FastifyInstance,
  deps: Deps,
  lifecycle: { readonly draining: boolean },
): void {
  app.get('/healthz', PROBED, () => ({ status: 'ok' }))

  app.get('/readyz', PROBED, async (_request, reply) => {
    const problem = lifecycle.draining ? 'shutting down' : await databaseProblem(deps)
    // Reads go on, so the process stays ready.
    const writes = clock.jump === null ? {} : { writes: 'stopped: the clock has jumped' }
    if (problem === null) return { status: 'ready', ...writes }
    return reply.status(503).send({ status: 'not ready', reason: problem })
  })

  let writing: Promise<string[]> | undefined
  app.get('/metrics', PROBED, async (_request, reply) => {
    deps.metrics.databaseAway.set(isAway(deps) ? 1 : 0)
    measureRates(deps)
    // Scrapes at one moment get the same text, so that many of them take no more memory.
    writing ??= writeMetrics(deps.metrics).finally(() => {
      writing = undefined
    })
    return reply.type(deps.metrics.registry.contentType).send(Readable.from(await writing))
  })
}

/** Of a rate that is good, and of one that is stale. */
const RATE_STATES = ['good', 'stale'] as const
/** Pegs are in each new installation, and those of stablecoins are stale after a day. */
const PEG_STATES = ['pegged', 'peg_stale'] as const

/** Measures the rates that a live account without its own pricing policy gets. */
function measureRates({ reference, metrics, log }: Deps): void {
  try {
    const { rates, pricing } = reference.current()
    const now = new Date().toISOString().replace('Z', '000Z')
    const { policyOf } = pricing({ account_id: '', sandbox: false }, now)
    const aged = rates
      .filter(rate => !rate.sample)
      .map(rate => {
        const end = goodUntil(rate, policyOf(rate.base, rate.quote).max_age_s)
        const left_s = end === null ? Infinity : secondsBetween(now, end.good_until)
        const [good, stale] = rate.pegged ? PEG_STATES : RATE_STATES
        return { ...rate, left_s, state: left_s >= 0 ? good : stale }
      })
    for (const state of [...RATE_STATES, ...PEG_STATES]) {
      metrics.rates.set({ state }, aged.filter(rate => rate.state === state).length)
    }
    const left = aged.map(({ left_s }) => left_s).filter(s => s >= 0 && s < Infinity)
    metrics.rateGoodFor.set(left.length === 0 ? 0 : Math.min(...left))
    const ages = aged.flatMap(({ pegged, as_of }) => (pegged ? [] : secondsBetween(as_of, now)))
    if (ages.length === 0) metrics.rateAge.remove()
    else metrics.rateAge.set(Math.min(...ages))
  } catch (error) {
    log.debug({ err: error }, 'rates not measured')
  }
}

/** Whether the process has lost the database for so long that it answers requests by 503. */
function isAway({ reference }: Deps): boolean {
  try {
    reference.current()
    return false
  } catch {
    return true
  }
}

async function databaseProblem(deps: Deps): Promise<string | null> {
  try {
    deps.reference.current()
    const pending = await waitAtMost(READY_TIMEOUT_MS, pendingMigrations(deps.sql))
    if (pending === undefined) return 'database does not answer'
    return pending.length === 0 ? null : 'migrations pending'
  } catch {
    return 'database does not answer'
  }
}
