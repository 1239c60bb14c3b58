// GET /v3/operator/audit: the audit log.
import type { Static } from 'typebox'
import { listAudit } from '../audit/store.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { instantFromIso } from '../instant.ts'
import { ChangeResponse, presentChange } from './audit-response.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { AuditQuery, checkLimit, type Query } from './request.ts'

export function auditRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/audit', {
    config: { checkQuery: checkAudit },
    operationId: 'listAudit',
    summary: 'List what people have changed, newest first.',
    description: 'The log has the changes by commands and by this API, and is chained by hashes.',
    querystring: AuditQuery,
    item: ChangeResponse,
    find: (query, { audit }, limit) => listAudit(audit, filterOf(query), limit + 1),
    present: presentChange,
  })
}

function checkAudit(query: Query): void {
  checkLimit(query)
  const { since, by = '', act = '', id = '' } = query
  const isTime = since === undefined || instantFromIso(since) !== undefined
  refuseIfAny([
    ...(isTime ? [] : [invalidParameter('since', 'since is an ISO 8601 time with an offset.')]),
    ...Object.entries({ by, act, id }).flatMap(([name, text]) =>
      text.includes('\0') ? [invalidParameter(name, `${name} must have no character NUL.`)] : [],
    ),
  ])
}

function filterOf(query: Static<typeof AuditQuery>) {
  const { by = '', act = '', account_id = '', id = '', since, before } = query
  return {
    by,
    act,
    account_id,
    id,
    since: since === undefined ? null : (instantFromIso(since) ?? null),
    before: before === undefined ? null : BigInt(before),
  }
}
