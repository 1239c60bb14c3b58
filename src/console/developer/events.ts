// Screens of events: the list, and one event as a webhook sends it.
import { html } from '../../values/text/html.ts'
import type { ListPage } from '../list.ts'
import type { Event } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { idLink, members, time } from '../show.ts'
import type { Visit } from '../visit.ts'

export function eventScreens(screens: Screens): void {
  screens.list('account', '/events', eventList)
  screens.show('account', '/events/:id', async visit => {
    const event = await visit.api.get<Event>(`/v3/event/${visit.params.id}`)
    return { title: event.type, body: members(visit.root, event) }
  })
}

function eventList(visit: Visit): ListPage<Event> {
  const { root } = visit
  return {
    title: 'Events',
    live: '*',
    api: '/v3/event',
    caption: 'Events, newest first',
    columns: [
      { name: 'Event', show: ({ id, type }) => html`<a href="${root}/events/${id}">${type}</a>` },
      { name: 'Object', show: ({ object_id }) => idLink(root, object_id) },
      { name: 'Number', number: true, show: ({ sequence }) => sequence },
      { name: 'When', show: ({ created_at }) => time(created_at) },
    ],
    filters: [
      { name: 'type', label: 'Type', hint: 'payout.failed' },
      { name: 'object_id', label: 'Object' },
    ],
    empty: 'No events yet.',
  }
}
