// GET /v3/event and GET /v3/event/{id}.
import type { FastifyInstance } from 'fastify'
import type { Finds, Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { refuseArchived } from '../event/cut.ts'
import { findCut } from '../event/cut-store.ts'
import type { ToldEvent } from '../event/event.ts'
import { EventQuery } from '../event/request.ts'
import { presentEvent } from '../event/response.ts'
import { listEvents } from '../event/store.ts'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { tellEvents } from './operations.ts'
import { EventResponse } from './response.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly readers: { readonly event: Finds<ToldEvent> }
}

export function eventRoutes(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: ListQuery }>(
    '/v3/event',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listEvents',
        summary: 'List events, newest first.',
        description:
          'In the order of their `sequence`. To follow an account, keep the id of the newest ' +
          'event seen and ask with `ending_before` until `has_more` is false: none is missed. ' +
          'Old events may be in an archive of the operator: a cursor before those that are here ' +
          'is 410 `event_archived`.',
        querystring: EventQuery,
        response: Envelope(ListOf(EventResponse)),
        refusals: ['invalid_query_parameter', 'event_archived'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      const page = await deps.read(request.account.account_id, async (tx, id) => {
        const page = await listEvents(tx, id, wanted)
        return page && { ...page, rows: await tellEvents(tx, page.rows) }
      })
      return sendList(request, reply, success(presentList(page, wanted, presentEvent)))
    },
  )

  app.get<{ Params: { id: string } }>(
    '/v3/event/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getEvent',
        summary: 'Fetch an event.',
        params: pathId('evt'),
        response: Envelope(EventResponse),
        refusals: ['not_found', 'event_archived'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const key = { account_id, id: request.params.id }
      const event = await deps.readers.event(key)
      if (event === undefined) {
        refuseArchived(await deps.read(account_id, tx => findCut(tx, account_id)), key)
      }
      return send(reply, success(presentEvent(found(event))))
    },
  )
}
