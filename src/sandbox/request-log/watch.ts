// Notes each request of a sandbox account when it ends. It leaves out the console's requests and
// those that read the log: no integrator's program sent them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLog } from './keep.ts'
import { maskedPath, maskedPlace, type Words, wordsOf } from './mask.ts'
import { MAX_PATH, MAX_REMARKS, type Outcome } from './request-log.ts'

export const LOG_PATH = '/v3/request_log'

/** Call it only where the log is on: without it, requests cost nothing. */
export function watchForLog(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onRequest', (request, reply, done) => {
    // The `close` event also comes when the caller leaves before the answer.
    reply.raw.on('close', () => {
      // No other code catches a listener's error, which would end the process.
      try {
        note(request, reply, log)
      } catch (err) {
        request.log.error({ err }, 'a request could not be logged for its account')
      }
    })
    done()
  })
}

function note(request: FastifyRequest, reply: FastifyReply, log: RequestLog): void {
  const account = request.account as FastifyRequest['account'] | undefined
  const { url: route, schema } = request.routeOptions
  if (account?.sandbox !== true || request.session !== null) return
  if (route === undefined || route === LOG_PATH) return
  const words = wordsAt(schema ?? {})
  const { params, query, refused } = request
  const status = reply.raw.writableEnded ? reply.statusCode : null
  log.note({
    account_id: account.account_id,
    request_id: request.id,
    key_id: request.key_id,
    method: request.method,
    path: maskedPath(route, membersOf(params), membersOf(query), words, MAX_PATH),
    outcome: outcomeOf(status),
    status,
    duration_us: Math.min(Math.trunc(reply.elapsedTime * 1000), LONGEST_US),
    reason: refused?.reason ?? '',
    remarks: maskedPlace(refused?.remarks ?? '', words, MAX_REMARKS),
  })
}

/** The largest `integer` of PostgreSQL: about half an hour. */
const LONGEST_US = 2_147_483_647

function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'abandoned'
  return status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'succeeded'
}

const membersOf = (value: unknown) => (value ?? {}) as Readonly<Record<string, unknown>>

const known = new WeakMap<object, Words>()

/** The words of a route's schemas, collected once. */
function wordsAt(schema: { readonly body?: unknown; readonly querystring?: unknown }): Words {
  const words = known.get(schema) ?? wordsOf(schema.body, schema.querystring)
  known.set(schema, words)
  return words
}
