// GET /v3/request_log.
import type { FastifyInstance } from 'fastify'
import type { Reads } from '../../engine/reads.ts'
import { send, success } from '../../http/answer.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../../http/list.ts'
import { addRoute } from '../../http/route.ts'
import { refusal } from '../../values/errors.ts'
import { checkSandbox } from '../operations.ts'
import type { RequestLog } from './keep.ts'
import { LoggedRequestResponse, MAX_ROWS, presentLogged, RequestLogQuery } from './request-log.ts'
import { listLogged } from './store.ts'
import { LOG_PATH } from './watch.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly requestLog: RequestLog | undefined
}

export function requestLogRoutes(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Querystring: ListQuery }>(app, LOG_PATH, 'read', {
    config: { checkQuery: checkList },
    operationId: 'listLoggedRequests',
    summary: 'List the last requests of a sandbox account, newest first.',
    description:
      'For developers: how each request with a key ended, why it was refused, and how long ' +
      `it took. The newest ${MAX_ROWS} requests are kept, by the real clock. A request ` +
      'appears within two seconds. The answer is 404 unless the operator has set ' +
      '`CORRIDOR_REQUEST_LOG`.',
    querystring: RequestLogQuery,
    response: ListOf(LoggedRequestResponse),
    refusals: ['invalid_query_parameter', 'sandbox_only', 'not_found'],
    async send(request, reply) {
      const { account, query } = request
      checkSandbox(account)
      if (deps.requestLog === undefined) {
        throw refusal('not_found', 'This service logs no requests: CORRIDOR_REQUEST_LOG is off.')
      }
      const wanted = readList(query)
      const page = await deps.read(account.account_id, (tx, id) => listLogged(tx, id, wanted))
      return send(reply, success(await presentList(page, wanted, presentLogged)))
    },
  })
}
