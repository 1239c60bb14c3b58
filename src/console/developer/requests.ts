// Screen of a sandbox's latest requests by keys: how each ended, and why it was refused.
import { type Html, html } from '../../values/text/html.ts'
import { ApiError } from '../api.ts'
import { anyOf } from '../form.ts'
import { type Listing, showList } from '../list.ts'
import type { LoggedRequest } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { state, time } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'

export function requestScreens(screens: Screens): void {
  screens.show('account', '/requests', requestsScreen)
}

const OFF = html`<p class="empty">This service logs no requests. Start it with
<code>CORRIDOR_REQUEST_LOG=on</code>.</p>`

async function requestsScreen(visit: Visit): Promise<Screen> {
  const title = 'Requests'
  if (!accountOf(visit).sandbox) {
    return { title, body: html`<p>Requests of live accounts are not logged.</p>` }
  }
  try {
    return { title, body: await showList(visit, '/requests', REQUESTS) }
  } catch (error) {
    if (error instanceof ApiError && error.is('not_found')) return { title, body: OFF }
    throw error
  }
}

const REQUESTS: Listing<LoggedRequest> = {
  api: '/v3/request_log',
  caption: 'Requests with keys, newest first',
  columns: [
    { name: 'When', show: ({ created_at }) => time(created_at) },
    { name: 'Request', show: ({ method, path }) => html`<code>${method} ${path}</code>` },
    { name: 'Outcome', show: ({ outcome, status }) => [state(outcome), ' ', status] },
    { name: 'Reason', show: whyOf },
    { name: 'ms', number: true, show: ({ duration_ms }) => duration_ms },
    { name: 'Request id', show: ({ request_id }) => html`<code>${request_id}</code>` },
  ],
  filters: [
    {
      name: 'outcome',
      label: 'Outcome',
      options: anyOf(['succeeded', 'refused', 'failed', 'abandoned']),
    },
    { name: 'method', label: 'Method', options: anyOf(['GET', 'POST', 'PUT', 'DELETE']) },
    { name: 'reason', label: 'Reason', hint: 'invalid_field' },
    { name: 'request_id', label: 'Request id' },
  ],
  empty: 'No request with a key yet.',
}

function whyOf({ reason, remarks }: LoggedRequest): Html | '' {
  if (reason === '') return ''
  return html`<a href="/docs/errors">${reason}</a>${remarks && html` <code>${remarks}</code>`}`
}
