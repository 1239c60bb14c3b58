// The HTTP application. It does not listen on a port, so tests can call it directly.
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify'
import { pino } from 'pino'
import { findSession } from '../accounts/user/session-store.ts'
import { connectorRoutes } from '../adapters/connector/routes.ts'
import { consolePages } from '../console/routes.ts'
import { factorRoutes } from '../console/session/factor-routes.ts'
import { invitationRoutes } from '../console/session/invitation-routes.ts'
import { sessionPages } from '../console/session/pages.ts'
import { sessionRoutes } from '../console/session/routes.ts'
import { accountRoutes } from '../controls/account-summary/routes.ts'
import { makerRoutes } from '../controls/maker/routes.ts'
import { conversionRoutes } from '../conversions/routes.ts'
import { docsPages } from '../docs-site/routes.ts'
import { MAX_WAIT_MS, unlessLate } from '../engine/late.ts'
import { eventRoutes } from '../history/event-object/routes.ts'
import { timelineRoutes } from '../history/timeline/routes.ts'
import { AccountRoutes } from '../http/account-routes.ts'
import { AtWork } from '../http/at-work.ts'
import { authenticate, type FindSession } from '../http/authenticate.ts'
import { checkBodyHeaders, readBodies } from '../http/body.ts'
import { Connections, STALLED_MS } from '../http/connections.ts'
import { documentRoute } from '../http/document.ts'
import { sendError, sendMalformed, sendRefusal } from '../http/errors.ts'
import { MAX_BODY_BYTES } from '../http/json.ts'
import { limitHeaders } from '../http/limits.ts'
import {
  checkHost,
  checkQueryText,
  HEADERS_TIMEOUT_MS,
  MAX_HEADER_BYTES,
  REQUEST_TIMEOUT_MS,
  refuseMessage,
} from '../http/message.ts'
import { refuseInvalid } from '../http/problems.ts'
import { foldQueries } from '../http/query.ts'
import { identify, requestIdOf, watchRequests } from '../http/requests.ts'
import { refuseOversized } from '../http/sizes.ts'
import { buildValidator, REQUESTS } from '../http/validators.ts'
import { checkVersion } from '../http/version.ts'
import { approvalRoutes } from '../operator/approval-routes.ts'
import { BATCH, BENEFICIARY, IMPORT, PAYOUT } from '../operator/approvals.ts'
import { ownerRoutes } from '../operator/owner-routes.ts'
import { operatorRoutes } from '../operator/routes.ts'
import { beneficiaryRoutes } from '../parties/beneficiary/routes.ts'
import { entityRoutes } from '../parties/entity/routes.ts'
import { payoutBatchRoutes } from '../payouts/batch/routes.ts'
import { confirmationRoutes } from '../payouts/confirmation/routes.ts'
import { payoutGroupRoutes, payoutImportRoutes } from '../payouts/group/routes.ts'
import { findShown } from '../payouts/lists/expand.ts'
import { PayoutResponse } from '../payouts/response.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { payoutOptionsRoutes } from '../quotes/options/routes.ts'
import { rateRoutes } from '../quotes/rate/routes.ts'
import { payeeProblems } from '../quotes/requirement/payee.ts'
import { requirementRoutes } from '../quotes/requirement/routes.ts'
import { quoteRoutes } from '../quotes/routes.ts'
import { vocabularyRoutes } from '../quotes/vocabulary/routes.ts'
import type { Deps } from '../runtime/deps.ts'
import { requestLogRoutes } from '../sandbox/request-log/routes.ts'
import { watchForLog } from '../sandbox/request-log/watch.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import { searchRoutes } from '../search/routes.ts'
import { balanceTransactionRoutes } from '../statements/balance-transaction/routes.ts'
import { fundingInstructionRoutes } from '../treasury/routes.ts'
import { type Refusal, rateLimited, refusal } from '../values/errors.ts'
import { deliveryRoutes } from '../webhooks/delivery-routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { opsRoutes } from './probes.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body may be missing, whatever the Content-Type header says. */
    optionalBody?: boolean
    /** Whether to accept any Host header: probes address the service by IP. */
    anyHost?: boolean
    /** Whether writing the answer may take longer than the time-out of other answers. */
    streams?: boolean
  }
}

export interface Lifecycle {
  /** Whether the process shuts down: each answer then closes its connection. */
  draining: boolean
  readonly connections: Connections
  held?: Promise<void>
}

