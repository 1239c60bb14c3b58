// A request of a sandbox account as the log keeps it, without personal data.
import { ListQueryOf, TextFilter } from '../../http/list.ts'
import { Id, Literals, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { REASONS } from '../../values/errors.ts'
import { instantIn } from '../../values/id.ts'

/** `abandoned`: the caller left before the answer was written. */
export const OUTCOMES = ['succeeded', 'refused', 'failed', 'abandoned'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface LoggedRequest {
  readonly account_id: string
  /** Contains the time at which the request ended, by the clock of the process. */
  readonly id: string
  readonly request_id: string
  /** The key of the account, or of the person who called in their own name. */
  readonly key_id: string
  readonly method: string
  /** The path with its query. All but the API's own words is masked. */
  readonly path: string
  readonly outcome: Outcome
  /** Null when the caller left before the answer. */
  readonly status: number | null
  readonly duration_us: number
  /** The reason and path of the first error; '' for a request that succeeded. */
  readonly reason: string
  readonly remarks: string
}

/** The most rows of an account. The log drops older rows. */
export const MAX_ROWS = 1_000
export const MAX_PATH = 500
export const MAX_REMARKS = 200

export const RequestLogQuery = ListQueryOf('rql', {
  request_id: TextFilter(128, 'The `X-Request-Id` of an answer.'),
  outcome: Literals(OUTCOMES, { description: 'Only requests with this outcome.' }),
  method: Literals(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], {
    description: 'Only requests of this method.',
  }),
  reason: TextFilter(64, 'Only requests that were refused for this reason.'),
})

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
