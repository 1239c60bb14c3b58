// GET /v3/operator/audit.
import type { FastifyInstance } from 'fastify'
import { type AuditFilter, listAudit } from '../audit/store.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { sendList, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { instantFromIso } from '../instant.ts'
import { ChangeResponse, presentChange } from './audit-response.ts'
import type { OfDesk } from './desk.ts'
import { AuditQuery, checkLimit, pageOf, type Query, readLimit } from './request.ts'

export function auditRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/audit',
    {
      config: { scope: 'installation_read', checkQuery: checkAudit },
      schema: operationDocs({
        operationId: 'listAudit',
        summary: 'List what people have changed, newest first.',
        description: 'By commands and by this API, in one log that is chained by hashes.',
        querystring: AuditQuery,
        response: Envelope(ListOf(ChangeResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const limit = readLimit(request.query)
      const found = await listAudit(deps.desk.audit, filterOf(request.query), limit + 1)
      return sendList(request, reply, success(pageOf(found, limit, presentChange)))
    },
  )
}

function checkAudit(query: Query): void {
  checkLimit(query)
  const { since, by = '', act = '', id = '' } = query
  const isTime = since === undefined || instantFromIso(since) !== undefined
  refuseIfAny([
    ...(isTime ? [] : [invalidParameter('since', 'since is an ISO 8601 time with an offset.')]),
    ...Object.entries({ by, act, id }).flatMap(([name, text]) =>
      text.includes('\0') ? [invalidParameter(name, 'NUL is no character of a text.')] : [],
    ),
  ])
}

function filterOf({ by = '', act = '', account_id = '', id = '', since, before }: Query) {
  const filter: AuditFilter = {
    by,
    act,
    account_id,
    id,
    since: since === undefined ? null : (instantFromIso(since) ?? null),
    before: before === undefined ? null : BigInt(before),
  }
  return filter
}
