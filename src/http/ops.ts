// For operators: is the process alive, is it ready, and what do its numbers say. Public on the
// service's address, which is loopback unless HOST says otherwise.
import type { FastifyInstance } from 'fastify'
import { pendingMigrations } from '../db/migrate.ts'
import type { Deps } from '../deps.ts'

/**
 * How long a database has to answer before the process calls itself not ready: with the answer,
 * under two seconds from the moment it has gone.
 */
const READY_TIMEOUT_MS = 1_500

export function opsRoutes(
  app: FastifyInstance,
  deps: Deps,
  lifecycle: { readonly draining: boolean },
): void {
  app.get('/healthz', () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const problem = lifecycle.draining ? 'shutting down' : await databaseProblem(deps)
    if (problem === null) return { status: 'ready' }
    return reply.status(503).send({ status: 'not ready', reason: problem })
  })

  app.get('/metrics', async (_request, reply) => {
    const { registry } = deps.metrics
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

async function databaseProblem(deps: Deps): Promise<string | null> {
  const timeout = new Promise<'timeout'>(resolve =>
    setTimeout(resolve, READY_TIMEOUT_MS, 'timeout').unref(),
  )
  try {
    deps.reference.current()
    const pending = await Promise.race([pendingMigrations(deps.sql), timeout])
    if (pending === 'timeout') return 'database does not answer'
    return pending.length === 0 ? null : 'migrations pending'
  } catch {
    return 'database does not answer'
  }
}