export async function buildApp(
  deps: Deps,
  lifecycle: Lifecycle = { draining: false, connections: new Connections() },
  atWork: AtWork = new AtWork(),
): Promise<FastifyInstance> {
  const app = makeFastify(deps)
  app.decorate('public_url', deps.config.public_url)
  app.addHook('onRoute', route => {
    // Answers 503 when the database is silent. Writes need no time-out here: their lane has one.
    const reads = ['GET', 'HEAD'].includes(String(route.method))
    if (reads && route.config?.streams !== true) route.handlerTimeout = MAX_WAIT_MS
    // refuseInvalid reports schema problems together with those of the rules.
    route.attachValidation = true
    foldQueries(route)
    // Probes must be answered whatever waits.
    if (route.config?.anyHost !== true) countWork(route, atWork)
  })
  lifecycle.connections.watch(app.server)
  // Without this, Node would answer an Expect header itself, without a body.
  app.server.on('checkExpectation', app.routing)
  // Response schemas serve only the documents: handlers send answers as text already.
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  readBodies(app)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => sendNotFound(app, request, reply))
  watchRequests(app, deps)
  if (deps.requestLog !== undefined) watchForLog(app, deps.requestLog)
  admitRequests(app, deps, lifecycle, atWork)
  await app.register(async pages => docsPages(pages, deps))
  await app.register(async pages => sessionPages(pages, deps))
  await app.register(async pages => consolePages(pages, deps, lifecycle))
  addRoutes(app, deps, lifecycle)
  return app
}

function countWork(route: RouteOptions, atWork: AtWork): void {
  const { handler } = route
  route.handler = function handleCounted(request, reply) {
    return atWork.run(() => handler.call(this, request, reply))
  }
}

/** Every route that openapi.json describes. */
export function addRoutes(
  app: FastifyInstance,
  deps: Deps,
  lifecycle: { readonly draining: boolean } = { draining: false },
): void {
  const routes = new AccountRoutes(app, deps)
  documentRoute(app)
  if (deps.config.ops_port === undefined) opsRoutes(app, deps, lifecycle)
  accountRoutes(routes, deps)
  fundingInstructionRoutes(routes, deps)
  makerRoutes(routes, deps)
  searchRoutes(routes, deps)
  quoteRoutes(routes, deps)
  payoutRoutes(routes, deps)
  conversionRoutes(routes, deps)
  confirmationRoutes(app, deps)
  requirementRoutes(routes)
  vocabularyRoutes(routes)
  payoutOptionsRoutes(routes, deps)
  rateRoutes(routes, deps)
  payoutBatchRoutes(app, routes, deps)
  timelineRoutes(routes, deps)
  balanceTransactionRoutes(app, routes, deps, {
    schema: PayoutResponse,
    find: key => findShown(deps.readers, key),
  })
  entityRoutes(routes, deps)
  beneficiaryRoutes(routes, deps, payeeProblems)
  eventRoutes(routes, deps)
  webhookRoutes(routes, deps)
  deliveryRoutes(app, routes, deps)
  connectorRoutes(app, deps)
  sandboxRoutes(routes, deps)
  requestLogRoutes(app, deps)
  approvalRoutes(app, deps, [PAYOUT, BATCH])
  payoutImportRoutes(routes, deps)
  payoutGroupRoutes(routes, deps)
  approvalRoutes(app, deps, [IMPORT, BENEFICIARY])
  sessionRoutes(app, deps)
  factorRoutes(app, deps)
  invitationRoutes(app, deps)
  ownerRoutes(app, deps)
  operatorRoutes(app, deps)
}

/** For routes that are described and never called. Each throws on use, except the silent log. */
export function depsForDescription(): Deps {
  const log = pino({ level: 'silent' })
  return new Proxy({ log } as unknown as Deps, {
    get(target, name) {
      if (name === 'log') return target.log
      if (name === 'requestLog') return undefined
      // An installation has the pages of a provider only with a provider set.
      if (name === 'config') return { provider: undefined, ops_port: undefined }
      throw new Error(`routes must not use deps.${String(name)} while they are being added`)
    },
  })
}

