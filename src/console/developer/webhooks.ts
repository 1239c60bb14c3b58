// Screens of webhooks: endpoints, and deliveries with their attempts. A maker replays a delivery.
import { type Html, html } from '../../values/text/html.ts'
import type { JsonObject } from '../api.ts'
import { anyOf, bodyOf, fieldText, post, postForm, withUnlistedCalls } from '../form.ts'
import { type Listing, showList } from '../list.ts'
import type { Delivery, DeliveryInFull, Endpoint } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, idLink, link, members, state, time } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'
import { debuggerForm, debuggerScreens } from './signature.ts'

const API = '/v3/webhook_endpoint'

export function webhookScreens(screens: Screens): void {
  screens.show('account', '/webhooks', endpointsScreen)
  screens.act('account', '/webhooks', makeEndpoint, endpointsScreen)
  debuggerScreens(screens)
  screens.show('account', '/webhooks/:id', endpointScreen)
  const test = { to: `${API}/:id/test`, next: '/webhooks/:id?done=sent' }
  screens.send('account', '/webhooks/:id/test', test, endpointScreen)
  const replay = {
    to: `${API}/:id/replay`,
    body: (visit: Visit) => ({ events: listOf(visit, 'events') }),
    next: '/webhooks/:id?done=replayed',
  }
  screens.send('account', '/webhooks/:id/replay', replay, endpointScreen)
  screens.show('account', '/webhooks/:id/deliveries/:delivery', deliveryScreen)
}

const URL_HINT = 'https://example.com/webhooks'
const EVENTS_HINT = 'Separated by spaces: payout.* entity.approved. Empty for every event.'

async function endpointsScreen(visit: Visit): Promise<Screen> {
  const { root } = visit
  const list = await showList<Endpoint>(visit, '/webhooks', {
    api: API,
    caption: 'Webhook endpoints',
    withoutDays: true,
    columns: [
      { name: 'Address', show: ({ id, url }) => html`<a href="${root}/webhooks/${id}">${url}</a>` },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Events', show: ({ event_types }) => event_types.join(', ') },
      { name: 'Created', show: ({ created_at }) => time(created_at) },
    ],
    empty: 'No endpoints yet. Corridor sends each event to an endpoint within a second.',
  })
  const body = html`${list}
${
  may(visit, 'maker') &&
  html`<h2>A new endpoint</h2>${postForm(visit, {
    action: `${root}/webhooks`,
    button: 'Create the endpoint',
    fields: [
      { name: 'url', label: 'Address', type: 'url', required: true, hint: URL_HINT },
      { name: 'event_types', label: 'Events', hint: EVENTS_HINT },
      { name: 'description', label: 'Description (optional)' },
    ],
  })}`
}
<h2>Why is a signature refused?</h2>${debuggerForm(visit)}`
  return { title: 'Webhooks', body }
}

/** Makes an endpoint, and shows its secret this once. */
async function makeEndpoint(visit: Visit): Promise<Screen> {
  const body = {
    url: fieldText(visit, 'url'),
    event_types: listOf(visit, 'event_types'),
    ...bodyOf(visit.form, ['description']),
  }
  const made = await post<Endpoint & { secret: string }>(withUnlistedCalls(visit), API, body)
  const shown = html`<p>This is the secret of the endpoint. It is not shown again:</p>
<pre class="secret" tabindex="0">${made.secret}</pre>
<p>Your receiver checks each signature with it.</p>
<p><a class="button" href="${visit.root}/webhooks/${made.id}">To the endpoint</a></p>`
  return { title: 'The endpoint is created', body: shown }
}

const listOf = (visit: Visit, name: string) =>
  fieldText(visit, name)
    .split(/[\s,]+/)
    .filter(Boolean)

async function endpointScreen(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const { root } = visit
  const endpoint = await visit.api.get<Endpoint>(`${API}/${id}`)
  const body = html`<p class="lead">${state(endpoint.status)} ${endpoint.disabled_reason}</p>
${members(root, endpoint)}
${
  may(visit, 'maker') &&
  postForm(visit, {
    action: `${root}/webhooks/${id}/test`,
    button: 'Send a test event',
    small: true,
  })
}
<h2>Deliveries</h2>${await showList(visit, `/webhooks/${id}`, deliveryList(visit, id))}`
  return { title: endpoint.url, body, live: '*' }
}

function deliveryList(visit: Visit, id: string): Listing<Delivery> {
  const page = `${visit.root}/webhooks/${id}`
  return {
    api: `${API}/${id}/delivery`,
    caption: 'Deliveries, newest first',
    columns: [
      { name: 'Event', show: row => link(`${page}/deliveries/${row.id}`, row.event_type) },
      { name: 'Object', show: ({ object_id }) => idLink(visit.root, object_id) },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Attempts', number: true, show: ({ attempt_count }) => attempt_count },
      { name: 'Next attempt', show: ({ next_attempt_at }) => time(next_attempt_at) },
      { name: 'Created', show: ({ created_at }) => time(created_at) },
    ],
    filters: [{ name: 'status', label: 'State', options: anyOf(['pending', 'delivered', 'dead']) }],
    empty: 'No deliveries yet.',
  }
}

async function deliveryScreen(visit: Visit): Promise<Screen> {
  const { id = '', delivery = '' } = visit.params
  const path = `${API}/${id}/delivery/${delivery}`
  const sent = await visit.api.get<DeliveryInFull>(path)
  const body = html`<p class="lead">${state(sent.status)}</p>
${facts([
  ['Event', idLink(visit.root, sent.event)],
  ['Object', idLink(visit.root, sent.object_id)],
  ['Attempts', sent.attempt_count],
  ['Next attempt', sent.next_attempt_at && time(sent.next_attempt_at)],
])}
<h2>Attempts</h2>${attemptsOf(visit.root, sent.attempts ?? [])}
${
  may(visit, 'maker') &&
  postForm(visit, {
    action: `${visit.root}/webhooks/${id}/replay`,
    button: 'Send it again',
    hidden: { events: sent.event },
  })
}`
  return { title: sent.event_type, body }
}

function attemptsOf(root: string, attempts: readonly JsonObject[]): Html {
  if (attempts.length === 0) return html`<p class="empty">No attempts yet.</p>`
  return html`<ol class="plain">${attempts.map(
    attempt => html`<li class="card">${members(root, attempt)}</li>`,
  )}</ol>`
}
