// The port of probes and metrics, for a service whose public port must show neither. It answers
// from the start of the service until its end.
import fastify, { type FastifyInstance } from 'fastify'
import type { Deps } from '../runtime/deps.ts'
import { opsRoutes } from './probes.ts'

/** A scraper and a few probes need no more. */
const MOST_CONNECTIONS = 100
const REQUEST_TIMEOUT_MS = 10_000
const MAX_BODY_BYTES = 1_024

/** Undefined without a port of its own. */
export async function listenForOps(
  deps: Deps,
  lifecycle: { readonly draining: boolean },
): Promise<FastifyInstance | undefined> {
  const { ops_host: host, ops_port: port } = deps.config
  if (port === undefined) return undefined
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS,
    // Nothing that these connections ask for is lost.
    forceCloseConnections: true,
  })
  app.server.maxConnections = MOST_CONNECTIONS
  opsRoutes(app, deps, lifecycle)
  await app.listen({ host, port })
  return app
}