/** Waits only for the session of a cookie. */
function admission(deps: Deps, atWork: AtWork): (request: FastifyRequest) => void | Promise<void> {
  const findOpen: FindSession = token_hash => {
    const find = unlessLate(() => findSession(deps.reads, token_hash))
    return atWork.run(() => deps.inTurn('', find))
  }
  return (request: FastifyRequest) => {
    const { scope, anyHost } = request.routeOptions.config
    if (anyHost !== true) checkHost(request.headers.host ?? '', deps.config.allowed_hosts)
    if (scope === undefined) return undefined
    const reference = deps.reference.current()
    const { allowed_hosts } = deps.config
    const means = { limits: deps.limits, findSession: findOpen, allowed_hosts }
    const checkAdmitted = () => {
      if (request.person === null && scope !== 'anyone') deps.keyUses.note(request.key_id)
      checkVersion(request)
      checkQueryText(request.raw)
      checkBodyHeaders(request)
    }
    const pending = authenticate(request, reference, scope, means)
    return pending === undefined ? checkAdmitted() : pending.then(checkAdmitted)
  }
}

function admitRequests(app: FastifyInstance, deps: Deps, lifecycle: Lifecycle, atWork: AtWork) {
  app.decorateRequest('account')
  app.decorateRequest('person', null)
  app.decorateRequest('session', null)
  app.decorateRequest('key_id')
  app.decorateRequest('rate_name', '')
  app.decorateRequest('caller')
  const { connections } = lifecycle
  const admit = admission(deps, atWork)
  const takeTurn = (request: FastifyRequest, reply: FastifyReply) => {
    const refused = connections.isOverfull(request.raw) ? tooMany() : refuseMessage(request.raw)
    if (refused !== undefined) {
      void reply.header('connection', 'close')
      throw refused
    }
    const turn = connections.turnOf(request.raw, reply.raw)
    if (turn === true) return admit(request)
    return turn.then(is_open => {
      if (!is_open) throw refusal('invalid_request', 'The client has gone.')
      return admit(request)
    })
  }
  // The hooks return a promise only when they must wait (docs/decisions/lanes.md).
  app.addHook('onRequest', (request, reply, done) => {
    const { held } = lifecycle
    const pending =
      held === undefined ? takeTurn(request, reply) : held.then(() => takeTurn(request, reply))
    if (pending === undefined) done()
    return pending
  })
  app.addHook('preValidation', refuseOversized)
  app.addHook('preHandler', (request, _reply, done) => {
    refuseInvalid(request)
    done()
  })
  // While draining, each answer closes its connection, so that the client reconnects elsewhere.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.draining) void reply.header('connection', 'close')
    void reply.headers(limitHeaders(deps.limits, request.rate_name))
    const { length = 0 } = (payload ?? '') as { length?: number }
    connections.countUnsent(request.raw, reply.raw, length)
    done()
  })
}

/** How often Node checks for slow and silent clients. */
const CHECK_CLIENTS_MS = 500

function makeFastify(deps: Deps): FastifyInstance {
  return fastify({
    loggerInstance: deps.log,
    // Fastify's own log lines contain URLs, which may hold personal data.
    logController: new LogController({
      disableRequestLogging: true,
    }),
    genReqId: requestIdOf,
    // Few requests write a line: logOf makes the log of a request when it writes one.
    childLoggerFactory: log => log,
    bodyLimit: MAX_BODY_BYTES,
    // http/message.ts refuses a request without a Host header; Node would refuse it without a body.
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_CLIENTS_MS,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALLED_MS,
    keepAliveTimeout: 65_000,
    // On shutdown, idle connections close at once, and busy ones after their answer.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: sendMalformed,
    // Paths that cannot be decoded fail before any route or hook.
    frameworkErrors(error, request, reply) {
      identify(request, reply)
      return sendError(error, request, reply)
    },
    routerOptions: { maxParamLength: 256 },
    trustProxy: address => deps.config.trusted_proxies.includes(address),
    schemaController: { compilersFactory: { buildValidator } },
    ajv: { customOptions: REQUESTS },
  })
}

/** 405 with Allow when the path exists for other methods, else 404. */
function sendNotFound(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
  const url = pathOf(request.url)
  // `OPTIONS *` names no path; Fastify would find the route of `/` for it.
  const allowed = METHODS.filter(method => url !== '*' && app.findRoute({ url, method }))
  // If the method is allowed, the route has no such resource, such as a file of /docs: 404.
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (allowed.length === 0 || allowed.some(name => name === method)) {
    return sendRefusal(refusal('not_found', 'No such path.'), request, reply)
  }
  void reply.header('allow', allowed.join(', '))
  const are = allowed.length === 1 ? 'is' : 'are'
  const message = `${request.method} is not allowed here; ${allowed.join(', ')} ${are}.`
  return sendRefusal(refusal('method_not_allowed', message), request, reply)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

/** Refuses a client that sends requests without reading answers, which would fill the memory. */
function tooMany(): Refusal {
  return rateLimited('Too many requests on this connection wait for their answers; read them.', 1)
}
