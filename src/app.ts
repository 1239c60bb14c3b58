// The HTTP application, apart from the server: routes, strict bodies, authentication and answers to
// what goes wrong. Listens on nothing, so tests can call it directly.
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { balanceTransactionRoutes } from './balance-transaction/routes.ts'
import { beneficiaryRoutes } from './beneficiary/routes.ts'
import type { Deps } from './deps.ts'
import { MAX_WAIT_MS } from './engine/late.ts'
import { entityRoutes } from './entity/routes.ts'
import { refusal } from './errors.ts'
import { eventRoutes } from './event/routes.ts'
import { authenticate } from './http/authenticate.ts'
import { DOC_KEYWORDS } from './http/docs.ts'
import { sendError, sendMalformed, sendRefusal } from './http/errors.ts'
import { MAX_BODY_BYTES, readJson, readJsonInTurns } from './http/json.ts'
import { type Limits, openLimits } from './http/limits.ts'
import {
  HEADERS_TIMEOUT_MS,
  MAX_HEADER_BYTES,
  REQUEST_TIMEOUT_MS,
  refuseMessage,
} from './http/message.ts'
import { apiReference } from './http/openapi.ts'
import { opsRoutes } from './http/ops.ts'
import { refuseInvalid } from './http/problems.ts'
import { identify, requestIdOf, watchRequests } from './http/requests.ts'
import { REASON } from './http/schema.ts'
import { payoutRoutes } from './payout/routes.ts'
import { payoutBatchRoutes } from './payout-batch/routes.ts'
import { quoteRoutes } from './quote/routes.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { timelineRoutes } from './timeline/routes.ts'
import { webhookRoutes } from './webhook/routes.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may be left out, whatever content type the client says it has. */
    optionalBody?: boolean
  }
}

/** What the server tells the application: a draining process takes no new work. */
export interface Lifecycle {
  draining: boolean
  /** While there is one, requests that come are not begun before it resolves. */
  held?: Promise<void>
}

export async function buildApp(
  deps: Deps,
  lifecycle: Lifecycle = { draining: false },
): Promise<FastifyInstance> {
  const app = makeFastify(deps)
  app.addHook('onRoute', route => {
    // A silent database is a 503, not a caller who waits for ever. Writes have their lane for that.
    if (['GET', 'HEAD'].includes(String(route.method))) route.handlerTimeout = MAX_WAIT_MS
    // Refused below, together with what the rules find.
    route.attachValidation = true
  })
  // Node would answer by itself, without a word.
  app.server.on('checkExpectation', app.routing)
  readStrictJson(app)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => sendNotFound(app, request, reply))
  watchRequests(app, deps)
  app.decorateRequest('account')
  app.decorateRequest('key_id')
  // With the first request, as routes are described where there is no configuration, too.
  let limits: Limits | undefined
  app.addHook('onRequest', async (request, reply) => {
    if (lifecycle.held !== undefined) await lifecycle.held
    const refused = refuseMessage(request.raw)
    if (refused !== undefined) {
      void reply.header('connection', 'close')
      throw refused
    }
    const { scope } = request.routeOptions.config
    if (scope === undefined) return
    limits ??= openLimits(deps.config)
    authenticate(request, deps.reference.current(), scope, limits)
    deps.keyUses.note(request.key_id)
  })
  app.addHook('preHandler', async request => refuseInvalid(request))
  // While draining, each answer tells its client to come back on a new connection, to another
  // process.
  app.addHook('onSend', async (_request, reply) => {
    if (lifecycle.draining) void reply.header('connection', 'close')
  })
  await apiReference(app)
  opsRoutes(app, deps, lifecycle)
  quoteRoutes(app, deps)
  payoutRoutes(app, deps)
  payoutBatchRoutes(app, deps)
  timelineRoutes(app, deps)
  balanceTransactionRoutes(app, deps)
  entityRoutes(app, deps)
  beneficiaryRoutes(app, deps)
  eventRoutes(app, deps)
  webhookRoutes(app, deps)
  sandboxRoutes(app, deps)
  return app
}

/** How often slow and silent clients are looked for. */
const LOOK_FOR_SLOW_MS = 500

function makeFastify(deps: Deps): FastifyInstance {
  return fastify({
    loggerInstance: deps.log,
    // Fastify's lines have URLs in them, with whatever a caller wrote there; see http/requests.ts.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: requestIdOf,
    bodyLimit: MAX_BODY_BYTES,
    // Who sends no Host is refused like anybody else, and not by Node without a word.
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_FOR_SLOW_MS,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 65_000,
    // Idle keep-alive connections are closed on shutdown, busy ones after their answer.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: sendMalformed,
    // Paths that cannot be decoded are refused before any route or hook.
    frameworkErrors(error, request, reply) {
      identify(request, reply)
      return sendError(error, request, reply)
    },
    routerOptions: { maxParamLength: 256 },
    trustProxy: address => deps.config.trusted_proxies.includes(address),
    ajv: {
      customOptions: {
        // Fastify's defaults change what was sent: null would become 0. Nothing is coerced here.
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        verbose: true,
        keywords: [REASON, ...DOC_KEYWORDS],
        // A member of an update may be null, and a percentage an integer or text.
        allowUnionTypes: true,
      },
    },
  })
}

/** Bodies are read by our own reader; answers are written as text by the rooms. */
function readStrictJson(app: FastifyInstance): void {
  // The response schemas only document: what is sent is text already.
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkCharset(request.headers['content-type'])
      const none = body.length === 0 && request.routeOptions.config.optionalBody === true
      if (body.length > MAX_BODY_BYTES) {
        readJsonInTurns(body as Buffer).then(value => done(null, value), done)
        return
      }
      done(null, none ? undefined : readJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** 405 with Allow when the path exists for other methods, else 404. */
function sendNotFound(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
  const allowed = METHODS.filter(method => app.findRoute({ url: pathOf(request.url), method }))
  // A route that took the request and has nothing there, such as a file of /docs: no such path.
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (allowed.length === 0 || allowed.some(name => name === method)) {
    return sendRefusal(refusal('not_found', 'No such path.'), request, reply)
  }
  void reply.header('allow', allowed.join(', '))
  const message = `${request.method} is not allowed here; ${allowed.join(', ')} is.`
  return sendRefusal(refusal('method_not_allowed', message), request, reply)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

/** RFC 8259: JSON on the wire is UTF-8. */
function checkCharset(contentType: string | undefined): void {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1]
  if (charset === undefined || /^utf-?8$/i.test(charset)) return
  throw refusal('unsupported_media_type', 'JSON is read as UTF-8 only.')
}
