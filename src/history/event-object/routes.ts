// GET /v3/event and GET /v3/event/{id}.
import type { Finds, Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { pathId } from '../../http/docs.ts'
import { refuseArchived } from '../../statements/event/cut.ts'
import { findCut } from '../../statements/event/cut-store.ts'
import type { EventWithObject } from '../../statements/event/event.ts'
import { EventQuery } from '../../statements/event/request.ts'
import { presentEvent } from '../../statements/event/response.ts'
import { listEvents } from '../../statements/event/store.ts'
import { found } from '../../values/errors.ts'
import { withObjects } from './operations.ts'
import { EventResponse } from './response.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly readers: { readonly event: Finds<EventWithObject> }
}

export function eventRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.snapshotPage('/v3/event', {
    operationId: 'listEvents',
    summary: 'List events, newest first.',
    description:
      'The events are in the order of their `sequence`. To follow an account, keep the id ' +
      'of the newest event that you have seen, and ask with `ending_before` until ' +
      '`has_more` is false; so you miss none. Old events may be in an archive of the ' +
      'operator: a cursor older than the events in the service is refused with 410 ' +
      '`event_archived`.',
    querystring: EventQuery,
    item: EventResponse,
    refusals: ['event_archived'],
    find: listEvents,
    presentIn: async (tx, rows) => (await withObjects(tx, rows)).map(presentEvent),
  })
  routes.read('/v3/event/:id', {
    operationId: 'getEvent',
    summary: 'Fetch an event.',
    params: pathId('evt'),
    response: EventResponse,
    refusals: ['not_found', 'event_archived'],
    async answer({ account: { account_id }, params: { id } }) {
      const key = { account_id, id }
      const event = await deps.readers.event(key)
      if (event === undefined) {
        refuseArchived(await deps.read(account_id, tx => findCut(tx, account_id)), key)
      }
      return presentEvent(found(event))
    },
  })
}
