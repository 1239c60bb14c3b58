// Answers about logged requests.

import { Id, Literals, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { REASONS } from '../../values/errors.ts'
import { instantIn } from '../../values/id.ts'
import { type LoggedRequest, OUTCOMES } from './request-log.ts'

export const LoggedRequestResponse = Type.Object(
  {
    id: Id('rql', 'Id of the row of the log.'),
    object: Type.Literal('logged_request'),
    created_at: Timestamp,
    request_id: Type.String({
      description: 'The id of the request, as in the header `X-Request-Id` of the answer.',
    }),
    key_id: Type.String({ description: 'The key that sent the request.' }),
    method: Type.String(),
    path: Type.String({
      description: 'The path with its query. Values that a caller has made up are shown as `…`.',
    }),
    outcome: Literals(OUTCOMES, {
      description:
        '`succeeded`, `refused` (4xx), `failed` (5xx), or `abandoned`: the caller closed ' +
        'the connection before the answer.',
    }),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null for `abandoned`.' }),
    duration_ms: Type.Number({ description: 'Until the answer was written, to the microsecond.' }),
    reason: Type.String({
      description: 'The reason of the first error; empty when there is no error.',
      'x-extensible-enum': REASONS,
    }),
    remarks: Type.String({ description: 'The path of the field that the error is about.' }),
  },
  { title: 'LoggedRequest', description: 'A request of a sandbox account, and how it ended.' },
)

export function presentLogged({ account_id: _, duration_us, ...row }: LoggedRequest) {
  return {
    id: row.id,
    object: 'logged_request',
    created_at: instantIn(row.id),
    request_id: row.request_id,
    key_id: row.key_id,
    method: row.method,
    path: row.path,
    outcome: row.outcome,
    status: row.status,
    duration_ms: duration_us / 1000,
    reason: row.reason,
    remarks: row.remarks,
  }
}
