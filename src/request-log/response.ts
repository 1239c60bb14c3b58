// Answers about logged requests.

import { REASONS } from '../errors.ts'
import { Id, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { instantIn } from '../id.ts'
import { type LoggedRequest, OUTCOMES } from './request-log.ts'

export const LoggedRequestResponse = Type.Object(
  {
    id: Id('rql', 'Id of the row of the log.'),
    object: Type.Literal('logged_request'),
    created_at: Timestamp,
    request_id: Type.String({ description: 'As the answer has it in `X-Request-Id`.' }),
    key_id: Type.String({ description: 'The key that it was sent with.' }),
    method: Type.String(),
    path: Type.String({ description: 'With its query. What a caller has made up is `…`.' }),
    outcome: Literals(OUTCOMES, {
      description:
        '`succeeded`, `refused` (4xx), `failed` (5xx), or `abandoned`: the caller left before.',
    }),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null of `abandoned`.' }),
    duration_ms: Type.Number({ description: 'Until the answer was written, to the microsecond.' }),
    reason: Type.String({
      description: 'Of the first error; empty when there is none.',
      'x-extensible-enum': REASONS,
    }),
    remarks: Type.String({ description: 'The path of the field that the error is about.' }),
    body: Type.String({
      description:
        'What was sent, as JSON, with `…` for all but codes, amounts and ids. Empty unless the ' +
        'service logs bodies.',
    }),
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
    body: row.body,
  }
}
