// The query of the log of requests.

import { ListQueryOf, TextFilter } from '../../http/list.ts'
import { Literals } from '../../http/schema.ts'
import { OUTCOMES } from './request-log.ts'

export const RequestLogQuery = ListQueryOf('rql', {
  request_id: TextFilter(128, 'The `X-Request-Id` of an answer.'),
  outcome: Literals(OUTCOMES, { description: 'Only requests with this outcome.' }),
  method: Literals(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], {
    description: 'Only requests of this method.',
  }),
  reason: TextFilter(64, 'Only requests that were refused for this reason.'),
})
