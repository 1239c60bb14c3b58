// The screen of failing webhook endpoints: an operator enables one, or replays its dead deliveries.
import { html } from '../../values/text/html.ts'
import { emptyBody, postForm } from '../form.ts'
import type { ListPage } from '../list.ts'
import type { FailingEndpoint } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { state, time } from '../show.ts'
import type { Visit } from '../visit.ts'

const API = '/v3/operator/webhook_endpoint'

export function deliveryScreens(screens: Screens): void {
  const show = screens.list('installation', '/deliveries', list)
  const endpoint = { to: `${API}/:id`, next: '/deliveries?done=replayed', again: show }
  screens.sendEach('installation', '/deliveries/:id', endpoint, {
    replay: emptyBody,
    enable: emptyBody,
  })
}

function list(visit: Visit): ListPage<FailingEndpoint> {
  const act = (id: string, name: string, button: string) =>
    postForm(visit, { action: `${visit.root}/deliveries/${id}/${name}`, button, small: true })
  return {
    title: 'Failing webhooks',
    api: API,
    caption: 'Endpoints that are disabled or have dead deliveries',
    columns: [
      { name: 'Endpoint', show: ({ host, id }) => html`${host}<br><code>${id}</code>` },
      {
        name: 'State',
        show: ({ status, disabled_reason }) => html`${state(status)} ${disabled_reason}`,
      },
      { name: 'Dead deliveries', number: true, show: ({ dead }) => dead },
      { name: 'Failing since', show: ({ dead_since }) => time(dead_since) },
      { name: 'Account', show: ({ account_id }) => account_id },
      {
        name: '',
        show: ({ id, status, dead }) =>
          html`${status === 'disabled' && act(id, 'enable', 'Enable')}
${dead !== '0' && act(id, 'replay', 'Send again')}`,
      },
    ],
    empty: 'Every endpoint gets its events.',
  }
}
