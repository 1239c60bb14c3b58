// Makes requests observable: gives each an id, a line in the log and metrics, and publishes it for
// subscribers. Knows no resource. Of a caller's text, it logs only the request id.
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inCourseOf, REQUESTS, type RequestContext } from '../values/diagnostics.ts'
import { newId } from '../values/id.ts'
import { versionHeaders } from './version.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined without subscribers. */
    course: RequestContext | undefined
  }
}

/** The form of other services' ids (UUID, ULID, hex), which needs no quotes in a log or a URN. */
const HARMLESS = /^[A-Za-z0-9._-]{1,128}$/

/** An answer that takes longer is logged as a warning. */
const SLOW_MS = 1_000

/** The caller's X-Request-Id when it has that form, else a new id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && HARMLESS.test(sent) ? sent : newId('req')
}

/** The histogram has the seconds of each request, by route, method and status. */
interface Needs {
  readonly metrics: {
    readonly requests: {
      observe(labels: Record<'route' | 'method' | 'status', string>, seconds: number): void
    }
  }
}

/** Adds the hooks. Call it before other hooks: it also counts the requests that they refuse. */
export function watchRequests(app: FastifyInstance, deps: Needs): void {
  app.decorateRequest('course')
  app.decorateRequest('refused')
  app.addHook('onRequest', (request, reply, done) => {
    identify(request, reply)
    // 'close' also comes when the client leaves before the answer.
    reply.raw.on('close', () => end(request, reply, deps))
    if (REQUESTS.hasSubscribers) begin(request)
    done()
  })
  // An earlier hook would not suffice: the socket calls the body's reader outside of the context of
  // any request.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.course === undefined) done()
    else inCourseOf(request.course, done)
  })
}

/** Sets the headers of every answer. The public files of /docs set their own cache-control. */
export function identify(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', request.id)
  void reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store')
  void reply.headers(versionHeaders(request))
}

/** Publishes the start of a request to a route with a scope. Probes and /docs have none. */
function begin(request: FastifyRequest): void {
  const { config, url } = request.routeOptions
  if (config.scope === undefined || url === undefined) return
  const { traceparent } = request.headers
  const course: RequestContext = {
    request_id: request.id,
    method: request.method,
    route: url,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  }
  REQUESTS.start.publish(course)
  request.course = course
}

/** The log whose lines name this request, and its trace. */
export function logOf({ log, id, course }: FastifyRequest): FastifyBaseLogger {
  const trace = course?.trace_id === undefined ? {} : { trace_id: course.trace_id }
  return log.child({ request_id: id, ...trace })
}

function end(request: FastifyRequest, reply: FastifyReply, deps: Needs): void {
  const route = request.routeOptions.url ?? 'unknown'
  const { method, course, key_id, person } = request
  const user = person?.user
  const account_id = (request.account as FastifyRequest['account'] | undefined)?.account_id
  const status = reply.raw.writableEnded ? reply.statusCode : null
  const labels = { method, route, status: String(status ?? 'none') }
  deps.metrics.requests.observe(labels, reply.elapsedTime / 1000)
  const duration_ms = Math.trunc(reply.elapsedTime * 1000) / 1000
  // A stream takes as long as its client reads: its duration says nothing about the service.
  const served_ms = request.routeOptions.config.streams === true ? 0 : duration_ms
  const level = levelOf(status, served_ms)
  if (level !== 'debug' || isDebugged(request.log)) {
    const facts = { method, route, status, duration_ms, account_id, key_id, user }
    logOf(request)[level](facts, 'request')
  }
  if (course === undefined) return
  course.status = status
  if (account_id !== undefined) course.account_id = account_id
  REQUESTS.asyncEnd.publish(course)
}

function isDebugged({ level }: FastifyBaseLogger): boolean {
  return level === 'debug' || level === 'trace'
}

/** Most requests are logged at debug: at 9,000 payouts a second, their lines cost too much. */
function levelOf(status: number | null, duration_ms: number): 'debug' | 'warn' | 'error' {
  if (status === 500) return 'error'
  return (status ?? 0) > 500 || duration_ms >= SLOW_MS ? 'warn' : 'debug'
}
