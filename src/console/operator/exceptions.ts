// The screen of open exceptions, for a person to judge.
import { html } from '../../values/text/html.ts'
import { countOf, fieldText, postForm } from '../form.ts'
import type { ListPage } from '../list.ts'
import type { RailException } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { idLink, time, words } from '../show.ts'
import type { Visit } from '../visit.ts'

export function exceptionScreens(screens: Screens): void {
  const show = screens.list('installation', '/exceptions', list)
  const closing = {
    to: '/v3/operator/payout/:id/close_exception',
    body: (visit: Visit) => ({ number: countOf(visit, 'number'), note: fieldText(visit, 'note') }),
    next: '/exceptions?done=saved',
  }
  screens.send('installation', '/exceptions/:id', closing, show)
}

function list(visit: Visit): ListPage<RailException> {
  const { root } = visit
  return {
    title: 'Exceptions',
    api: '/v3/operator/exception',
    caption: 'Open exceptions, oldest first',
    cursorOf: ({ payout, number }) => `${payout}:${number}`,
    columns: [
      { name: 'Payout', show: ({ payout }) => idLink(root, payout) },
      { name: 'Rail', show: ({ rail }) => rail },
      {
        name: 'Exception',
        show: ({ kind, message }) => html`<strong>${words(kind)}</strong><br>${message}`,
      },
      { name: 'Open since', show: ({ opened_at }) => time(opened_at) },
      {
        name: 'Decision',
        show: ({ payout, number }) =>
          postForm(visit, {
            action: `${root}/exceptions/${payout}`,
            under: 'Close',
            button: 'Close the exception',
            asksPassword: true,
            hidden: { number },
            fields: [{ name: 'note', label: 'What you found', required: true }],
          }),
      },
    ],
    filters: [{ name: 'payout', label: 'Payout' }],
    empty: 'No exceptions are open.',
  }
}
